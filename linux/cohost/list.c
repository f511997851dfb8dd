/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs about guests that run: list, shutdown, stop, pause, resume. A guest is its process. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/served.h"
#include "client_tree.h"
#include "json.h"
#include "machine.h"
#include "running.h"
#include "say.h"
#include "verbs.h"

/* After that a process that does not end is killed. */
#define PATIENCE_MS 10000
/* A system that boots misses its power key: it is pressed again after all of them. */
#define MOST_PRESSES 12

/* The state of a process (proc(5)), 0: it is gone. */
static char process_state(pid_t pid)
{
    char path[64], state = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    if (file == NULL) {
        return 0;
    }
    /* The name, in brackets, can hold brackets itself; ours does not. */
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) {
        state = 0;
    }
    fclose(file);
    return state;
}

static const char *state_of(const struct running *guest)
{
    return process_state(guest->pid) == 'T' ? "paused" : "running";
}

static void show_json(const struct running *guest)
{
    json_open_member(NULL, '{');
    json_string("name", guest->name);
    json_string("state", state_of(guest));
    json_number("pid", (uint64_t)guest->pid);
    json_number("cpus", guest->cpus);
    json_number("memory", guest->memory);
    json_close('}');
}

static void show_line(const struct running *guest)
{
    printf("%-16s %-8s %7d %4u %6llu MiB\n", guest->name, state_of(guest), (int)guest->pid,
           guest->cpus, (unsigned long long)guest->memory >> 20);
}

/* A process serves the client: the port can be opened once. */
static bool is_served(const struct client *client)
{
    int port = machine_open_port(client->port);

    if (port >= 0) {
        close(port);
    }
    return port < 0 && errno == EBUSY;
}

static void show_client_json(const struct client *client)
{
    json_open_member(NULL, '{');
    json_string("name", client->name);
    json_bool("served", is_served(client));
    json_number("devices", client->registers.size / COTENANT_SERVED_PAGE);
    json_close('}');
}

static void show_client(const struct client *client)
{
    printf("%-16s %-8s tenant with %u devices\n", client->name,
           is_served(client) ? "served" : "waits",
           (unsigned)(client->registers.size / COTENANT_SERVED_PAGE));
}

int verb_list(const struct request *request)
{
    (void)request;
    if (as_json) {
        json_open('{');
        json_open_member("guests", '[');
        running_each(show_json);
        json_close(']');
        json_open_member("tenants", '[');
        client_tree_each(show_client_json);
        json_close(']');
        json_close('}');
    } else {
        printf("%-16s %-8s %7s %4s %10s\n", "NAME", "STATE", "PID", "CPUS", "MEMORY");
        running_each(show_line);
        client_tree_each(show_client);
    }
    return EXIT_DONE;
}

void verb_find(const struct request *request, struct running *guest)
{
    if (!running_find(request->name, guest)) {
        fail(EXIT_REFUSED, "no guest %s runs", request->name);
    }
}

void verb_say_done(const struct request *request)
{
    if (as_json) {
        json_open('{');
        json_bool("ok", true);
        json_close('}');
    } else {
        printf("%s %s: ok\n", request->verb, request->name);
    }
}

bool verb_send(const struct running *guest, int number)
{
    if (kill(guest->pid, number) == 0) {
        return true;
    }
    if (errno != ESRCH) {
        fail(EXIT_REFUSED, "the process of guest %s cannot be reached", guest->name);
    }
    return false;
}

/* Its file goes before its memory, locks and tap devices do, which the next guest may need. */
bool verb_wait_for_end(const struct running *guest)
{
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, guest->pid, 0), .events = POLLIN};
    bool ended = end.fd < 0 || poll(&end, 1, PATIENCE_MS) > 0;

    if (end.fd >= 0) {
        close(end.fd);
    }
    return ended;
}

int verb_stop(const struct request *request)
{
    struct running guest;

    verb_find(request, &guest);
    if (verb_send(&guest, SIGTERM) && verb_send(&guest, SIGCONT) && !verb_wait_for_end(&guest) &&
        verb_send(&guest, SIGKILL)) {
        (void)verb_wait_for_end(&guest);
    }
    verb_say_done(request);
    return EXIT_DONE;
}

int verb_shutdown(const struct request *request)
{
    struct running guest;

    verb_find(request, &guest);
    for (unsigned i = 0; i < MOST_PRESSES; i++) {
        if (!verb_send(&guest, SIGPWR) || !verb_send(&guest, SIGCONT) ||
            verb_wait_for_end(&guest)) {
            verb_say_done(request);
            return EXIT_DONE;
        }
    }
    fail(EXIT_REFUSED,
         "guest %s has not powered off. systemd does when its power key is pressed; cohost stop "
         "ends any guest",
         guest.name);
}

int verb_signal(const struct request *request)
{
    struct running guest;

    verb_find(request, &guest);
    if (!verb_send(&guest, strcmp(request->verb, "pause") == 0 ? SIGSTOP : SIGCONT)) {
        fail(EXIT_REFUSED, "guest %s has just ended", request->name);
    }
    verb_say_done(request);
    return EXIT_DONE;
}
