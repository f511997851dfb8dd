/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * componentwatch [ADDRESS [COUNT]]: draws the components of the tenant whose web server is at
 * ADDRESS (default: 10.0.0.2) once a second, COUNT times (default: until it is ended): how often
 * each was invoked in that second, and how often it was restarted so far. It asks the page /stats.
 * For a terminal with ANSI escape sequences. docs/components.md.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST 64
#define BAR 32
#define PAGE_SIZE 8192
#define PATIENCE_S 5

#define CLEAR "\033[H\033[J"
#define BOLD "\033[1m"
#define RED "\033[31m"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"

struct component {
    char name[17];
    unsigned long restarts;
    unsigned long invocations;
    bool counts; /* whether it says how often it was invoked */
};

struct state {
    struct component component[MOST];
    unsigned count;
    unsigned long samples; /* of the control loop */
    unsigned long missed;
    double time; /* seconds */
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int connect_to(const char *address)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(80)};
    struct timeval patience = {.tv_sec = PATIENCE_S};
    int web = socket(AF_INET, SOCK_STREAM, 0);

    if (web < 0 || inet_pton(AF_INET, address, &to.sin_addr) != 1)
        return -1;
    setsockopt(web, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(web, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (connect(web, (struct sockaddr *)&to, sizeof(to)) != 0) {
        close(web);
        return -1;
    }
    return web;
}

/* The page, ended by a zero byte. False: it cannot be had now. */
static bool fetch(const char *address, char page[PAGE_SIZE])
{
    static const char request[] = "GET /stats HTTP/1.0\r\n\r\n";
    size_t size = 0;
    ssize_t count;
    int web = connect_to(address);

    if (web < 0)
        return false;
    if (write(web, request, sizeof(request) - 1) == sizeof(request) - 1) {
        while ((count = read(web, page + size, PAGE_SIZE - 1 - size)) > 0)
            size += (size_t)count;
    }
    close(web);
    page[size] = '\0';
    return strncmp(page, "HTTP/1.0 200 ", 13) == 0;
}

static void read_line(struct state *state, const char *line)
{
    struct component *component = &state->component[state->count];
    char invocations[24];

    if (sscanf(line, "control: samples=%lu missed=%lu", &state->samples, &state->missed) == 2 ||
        state->count == MOST ||
        sscanf(line, " %16s %lu %23s", component->name, &component->restarts, invocations) != 3)
        return;
    component->counts = invocations[0] != '-';
    component->invocations = strtoul(invocations, NULL, 10);
    state->count++;
}

static bool look(const char *address, struct state *state)
{
    static char page[PAGE_SIZE];
    char *rest;
    char *line;

    *state = (struct state){.time = now()};
    if (!fetch(address, page) || (rest = strstr(page, "\r\n\r\n")) == NULL)
        return false;
    while ((line = strsep(&rest, "\r\n")) != NULL)
        read_line(state, line);
    return state->count > 0;
}

/* How many a second since before; a component that was restarted counts from 0 again. */
static double rate_of(const struct component *component, const struct component *before,
                      double seconds)
{
    unsigned long first = component->invocations >= before->invocations ? before->invocations : 0;

    return (double)(component->invocations - first) / seconds;
}

static void draw_component(const struct component *component, const struct component *before,
                           double seconds)
{
    bool is_new = component->restarts != before->restarts;
    double rate = rate_of(component, before, seconds);
    unsigned length = 0;

    /* A sign for each doubling: rates are from one to many thousands. */
    for (double step = rate; component->counts && step >= 1 && length < BAR; step /= 1.5)
        length++;
    printf(" %s%-12s%s", is_new ? RED BOLD : BOLD, component->name, PLAIN);
    printf(" %s%8lu%s", is_new ? RED : "", component->restarts, PLAIN);
    if (component->counts)
        printf(" %9.0f " GREEN "%.*s" PLAIN, rate, (int)length, "################################");
    puts("");
}

static void draw(const struct state *state, const struct state *before)
{
    double seconds = state->time - before->time;

    printf(CLEAR BOLD "components" PLAIN "   1 kHz control loop: %lu periods, %s%lu missed" PLAIN
                      "\n\n",
           state->samples, state->missed != 0 ? RED : GREEN, state->missed);
    printf(" component    restarts invoked/s\n");
    for (unsigned i = 0; i < state->count; i++)
        draw_component(&state->component[i],
                       i < before->count ? &before->component[i] : &state->component[i], seconds);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *address = argc > 1 ? argv[1] : "10.0.0.2";
    unsigned long left = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    static struct state before;
    static struct state state;

    if (argc > 3) {
        fprintf(stderr, "usage: componentwatch [ADDRESS [COUNT]]\n");
        return 2;
    }
    if (!look(address, &before)) {
        fprintf(stderr, "componentwatch: %s: no page /stats\n", address);
        return 1;
    }
    for (;;) {
        sleep(1);
        if (!look(address, &state)) /* the server, or what it needs, is being restarted */
            continue;
        draw(&state, &before);
        before = state;
        if (left != 0 && --left == 0)
            return 0;
    }
}
