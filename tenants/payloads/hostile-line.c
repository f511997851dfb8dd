/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The owner of a device on two harts lets its interrupt line go up as often as it can, and serves
 * it on the first of them: it completes it while the line is up, takes the line down again before
 * it is claimed, and turns the source off and on in every way that a PLIC knows. The source is
 * enabled for the second hart too, which does the same at the same time or is not even started. It
 * never ends; what it does to the tenants above it on the second hart is for them to say.
 *
 * Prints "hostile-line: rounds=N claims=N" after the first round, and every 1000 of the first hart
 * from then on.
 *
 * Arguments: both=1   the second hart as well
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/goldfish_rtc.h"
#include "rt/harts.h"
#include "rt/plic.h"

#define REPORT_ROUNDS 1000

const char payload_name[] = "hostile-line";

static struct goldfish_rtc rtc;
static uint64_t claims;

static uint32_t context_of(uint64_t hart)
{
    return platform.plic_context + 2 * (uint32_t)hart;
}

static void enable(uint64_t hart, bool on)
{
    *plic_register(plic_enable_offset(context_of(hart), rtc.source)) =
        on ? 1u << rtc.source % 32 : 0;
}

/* An alarm in the past. */
static void line_up(void)
{
    goldfish_rtc_set_alarm(&rtc, 1);
}

static uint64_t self(void)
{
    return hart_self()->id;
}

static uint64_t other(void)
{
    return 1 - self();
}

static void serve(uint64_t hart)
{
    uint32_t source = *plic_register(plic_claim_offset(context_of(hart)));

    claims += source != 0;
    *plic_register(plic_claim_offset(context_of(hart))) = rtc.source;
}

static void play_with_the_line(void)
{
    line_up();
    line_up();
    serve(self());
    line_up();
    goldfish_rtc_acknowledge(&rtc);
    serve(self());
}

static void play_with_enables(void)
{
    enable(self(), false);
    line_up();
    enable(other(), false);
    enable(other(), true);
    goldfish_rtc_acknowledge(&rtc);
    line_up();
    enable(self(), true);
    serve(self());
    serve(other());
}

static void play_with_the_priority(void)
{
    line_up();
    *plic_register(plic_priority_offset(rtc.source)) = 0;
    *plic_register(plic_priority_offset(rtc.source)) = 7;
    serve(self());
    *plic_register(plic_priority_offset(rtc.source)) = 0;
    line_up();
    *plic_register(plic_priority_offset(rtc.source)) = 7;
    serve(self());
}

static void play(uint64_t hart)
{
    for (uint64_t round = 0;; round++) {
        play_with_the_line();
        play_with_enables();
        play_with_the_priority();
        if (hart == 0 && round % REPORT_ROUNDS == 0) {
            print("hostile-line: rounds=%lu claims=%lu\n", round, claims);
        }
    }
}

void main(void)
{
    check(goldfish_rtc_find(&rtc), "the device tree has no clock");
    plic_enable(rtc.source, 7);
    enable(1, true);
    if (platform_number("both", 0) != 0) {
        check(harts_start(1, play, 1).error == SBI_SUCCESS, "the second hart does not start");
    }
    play(0);
}
