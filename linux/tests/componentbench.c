/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * componentbench COUNT: what a call and its answer take, COUNT times each: of another process over
 * two pipes, of a component, and by a component, of this process while it sleeps in between and
 * while it looks out for the next one. In ns of the clock, which are instructions under -icount:
 *
 *   componentbench: pipe=14000
 *   componentbench: component=5000
 *   componentbench: process_asleep=14000
 *   componentbench: process_awake=6000
 *
 * componentbench work ROUNDS: fixed work, ROUNDS times a million instructions and a system call;
 * prints its ns. No other tenant is needed.
 *
 * componentbench unread COUNT: makes COUNT calls and takes no answer; exit status 1 unless the
 * translator hangs up before the last of them.
 */
#include <sys/wait.h>

#include "../channel/components.h"
#include "common.h"

#define WARM_UP 20
#define PATIENCE_MS 5000
#define SPIN_NS 100000

static struct components components;
static unsigned long count;

static uint64_t now(void)
{
    uint64_t ticks;

    __asm__ volatile("rdtime %0" : "=r"(ticks)::"memory");
    return ticks * 100;
}

static void show(const char *name, uint64_t begun)
{
    printf("componentbench: %s=%lu\n", name, (unsigned long)((now() - begun) / count));
}

/* As many bytes each way as a call of a component has. */
static void measure_pipe(void)
{
    uint8_t message[sizeof(struct component_message) + sizeof(uint64_t)] = {0};
    uint64_t begun = 0;
    int out[2];
    int back[2];

    if (pipe(out) != 0 || pipe(back) != 0)
        give_up("pipe");
    if (fork() == 0) {
        close(out[1]);
        while (read(out[0], message, sizeof(message)) == sizeof(message)) {
            if (write(back[1], message, sizeof(message)) != sizeof(message))
                _exit(1);
        }
        _exit(0);
    }
    for (unsigned long i = 0; i < count + WARM_UP; i++) {
        begun = i == WARM_UP ? now() : begun;
        if (write(out[1], message, sizeof(message)) != sizeof(message) ||
            read(back[0], message, sizeof(message)) != sizeof(message))
            give_up("pipe");
    }
    show("pipe", begun);
    close(out[1]);
    wait(NULL);
}

static void measure_calls(void)
{
    uint64_t begun = 0;
    uint64_t argument = 7;
    uint64_t value;

    for (unsigned long i = 0; i < count + WARM_UP; i++) {
        begun = i == WARM_UP ? now() : begun;
        if (components_call(&components, "log.count", &argument, 1, &value, -1) != 0)
            give_up("log.count");
    }
    show("component", begun);
}

static int answer(void *context, const char *name, uint8_t *data, uint32_t size)
{
    (void)context;
    (void)data;
    return strcmp(name, "bench") == 0 ? (int)size : COMPONENT_UNKNOWN;
}

static void measure_service(const char *name, int64_t spin)
{
    uint64_t begun = 0;

    components.spin = spin;
    for (unsigned long i = 0; i < count + WARM_UP; i++) {
        begun = i == WARM_UP ? now() : begun;
        if (components_serve(&components, answer, NULL, PATIENCE_MS) != 0)
            give_up("serve");
    }
    show(name, begun);
    components.spin = 0;
}

static int work(unsigned long rounds)
{
    uint64_t begun = now();

    for (unsigned long i = 0; i < rounds; i++) {
        unsigned long turns = 500000;

        __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(turns));
        getppid();
    }
    printf("componentbench: work=%lu\n", (unsigned long)(now() - begun));
    return 0;
}

static int leave_unread(unsigned long calls)
{
    struct component_frame frame = {.message = {.kind = COMPONENT_MESSAGE_CALL}};
    int result = 0;

    strcpy(frame.message.name, "log.count");
    if (components_open(&components, PATIENCE_MS) != 0)
        give_up(COMPONENTS_PORT);
    components.time_out = time_out_begin(-1);
    for (unsigned long i = 0; i < calls && result == 0; i++)
        result = components_send(&components, &frame);
    if (result != 0 && errno != EPIPE)
        give_up("send");
    components_close(&components);
    return result == 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "work") == 0)
        return work(parse_number(argv[2]));
    if (argc == 3 && strcmp(argv[1], "unread") == 0)
        return leave_unread(parse_number(argv[2]));
    if (argc != 2) {
        fprintf(stderr, "usage: componentbench COUNT | work ROUNDS | unread COUNT\n");
        return 2;
    }
    count = parse_number(argv[1]);
    measure_pipe();
    if (components_open(&components, PATIENCE_MS) != 0)
        give_up(COMPONENTS_PORT);
    measure_service("process_asleep", 0);
    measure_service("process_awake", SPIN_NS);
    components_close(&components);
    usleep(1500000); /* what a component still waits for has come to its end */
    if (components_open(&components, PATIENCE_MS) != 0)
        give_up(COMPONENTS_PORT);
    measure_calls();
    components_close(&components);
    return 0;
}
