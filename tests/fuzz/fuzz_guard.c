/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tenant that does anything to the registers of its guarded devices and to its rings, in any
 * order and in the middle of everything; its device reads its queues whenever it likes. What the
 * device is told of that is not the tenant's memory ends the program: see guard_bench.h.
 */
#include <string.h>

#include "arch/csr.h"
#include "fuzz.h"
#include "guard_bench.h"

#define VERSION_1 (1ul << 32)

static uint8_t *bytes_at(uint64_t address)
{
    return (uint8_t *)(uintptr_t)address;
}

/* An address that a device may be given, or may not. */
static uint64_t any_address(struct fuzz_input *input)
{
    uint64_t page = bench_page(fuzz_byte(input) % BENCH_PAGES + (fuzz_byte(input) % 2) * 100);

    switch (fuzz_byte(input) % 8) {
    case 0:
        return bench_page(BENCH_PAGES) - fuzz_byte(input);
    case 1:
        return bench_page(100) - 1 + fuzz_byte(input) % 3;
    case 2:
        return (uintptr_t)&guards[0];
    case 3:
        return UINT64_MAX - fuzz_byte(input);
    default:
        return page + 16u * fuzz_byte(input);
    }
}

static uint32_t any_length(struct fuzz_input *input)
{
    uint8_t choice = fuzz_byte(input);

    return choice % 16 == 0 ? fuzz_word(input) : choice % 16 < 4 ? choice * 256u : choice;
}

static void scribble(struct fuzz_input *input)
{
    struct bench_rings *rings = bench_rings(fuzz_byte(input) % GUARD_MOST_QUEUES);
    uint8_t index = fuzz_byte(input);

    switch (fuzz_byte(input) % 4) {
    case 0:
        rings->available.ring[index % BENCH_QUEUE_SIZE] = fuzz_byte(input) % 18;
        break;
    case 1:
        rings->available.index = (uint16_t)(rings->available.index + (int8_t)fuzz_byte(input) / 16);
        break;
    case 2:
        rings->used.flags = fuzz_byte(input) % 2;
        break;
    default:
        bytes_at((uintptr_t)rings)[index * 2u] = fuzz_byte(input);
        break;
    }
}

static void store(struct fuzz_input *input)
{
    static const uint16_t registers[] = {0x14, 0x20, 0x24, 0x30, 0x38, 0x44, 0x50, 0x64,
                                         0x70, 0x80, 0x84, 0x90, 0x94, 0xa0, 0xa4, 0x100};
    uint32_t offset = registers[fuzz_byte(input) % 16];
    uint8_t choice = fuzz_byte(input);
    uint32_t value = choice % 8 == 0 ? fuzz_word(input) : choice / 8;

    if (choice % 16 == 1) {
        offset = fuzz_word(input) % 0x1000 & ~3u;
    } else if (choice % 16 == 2 && offset >= 0x80 && offset < 0xb0) {
        uint64_t address = any_address(input);

        value = offset % 8 == 0 ? (uint32_t)address : (uint32_t)(address >> 32);
    }
    (void)bench_store_once(offset, value);
    (void)bench_load(offset);
}

static void access(struct fuzz_input *input)
{
    uint32_t offset = fuzz_word(input) % 0x1000;
    uint64_t value = fuzz_word(input);

    (void)guard_access(&bench_vhart, BENCH_BASE + offset, 1u << fuzz_byte(input) % 4,
                       fuzz_byte(input) % 2, &value);
}

static void operate(struct fuzz_input *input)
{
    uint32_t queue = fuzz_byte(input) % guards[0].type->queues;
    uint8_t choice = fuzz_byte(input);

    csr_file_write("mip", choice >> 7 != 0 ? INTERRUPT_MTI : 0);
    switch (choice % 16) {
    case 0:
        bench_give_back();
        break;
    case 1:
        (void)bench_start(VERSION_1);
        break;
    case 2:
        store(input);
        break;
    case 3:
        access(input);
        break;
    case 4:
    case 5:
        scribble(input);
        break;
    case 6:
    case 7:
    case 8:
        (void)bench_take(queue, NULL, 0);
        break;
    case 9:
    case 10:
        bench_offer(queue, fuzz_byte(input) % BENCH_QUEUE_SIZE);
        (void)bench_store_once(BENCH_NOTIFY, queue);
        break;
    default: {
        uint64_t address = any_address(input);

        bench_describe(queue, fuzz_byte(input) % BENCH_QUEUE_SIZE, address, any_length(input),
                       fuzz_byte(input) % 64 == 0 ? 4 : fuzz_byte(input) % 4,
                       fuzz_byte(input) % BENCH_QUEUE_SIZE);
        break;
    }
    }
}

int fuzz_guard(const uint8_t *data, size_t size)
{
    static const uint32_t ids[] = {1, 2, 3, 4};
    struct fuzz_input input = {data, size};

    bench_make(ids[fuzz_byte(&input) % 4]);
    (void)bench_start(VERSION_1);
    while (input.size > 0) {
        operate(&input);
        bench_check();
    }
    return 0;
}
