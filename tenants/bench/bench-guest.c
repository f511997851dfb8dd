/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guest of bench-host: what an access to a device costs that the host serves, from the access
 * to the instruction behind it, and in it what the host itself takes; and what an interrupt of the
 * host takes from the guest (gap_hosting).
 *
 *   device_read      all of it       device_served   the host's own instructions, which are its
 *   device_write                                     program's: the rest is the monitor's
 */
#include "bench/samples.h"
#include "bench/stamps.h"
#include "bench/sv57.h"
#include "rt/console.h"
#include "rt/csr.h"
#include "rt/platform.h"

static uint64_t overhead;
static uint64_t served;

static volatile uint8_t *device(uint64_t offset)
{
    return (volatile uint8_t *)(platform.uart_base + offset);
}

static uint64_t measure_read(void)
{
    uint64_t start;
    uint64_t end;
    uint32_t value;

    __asm__ volatile("csrr %[start], cycle\n"
                     "lw %[value], 0(%[address])\n"
                     "csrr %[end], cycle\n"
                     : [start] "=&r"(start), [end] "=&r"(end), [value] "=&r"(value)
                     : [address] "r"(device(STAMPS_SERVED))
                     : "memory");
    served = value;
    return end - start - overhead;
}

static uint64_t read_served(void)
{
    measure_read();
    return served;
}

/* The part that is not the host's program's. */
static uint64_t measure_lend_and_return(void)
{
    uint64_t all = measure_read();

    return all - served;
}

static uint64_t measure_write(void)
{
    uint64_t start;
    uint64_t end;

    __asm__ volatile("csrr %[start], cycle\n"
                     "sw zero, 0(%[address])\n"
                     "csrr %[end], cycle\n"
                     : [start] "=&r"(start), [end] "=&r"(end)
                     : [address] "r"(device(STAMPS_SERVED))
                     : "memory");
    return end - start - overhead;
}

static uint64_t measure_read_byte(void)
{
    uint64_t start;
    uint64_t end;
    uint64_t value;

    __asm__ volatile("csrr %[start], cycle\n"
                     "lbu %[value], 5(%[address])\n"
                     "csrr %[end], cycle\n"
                     : [start] "=&r"(start), [end] "=&r"(end), [value] "=&r"(value)
                     : [address] "r"(device(0))
                     : "memory");
    return end - start - overhead;
}

static void take_interrupts(void)
{
    static volatile uint64_t place;
    static struct stamps gaps;

    *(volatile uint64_t *)device(STAMPS_BEGIN) = (uintptr_t)&place;
    stamps_compute(&place, &gaps);
    (void)*(volatile uint64_t *)device(STAMPS_END);
    print("bench: gap_hosting %lu\n", stamps_median(&gaps));
}

void main(void)
{
    const uint64_t uart[1] = {platform.uart_base};

    overhead = bench_overhead();
    take_interrupts();
    bench_sample("device_read", measure_read);
    bench_sample("device_served", read_served);
    bench_sample("lend_and_return", measure_lend_and_return);
    bench_sample("device_write", measure_write);
    bench_sample("device_read_byte", measure_read_byte);
    sv57_enable(uart, 1);
    bench_sample("lend_and_return_sv57", measure_lend_and_return);
    bench_finish();
}
