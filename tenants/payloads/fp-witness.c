/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The honest neighbour that hostile tenants of the same or a higher priority take the hart from: it
 * holds values of its own in its registers, floating-point ones included, while it spins with a
 * timer set, and finds them and the pattern of its memory as they were; the timer interrupt is
 * pending when it is due. It never ends but by FAIL, and reports from time to time:
 *
 *   fp-witness: rounds=N sweeps=N
 *
 * Arguments: seed=N   turns=N: of an empty loop in each round (2000)   report=N: rounds (500)
 *            patient=1: a timer that is pending too early is set once more. QEMU's own race can be
 *                       the cause where time is the host's (docs/torture.md)
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/hold.h"
#include "rt/memory_sweep.h"
#include "rt/platform.h"
#include "rt/random.h"
#include "rt/sbi.h"

#define PATTERN 0x7769746e65737321
/* Words in each round. */
#define PIECE 512
#define MOST_TICKS 20000
/* Microseconds in which a due timer has to be pending, beyond any time that others have. */
#define PATIENCE_US 10000000

#define EACH_REGISTER                                                                              \
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, "   \
    "23, 24, 25, 26, 27, 28, 29, 30, 31\n"

const char payload_name[] = "fp-witness";

static struct random random;
static bool patient;

static void hold(uint64_t turns)
{
    uint64_t floats[32];
    uint64_t found_floats[32];
    uint64_t integers[32];
    uint64_t found[32];
    uint64_t control = random_below(&random, 5) << 5 | random_below(&random, 32);
    uint64_t found_control;

    for (unsigned i = 0; i < 32; i++) {
        floats[i] = random_next(&random);
        found[i] = integers[i] = random_next(&random);
    }
    __asm__ volatile(EACH_REGISTER "fld f\\n, (8 * \\n)(%0)\n.endr" : : "r"(floats) : "memory");
    csr_write(fcsr, control);
    hold_registers(found, turns);
    found_control = csr_read(fcsr);
    __asm__ volatile(EACH_REGISTER "fsd f\\n, (8 * \\n)(%0)\n.endr"
                     :
                     : "r"(found_floats)
                     : "memory");
    check(found_control == control, "fcsr is 0x%lx, expected 0x%lx", found_control, control);
    for (unsigned i = 0; i < 32; i++) {
        check(found_floats[i] == floats[i], "f%u is 0x%lx, expected 0x%lx", i, found_floats[i],
              floats[i]);
        check(found[i] == integers[i], "x%u is 0x%lx, expected 0x%lx", i, found[i], integers[i]);
    }
}

/* Between the two reads it can have become due. */
static bool is_early(uint64_t due)
{
    return (csr_read(sip) & INTERRUPT_TIMER) != 0 && clock_now() < due;
}

/* A timer that is due is pending; one that is not due is not. */
static void judge_timer(uint64_t due)
{
    uint64_t now = clock_now();

    if (patient && is_early(due)) {
        sbi_set_timer(due);
    }
    check(!is_early(due), "a timer is pending that is due in %lu ticks", due - now);
    while (now >= due && (csr_read(sip) & INTERRUPT_TIMER) == 0) {
        check(clock_now() - now < clock_ticks(PATIENCE_US), "a timer interrupt is lost");
    }
}

void main(void)
{
    uint64_t turns = platform_number("turns", 2000);
    uint64_t every = platform_number("report", 500);

    random = random_from(platform_number("seed", 1));
    patient = platform_number("patient", 0) != 0;
    interrupts_disable();
    csr_set(sstatus, SSTATUS_FS_INITIAL);
    memory_sweep_begin(PATTERN);
    for (uint64_t round = 1;; round++) {
        uint64_t due = clock_now() + random_below(&random, MOST_TICKS);

        sbi_set_timer(due);
        hold(1 + random_below(&random, turns));
        memory_sweep_look(PIECE);
        judge_timer(due);
        if (round % every == 0) {
            print("fp-witness: rounds=%lu sweeps=%lu\n", round, memory_sweep_count());
        }
    }
}
