/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hosts one guest, its initrd (bench-guest or bench-sbi), and measures what that costs it:
 *
 *   late_alone, gap_alone  an interrupt by its clock while it computes itself: instructions from
 *                          the last one of the program to the handler, and to the program's next
 *                          one
 *   late_hosting           the same while the guest computes; the guest sees the gap
 */
#include "bench/samples.h"
#include "bench/stamps.h"
#include "rt/check.h"
#include "rt/console.h"
#include "rt/guest.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/trap.h"

#define PERIOD_US 200

const char payload_name[] = "bench-host";

static struct guest guest;
static volatile uint64_t *stamp; /* of the one that computes */
static struct stamps late;

static void on_timer(void)
{
    uint64_t now = csr_read(cycle);

    stamps_note(&late, now - *stamp);
    sbi_set_timer(clock_now() + clock_ticks(PERIOD_US));
}

static void begin_interrupts(volatile uint64_t *whose)
{
    stamp = whose;
    late.count = 0;
    sbi_set_timer(clock_now() + clock_ticks(PERIOD_US));
    csr_write(sie, INTERRUPT_TIMER);
    interrupts_enable();
}

static void end_interrupts(const char *name)
{
    interrupts_disable();
    csr_write(sie, 0);
    sbi_set_timer(UINT64_MAX);
    print("bench: %s %lu\n", name, stamps_median(&late));
}

/* False: it is no register of the benchmark's. `served`: instructions for the last access. */
static bool serve_own(volatile struct hosted_run *run, uint64_t served)
{
    bool load = run->reason == COTENANT_HOSTED_EXIT_LOAD;

    switch (run->address - platform.uart_base) {
    case STAMPS_SERVED:
        run->value = load ? served : 0;
        return true;
    case STAMPS_BEGIN:
        begin_interrupts((volatile uint64_t *)run->value);
        return true;
    case STAMPS_END:
        end_interrupts("late_hosting");
        return load;
    default:
        return false;
    }
}

static bool is_access(const volatile struct hosted_run *run)
{
    return run->reason == COTENANT_HOSTED_EXIT_LOAD || run->reason == COTENANT_HOSTED_EXIT_STORE;
}

static void measure_alone(void)
{
    static volatile uint64_t own;
    static struct stamps gaps;

    begin_interrupts(&own);
    stamps_compute(&own, &gaps);
    end_interrupts("late_alone");
    print("bench: gap_alone %lu\n", stamps_median(&gaps));
}

static void host_guest(void)
{
    uint64_t overhead = bench_overhead();
    uint64_t served = 0;
    bool goes_on = true;

    while (goes_on) {
        uint64_t after;

        guest_turn(guest.slot, 0, guest.token);
        after = csr_read(cycle);
        if (!is_access(guest.run) || !serve_own(guest.run, served)) {
            goes_on = guest_serve(&guest);
        }
        served = csr_read(cycle) - after - overhead;
    }
}

void main(void)
{
    uint64_t base = (platform.memory_base + 2 * COTENANT_HOSTED_GRAIN - 1) &
                    ~(uint64_t)(COTENANT_HOSTED_GRAIN - 1);

    check(guest_find(), "there are no guests");
    guest_make(&guest, 0, base, COTENANT_HOSTED_GRAIN);
    trap_set_handler(CAUSE_INTERRUPT_TIMER, on_timer);
    measure_alone();
    host_guest();
    print("bench: end\n");
    sbi_shutdown(false);
}
