/* SPDX-License-Identifier: BSD-2-Clause */
/* Loading in pieces, into memory where a physical address is the address of the byte. */
#include <stdlib.h>
#include <string.h>

#include "arch/memory.h"
#include "cmocka_tests.h"
#include "core/loader.h"
#include "random.h"

#define MEMORY_SIZE 0x4000
#define STORE_SIZE 0x4000
#define DIRT 0xdd

static uint8_t memory[MEMORY_SIZE];
static uint8_t expected[MEMORY_SIZE];
static uint8_t store[STORE_SIZE];
static struct bundle_tenant description;
/* Bytes that the current step has moved. */
static size_t moved;

/* In the place of arch/memory.c. */

static void note(uint64_t destination, size_t size)
{
    uint64_t offset = destination - (uint64_t)(uintptr_t)memory;

    moved += size;
    assert_true(offset < MEMORY_SIZE && size <= MEMORY_SIZE - offset);
}

void physical_copy(uint64_t destination, const void *source, size_t size)
{
    if (size != 0) {
        note(destination, size);
        memcpy((void *)(uintptr_t)destination, source, size);
    }
}

void physical_clear(uint64_t destination, size_t size)
{
    if (size != 0) {
        note(destination, size);
        memset((void *)(uintptr_t)destination, 0, size);
    }
}

static uint64_t at(uint64_t offset)
{
    return (uint64_t)(uintptr_t)memory + offset;
}

static int set_up(void **state)
{
    struct random random = {.state = 0x6c6f6164};

    (void)state;
    for (size_t i = 0; i < STORE_SIZE; i++) {
        store[i] = (uint8_t)random_next(&random);
    }
    memset(memory, DIRT, sizeof(memory));
    memset(expected, DIRT, sizeof(expected));
    memset(&description, 0, sizeof(description));
    return 0;
}

/* Runs until all is in place and returns the steps that it took. */
static unsigned load(bool wipe)
{
    struct loader loader = {0};
    unsigned steps = 0;
    bool done;

    assert_false(loader_step(&loader, &description, store)); /* nothing has begun */
    loader_begin(&loader, wipe, true);
    do {
        moved = 0;
        done = loader_step(&loader, &description, store);
        assert_true(moved <= LOADER_STEP_BYTES);
        assert_true(++steps < 1000);
    } while (!done);
    moved = 0;
    assert_true(loader_step(&loader, &description, store)); /* it stays done */
    assert_int_equal(moved, 0);
    assert_memory_equal(memory, expected, MEMORY_SIZE);
    return steps;
}

static void set_part(unsigned number, uint64_t store_offset, uint64_t destination,
                     uint64_t file_size, uint64_t memory_size)
{
    description.parts[number] =
        (struct bundle_part){store_offset, at(destination), file_size, memory_size};
    memcpy(expected + destination, store + store_offset, file_size);
    memset(expected + destination + file_size, 0, memory_size - file_size);
}

static void test_nothing_to_load(void **state)
{
    (void)state;
    load(false);
    load(true);
}

static void test_parts(void **state)
{
    (void)state;
    set_part(0, 0x1000, 0, 1, 1);
    set_part(1, 0x2000, 0x200, LOADER_STEP_BYTES, LOADER_STEP_BYTES);
    set_part(3, 0, 0x800, LOADER_STEP_BYTES + 1, 3 * LOADER_STEP_BYTES + 5);
    set_part(7, 0x3000, 0x2000, 0, 0x700); /* zeros only */
    set_part(11, 0x3ff8, 0x3ff8, 8, 8);
    load(false);
}

static void test_wipe_comes_first(void **state)
{
    (void)state;
    description.memory[1] = (struct bundle_range){at(0x1000), 0x1000};
    description.memory[3] = (struct bundle_range){at(0x3000), 0x800};
    memset(expected + 0x1000, 0, 0x1000);
    memset(expected + 0x3000, 0, 0x800);
    set_part(0, 0, 0x1100, 0x300, 0x400);
    set_part(1, 0x800, 0x3700, 0x100, 0x100);
    load(true);
}

static void test_first_start_writes_only_images(void **state)
{
    (void)state;
    description.memory[0] = (struct bundle_range){at(0), MEMORY_SIZE};
    set_part(0, 0, 0x1100, 0x300, 0x400);
    load(false);
}

/* The images are there already: what follows them is cleared, and a restart copies them. */
static void test_placed_images(void **state)
{
    (void)state;
    images_are_placed = true;
    description.memory[0] = (struct bundle_range){at(0), MEMORY_SIZE};
    set_part(0, 0, 0x1100, 0x300, 0x400);
    set_part(1, 0x800, 0x2000, 2 * LOADER_STEP_BYTES + 1, 2 * LOADER_STEP_BYTES + 1);
    memset(expected + 0x1100, DIRT, 0x300);
    memset(expected + 0x2000, DIRT, 2 * LOADER_STEP_BYTES + 1);
    load(false);
    memset(expected, 0, MEMORY_SIZE);
    set_part(0, 0, 0x1100, 0x300, 0x400);
    set_part(1, 0x800, 0x2000, 2 * LOADER_STEP_BYTES + 1, 2 * LOADER_STEP_BYTES + 1);
    load(true);
    images_are_placed = false;
}

/* Loading takes a step for each unused item and for each piece of a used one, and no more. */
static void test_random_parts(void **state)
{
    struct random random = {.state = 0x70617274};

    for (int round = 0; round < 300; round++) {
        uint64_t destination = 0;
        unsigned bound = COTENANT_MAX_IMAGE_PARTS + COTENANT_MAX_MEMORY_RANGES;

        set_up(state);
        for (unsigned i = 0; i < COTENANT_MAX_IMAGE_PARTS; i++) {
            uint64_t size = random_below(&random, MEMORY_SIZE / COTENANT_MAX_IMAGE_PARTS);
            uint64_t file_size =
                random_below(&random, 3) == 0 ? size : random_below(&random, (uint32_t)size + 1);

            set_part(i, random_below(&random, STORE_SIZE - (uint32_t)size), destination, file_size,
                     size);
            destination += size;
            bound += (unsigned)(size / LOADER_STEP_BYTES) + 1;
        }
        assert_true(load(false) <= bound);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_nothing_to_load, set_up),
        cmocka_unit_test_setup(test_parts, set_up),
        cmocka_unit_test_setup(test_wipe_comes_first, set_up),
        cmocka_unit_test_setup(test_first_start_writes_only_images, set_up),
        cmocka_unit_test_setup(test_placed_images, set_up),
        cmocka_unit_test_setup(test_random_parts, set_up),
    };

    return cmocka_run_group_tests_name("loader", tests, NULL, NULL);
}
