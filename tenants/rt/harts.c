/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/harts.h"

#include "rt/format.h"
#include "rt/trap.h"

struct stacks {
    char stack[HART_STACK_SIZE];
    char trap_stack[HART_TRAP_STACK_SIZE];
    struct hart hart; /* the top of the trap stack */
};

/* harts_start.S */
extern const char harts_entry[];
void harts_main(void);

static struct stacks others[HARTS_MAX] __attribute__((aligned(16)));

static unsigned count_harts(void)
{
    unsigned count = 0;
    struct fdt_node node;
    char path[32];

    for (; count < HARTS_MAX; count++) {
        format_text(path, sizeof(path), "/cpus/cpu@%x", count);
        if (!fdt_find(&platform.fdt, path, &node)) {
            break;
        }
    }
    return count;
}

unsigned harts_count(void)
{
    static volatile unsigned known; /* what each hart would find and write */

    if (known == 0) {
        known = count_harts();
    }
    return known;
}

/* Called by harts_start.S on the hart's own stack. */
void harts_main(void)
{
    struct hart *self = hart_self();

    trap_init();
    self->function(self->argument);
    harts_stop();
}

struct sbi_result harts_start(uint64_t id, void (*function)(uint64_t argument), uint64_t argument)
{
    struct stacks *stacks;

    check(id < HARTS_MAX, "there is no stack for hart %lu", id);
    stacks = &others[id];
    stacks->hart = (struct hart){
        .stack_top = stacks->trap_stack, .id = id, .function = function, .argument = argument};
    return harts_start_again(id);
}

struct sbi_result harts_start_again(uint64_t id)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return sbi_call(SBI_EXT_HSM, SBI_HSM_HART_START, id, (uintptr_t)harts_entry,
                    (uintptr_t)&others[id].hart);
}

void harts_run(void (*function)(uint64_t id))
{
    unsigned count = harts_count();

    for (unsigned id = 1; id < count; id++) {
        struct sbi_result result = harts_start(id, function, id);

        check(result.error == SBI_SUCCESS, "start of hart %u: error %ld", id, result.error);
    }
    function(0);
    for (unsigned id = 1; id < count; id++) {
        harts_await(harts_state(id) == SBI_HSM_STATE_STOPPED, "hart %u does not stop", id);
    }
}

void harts_meet(struct harts_barrier *barrier, unsigned count)
{
    unsigned round = __atomic_load_n(&barrier->round, __ATOMIC_ACQUIRE);

    if (__atomic_add_fetch(&barrier->arrived, 1, __ATOMIC_ACQ_REL) == count) {
        __atomic_store_n(&barrier->arrived, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&barrier->round, round + 1, __ATOMIC_RELEASE);
    }
    harts_await(__atomic_load_n(&barrier->round, __ATOMIC_ACQUIRE) != round,
                "not all of %u harts arrive", count);
}

int64_t harts_state(uint64_t id)
{
    struct sbi_result result = sbi_call(SBI_EXT_HSM, SBI_HSM_HART_GET_STATUS, id, 0, 0);

    return result.error != SBI_SUCCESS ? result.error : (int64_t)result.value;
}

void harts_stop(void)
{
    interrupts_disable();
    sbi_call(SBI_EXT_HSM, SBI_HSM_HART_STOP, 0, 0, 0);
    for (;;) {
        wait_for_interrupt(); /* the tenant is about to end */
    }
}
