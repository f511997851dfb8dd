/* SPDX-License-Identifier: BSD-2-Clause */
#include "component_bench.h"

#include <stdlib.h>
#include <string.h>

#include "components/kernel/machine.h"
#include "components/kernel/pages.h"

#define PAGES 512
#define CAUSE_ECALL_U 8
#define CAUSE_INTERRUPT 0x8000000000000000
/* Where components begin, so that a test can tell. */
#define ENTRY(component) (0x1000 * (component) + 8)

struct bench bench;
struct machine machine;

static uint8_t memory[PAGES * PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static const uint8_t text[PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));
static const uint8_t data[16] = "fresh";

static const struct table_capability of_front[] = {{ENTRY(MIDDLE), MIDDLE}, {ENTRY(BACK), BACK}};
static const struct table_capability of_middle[] = {{ENTRY(BACK), BACK}, {ENTRY(MIDDLE), MIDDLE}};

#define COMPONENT(name, rights, device, count, capabilities, window)                               \
    {                                                                                              \
        name, text, data, PAGE_SIZE, sizeof(data), PAGE_SIZE, PAGE_SIZE, rights, device, count,    \
            capabilities, window                                                                   \
    }

static const struct table_component components[BENCH_COMPONENTS] = {
    COMPONENT("scheduler", RIGHT_DISPATCH, 0, 0, NULL, NULL),
    COMPONENT("handler", RIGHT_RESTART | RIGHT_MAP, 0, 0, NULL, NULL),
    COMPONENT("front", RIGHT_SCHEDULE | RIGHT_THREADS | RIGHT_CONSOLE | RIGHT_INTERRUPTS, 0, 2,
              of_front, NULL),
    COMPONENT("middle", RIGHT_INSPECT | RIGHT_INTERRUPTS, BENCH_DEVICE, 2, of_middle, BENCH_WINDOW),
    COMPONENT("back", RIGHT_SCHEDULE, 0, 0, NULL, NULL),
};

static const struct table_thread threads[BENCH_THREADS] = {
    {ENTRY(SCHEDULER), SCHEDULER},
    {ENTRY(HANDLER), HANDLER},
    {ENTRY(FRONT), FRONT},
    {ENTRY(FRONT), FRONT},
};

const struct table table = {
    .components = BENCH_COMPONENTS,
    .threads = BENCH_THREADS,
    .component = components,
    .thread = threads,
    .fault_handler = {ENTRY(HANDLER), HANDLER},
};

uint64_t machine_interrupts(void)
{
    uint64_t there = bench.pending;

    bench.pending = 0;
    bench.unmasked &= ~there;
    return there;
}

void machine_unmask(uint64_t interrupt)
{
    bench.unmasked |= 1ull << interrupt;
}

void machine_raise(void)
{
    bench.pending |= 2;
}

void machine_set_timer(uint64_t time)
{
    bench.timer = time;
}

void machine_wait(void)
{
    bench.waits++;
}

void machine_fence(void)
{
}

void machine_set_space(uint64_t satp)
{
    bench.space = satp;
}

uint64_t machine_print(const char *bytes, uint64_t length)
{
    length = length < BENCH_ROOM ? length : BENCH_ROOM;
    memcpy(bench.printed, bytes, length);
    bench.printed[length] = '\0';
    return length;
}

uint64_t machine_argument(const char *name, uint64_t skip)
{
    return strlen(name) + skip;
}

uint64_t machine_find_device(uint64_t id, uint64_t component)
{
    return id == BENCH_DEVICE && component == MIDDLE ? BENCH_REGISTERS : 0;
}

bool memory_window_find(struct memory_window *window, const char *name)
{
    *window = bench.window;
    return strcmp(name, BENCH_WINDOW) == 0 && window->size != 0;
}

void machine_shutdown(bool failure)
{
    (void)failure;
    abort();
}

void machine_check(const struct thread *thread)
{
    (void)thread;
}

void bench_start(void)
{
    bench_start_with((struct memory_window){0});
}

void bench_start_with(struct memory_window window)
{
    memset(&bench, 0, sizeof(bench));
    bench.window = window;
    machine = (struct machine){.memory_end = 0x80400000};
    pages_init((uintptr_t)memory, (uintptr_t)memory + sizeof(memory));
    if (!components_init()) {
        abort();
    }
    components_use_asids(true);
    threads_init();
    kernel_init();
}

struct thread *bench_call(int64_t number, uint64_t a0, uint64_t a1, uint64_t a2)
{
    struct thread *thread = kernel.current;

    thread->registers[REGISTER_CALL] = (uint64_t)number;
    thread->registers[REGISTER_A(0)] = a0;
    thread->registers[REGISTER_A(1)] = a1;
    thread->registers[REGISTER_A(2)] = a2;
    return trap(thread, CAUSE_ECALL_U, 0);
}

struct thread *bench_dispatch(uint64_t thread)
{
    return bench_call(CALL_DISPATCH, thread, 0, UINT64_MAX);
}

struct thread *bench_fault(uint64_t cause, uint64_t value)
{
    return trap(kernel.current, cause, value);
}

struct thread *bench_interrupt(uint64_t number)
{
    bench.pending |= 1ull << number;
    return trap(kernel.current, CAUSE_INTERRUPT | number, 0);
}

struct thread *bench_fall(void)
{
    const struct component *component = kernel.current->component;

    if (component != &component_dead && component != &component_resume) {
        return kernel.current;
    }
    return bench_fault(CAUSE_FETCH_PAGE, 0);
}

uint64_t bench_argument(const struct thread *thread, unsigned number)
{
    return thread->registers[REGISTER_A(number)];
}

uint64_t bench_where(void)
{
    return kernel.current->component->id;
}
