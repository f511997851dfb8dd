/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/goldfish_rtc.h"

#include "rt/platform.h"

#define TIME_LOW 0x00 /* reading it holds the high half still */
#define TIME_HIGH 0x04
#define ALARM_LOW 0x08 /* writing it arms the alarm */
#define ALARM_HIGH 0x0c
#define INTERRUPT_ENABLE 0x10
#define CLEAR_INTERRUPT 0x1c

static volatile uint32_t *rtc_register(const struct goldfish_rtc *rtc, uint32_t offset)
{
    return (volatile uint32_t *)(rtc->base + offset);
}

bool goldfish_rtc_find(struct goldfish_rtc *rtc)
{
    struct fdt_node node;
    uint64_t size;

    return fdt_find_compatible(&platform.fdt, "google,goldfish-rtc", &node) &&
           fdt_reg(&platform.fdt, &node, &rtc->base, &size) &&
           fdt_cell(&platform.fdt, &node, "interrupts", 0, &rtc->source);
}

uint64_t goldfish_rtc_now(const struct goldfish_rtc *rtc)
{
    uint64_t low = *rtc_register(rtc, TIME_LOW);

    return (uint64_t)*rtc_register(rtc, TIME_HIGH) << 32 | low;
}

void goldfish_rtc_set_alarm(const struct goldfish_rtc *rtc, uint64_t nanoseconds)
{
    *rtc_register(rtc, INTERRUPT_ENABLE) = 1;
    *rtc_register(rtc, ALARM_HIGH) = (uint32_t)(nanoseconds >> 32);
    *rtc_register(rtc, ALARM_LOW) = (uint32_t)nanoseconds;
}

void goldfish_rtc_acknowledge(const struct goldfish_rtc *rtc)
{
    *rtc_register(rtc, CLEAR_INTERRUPT) = 1;
}
