/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The honest neighbour of hostile tenants: proves that its memory is its own, that its interrupts
 * come, and how late. All of its memory has a pattern, which it goes through piece by piece, a
 * piece at each wake-up of a 1 kHz timer; with the clock among its devices, an alarm of that has to
 * come between two of them as well. It never ends but by FAIL, and reports from time to time what
 * was so since the report before:
 *
 *   neighbour: wakes=N worst=NS alarms=N worst-alarm=NS sweeps=N
 *
 * Lateness is in nanoseconds of the machine, to the first look at the clock in the handler.
 * Sweeps are how often all of the memory has been found good since the start.
 *
 * Arguments: report=N    wake-ups between two reports (500)
 *            patient=1   one that is late by more than the period is no failure: where time is the
 *                        host's
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/goldfish_rtc.h"
#include "rt/memory_sweep.h"
#include "rt/platform.h"
#include "rt/plic.h"
#include "rt/sbi.h"
#include "rt/trap.h"

#define PATTERN 0x6b65657065722121
/* Words at each wake-up. */
#define PIECE 2048
#define PERIOD_US 1000
#define ALARM_AFTER_NS 500000
#define REPORT_EVERY 500
#define PRIORITY 1
#define NS 1000000000

const char payload_name[] = "neighbour";

struct latency {
    uint64_t count;
    uint64_t worst;
};

static struct goldfish_rtc rtc;
static bool has_clock;
static bool patient;
static uint64_t period;
static uint64_t due;
static uint64_t alarm_due;
static volatile uint64_t woken;
static struct latency wakes;
static struct latency alarms;

static void add(struct latency *latency, uint64_t late)
{
    latency->count++;
    if (late > latency->worst) {
        latency->worst = late;
    }
}

static uint64_t nanoseconds(uint64_t ticks)
{
    return ticks * NS / platform.timebase_hz;
}

static void on_timer(void)
{
    uint64_t now = clock_now();

    add(&wakes, nanoseconds(now - due));
    due += period;
    check(now < due || patient, "a wake-up is lost");
    while (due <= now) {
        due += period;
    }
    sbi_set_timer(due);
    woken++;
    if (has_clock && (alarm_due == 0 || !patient)) {
        check(alarm_due == 0, "an alarm is lost");
        alarm_due = goldfish_rtc_now(&rtc) + ALARM_AFTER_NS;
        goldfish_rtc_set_alarm(&rtc, alarm_due);
    }
}

static void on_external(void)
{
    uint32_t source = plic_claim();

    check(source == rtc.source, "source %u is not its own", source);
    add(&alarms, goldfish_rtc_now(&rtc) - alarm_due);
    alarm_due = 0;
    goldfish_rtc_acknowledge(&rtc);
    plic_complete(source);
}

static void report(void)
{
    struct latency late_wakes;
    struct latency late_alarms;

    interrupts_disable();
    late_wakes = wakes;
    late_alarms = alarms;
    wakes = alarms = (struct latency){0, 0};
    interrupts_enable();
    print("neighbour: wakes=%lu worst=%lu alarms=%lu worst-alarm=%lu sweeps=%lu\n",
          late_wakes.count, late_wakes.worst, late_alarms.count, late_alarms.worst,
          memory_sweep_count());
}

static void begin(void)
{
    trap_set_handler(CAUSE_INTERRUPT_TIMER, on_timer);
    trap_set_handler(CAUSE_INTERRUPT_EXTERNAL, on_external);
    has_clock = goldfish_rtc_find(&rtc);
    if (has_clock) {
        plic_set_threshold(0);
        plic_enable(rtc.source, PRIORITY);
    }
    period = clock_ticks(PERIOD_US);
    patient = platform_number("patient", 0) != 0;
    due = clock_now() + period;
    sbi_set_timer(due);
    csr_write(sie, INTERRUPT_TIMER | INTERRUPT_EXTERNAL);
    interrupts_enable();
}

void main(void)
{
    uint64_t every = platform_number("report", REPORT_EVERY);
    uint64_t seen = 0;

    memory_sweep_begin(PATTERN);
    begin();
    for (;;) {
        interrupts_disable();
        if (woken == seen) {
            wait_for_interrupt();
        }
        interrupts_enable();
        if (woken == seen) {
            continue;
        }
        seen = woken;
        memory_sweep_look(PIECE);
        if (seen % every == 0) {
            report();
        }
    }
}
