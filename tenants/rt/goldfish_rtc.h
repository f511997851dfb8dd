/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The goldfish real-time clock (QEMU's docs/system, google,goldfish-rtc): a counter of nanoseconds
 * with one alarm. One context at a time.
 */
#ifndef COTENANT_RT_GOLDFISH_RTC_H
#define COTENANT_RT_GOLDFISH_RTC_H

#include <stdbool.h>
#include <stdint.h>

struct goldfish_rtc {
    uint64_t base;   /* of its registers */
    uint32_t source; /* of its interrupt */
};

/* Finds the clock in the device tree. False: there is none. */
bool goldfish_rtc_find(struct goldfish_rtc *rtc);

/* Nanoseconds since 1970. */
uint64_t goldfish_rtc_now(const struct goldfish_rtc *rtc);

/* Interrupts at `nanoseconds`, at once if that is past. It replaces an earlier alarm. */
void goldfish_rtc_set_alarm(const struct goldfish_rtc *rtc, uint64_t nanoseconds);

/* Takes the interrupt back, before the PLIC's completion. */
void goldfish_rtc_acknowledge(const struct goldfish_rtc *rtc);

#endif
