/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters INSTRUCTIONS: lets perf count the instructions and the SBI set_timer calls of a loop
 * that takes so many instructions, and prints both. What is too many is for the reader to judge.
 */
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common.h"

/* drivers/perf/riscv_pmu_sbi.c: firmware events are raw ones with the top bit. */
#define FIRMWARE_SET_TIMER (1ULL << 63 | 5)

static int count(uint32_t type, uint64_t config)
{
    struct perf_event_attr attributes = {
        .type = type,
        .size = sizeof(attributes),
        .config = config,
        .disabled = 1,
    };
    long file = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);

    if (file < 0)
        give_up("perf_event_open");
    return (int)file;
}

static void tell(int file, unsigned long request)
{
    if (ioctl(file, request, 0) != 0)
        give_up("ioctl");
}

static uint64_t counted(int file)
{
    uint64_t value;

    if (read(file, &value, sizeof(value)) != sizeof(value))
        give_up("read");
    return value;
}

int main(int argc, char **argv)
{
    int instructions = count(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
    int timers = count(PERF_TYPE_RAW, FIRMWARE_SET_TIMER);
    unsigned long rounds;

    if (argc != 2) {
        fprintf(stderr, "usage: counters INSTRUCTIONS\n");
        return 2;
    }
    rounds = parse_number(argv[1]) / 2;
    tell(instructions, PERF_EVENT_IOC_ENABLE);
    tell(timers, PERF_EVENT_IOC_ENABLE);
    __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(rounds));
    tell(timers, PERF_EVENT_IOC_DISABLE);
    tell(instructions, PERF_EVENT_IOC_DISABLE);
    printf("counters: instructions=%llu set_timer=%llu\n",
           (unsigned long long)counted(instructions), (unsigned long long)counted(timers));
    return 0;
}
