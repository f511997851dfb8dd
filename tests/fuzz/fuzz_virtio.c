/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One tenant whose drivers do anything, to registers and in their own memory, beside two that keep
 * to the rules: these go on working, and nothing of their memory changes but what they gave away.
 * What leaves a tenant's memory ends the program, because nothing else can be touched there.
 */
#include <assert.h>
#include <string.h>

#include "arch/csr.h"
#include "features/virtio_console/virtio_console.h"
#include "fuzz.h"
#include "virtio_bench.h"

#define NEEDS_RESET 0x40
/* A page of an honest driver that it never gives to its device. */
#define UNTOUCHED 15
/* Bytes of a buffer of an honest driver; what is behind it in its page is not the device's. */
#define LENGTH 600

static bool is_hostile(const struct bench_driver *driver)
{
    return driver == &bench_drivers[0] || driver == &bench_drivers[BENCH_NET] ||
           driver == &bench_drivers[BENCH_SOCKET];
}

static uint8_t *bytes_at(uint64_t address)
{
    return (uint8_t *)(uintptr_t)address;
}

static void start(struct bench_driver *driver)
{
    if (driver < &bench_drivers[BENCH_NET]) {
        bench_open(driver);
    } else {
        bench_start(driver);
    }
}

static void check(void)
{
    for (unsigned i = 0; i < BENCH_DRIVERS; i++) {
        const struct bench_driver *driver = &bench_drivers[i];
        const uint8_t *page = bytes_at(driver->memory + UNTOUCHED * BENCH_PAGE);

        if (is_hostile(driver)) {
            continue;
        }
        assert((virtio_read(driver->device, BENCH_STATUS, 4) & NEEDS_RESET) == 0);
        for (unsigned byte = 0; byte < BENCH_PAGE; byte++) {
            assert(page[byte] == 0);
        }
        for (unsigned byte = LENGTH; byte < BENCH_PAGE; byte++) {
            assert(bytes_at(bench_buffer(driver, 0))[byte] == 0);
        }
    }
}

/* An honest driver gives a buffer, sends, or takes what came. */
static void work(struct bench_driver *driver, struct fuzz_input *input)
{
    uint32_t queue = fuzz_byte(input) % 2 == 0 ? BENCH_RECEIVE : BENCH_TRANSMIT;
    long length;

    do {
        length = bench_take(driver, queue);
        assert(length <= LENGTH);
    } while (length >= 0);
    if ((uint16_t)(driver->added[queue] - driver->taken[queue]) < BENCH_QUEUE_SIZE) {
        bench_add(driver, queue, bench_buffer(driver, 0), LENGTH, queue == BENCH_RECEIVE);
    }
    (void)bench_notify_once(driver, queue);
}

/* The hostile tenant writes somewhere into its memory, mostly where rings are. */
static void scribble(const struct bench_driver *driver, struct fuzz_input *input)
{
    static const uint32_t places[] = {
        0, 8, 12, 14, BENCH_AVAILABLE, BENCH_AVAILABLE + 2, BENCH_AVAILABLE + 4, BENCH_USED};
    uint64_t page = driver->memory + (uint64_t)(fuzz_byte(input) % BENCH_QUEUES) * BENCH_PAGE;
    uint32_t place = places[fuzz_byte(input) % 8] + 16u * (fuzz_byte(input) % 8);
    uint64_t values[] = {
        fuzz_byte(input),
        fuzz_word(input),
        driver->memory + fuzz_word(input) % (BENCH_DRIVER_PAGES * BENCH_PAGE),
        bench_drivers[1].memory,
        UINT64_MAX,
        driver->memory + BENCH_PAGES * BENCH_PAGE - fuzz_byte(input),
        1,
        0,
    };

    memcpy(bytes_at(page + place), &values[fuzz_byte(input) % 8], 1u << fuzz_byte(input) % 4);
}

static void store(const struct bench_driver *driver, struct fuzz_input *input)
{
    static const uint16_t registers[] = {0x14, 0x20, 0x24, 0x30, 0x38, 0x44, 0x50,  0x64,
                                         0x70, 0x80, 0x84, 0x90, 0xa0, 0xa4, 0x100, 0x108};
    uint32_t offset = registers[fuzz_byte(input) % 16];
    uint8_t choice = fuzz_byte(input);
    uint32_t value = choice % 4 == 0 ? fuzz_word(input) : choice / 4;

    if (choice % 16 == 1) {
        offset = fuzz_word(input) % 0x1000;
    }
    (void)virtio_write(driver->device, offset, choice % 32 == 2 ? 1 : 4, value);
    (void)virtio_read(driver->device, offset, 4);
}

static void operate(struct fuzz_input *input)
{
    static const unsigned theirs[] = {0, 0, BENCH_NET, BENCH_SOCKET};
    struct bench_driver *hostile = &bench_drivers[theirs[fuzz_byte(input) % 4]];
    struct bench_driver *honest = &bench_drivers[1 + fuzz_byte(input) % (BENCH_DRIVERS - 1)];
    uint8_t choice = fuzz_byte(input);

    csr_file_write("mip", choice >> 7 != 0 ? INTERRUPT_MTI : 0);
    switch (choice % 16) {
    case 0:
        bench_stop_tenant(&tenants[0]);
        break;
    case 1:
        virtio_write(hostile->device, BENCH_STATUS, 4, 0);
        csr_file_write("mip", 0);
        start(hostile);
        break;
    case 2:
    case 3:
        store(hostile, input);
        break;
    case 4:
    case 5:
    case 6:
        scribble(hostile, input);
        break;
    case 7:
    case 8:
        bench_add(hostile, fuzz_byte(input) % BENCH_QUEUES, bench_buffer(hostile, 1),
                  fuzz_word(input) % 4096, fuzz_byte(input) % 2 == 0);
        break;
    case 9:
    case 10:
    case 11:
        (void)bench_notify_once(hostile, fuzz_byte(input) % (BENCH_QUEUES + 1));
        virtio_console_ring(&tenants[0], fuzz_byte(input) % (COTENANT_MAX_PORTS + 1));
        break;
    default:
        if (!is_hostile(honest)) {
            work(honest, input);
        }
        break;
    }
}

int fuzz_virtio(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};

    bench_reset();
    for (unsigned i = 0; i < BENCH_DRIVERS; i++) {
        start(&bench_drivers[i]);
    }
    while (input.size > 0) {
        operate(&input);
    }
    check();
    return 0;
}
