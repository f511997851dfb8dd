/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A good bundle with some of its fields changed, by a value that is close to others of the bundle
 * more often than not. The check may say what it likes, but what it accepts must be safe by the
 * second opinion of bundle_safety.c.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/check.h"
#include "bundle_maker.h"
#include "bundle_safety.h"
#include "core/crc32.h"
#include "fuzz.h"

#define MOST_CHANGES 6

/* In the place of core/crc32.c: every checksum is right, so that all bytes reach the checks. */
uint32_t crc32_update(uint32_t crc, const void *data, size_t size)
{
    (void)data;
    (void)size;
    return crc;
}

/* A place of one of the fields that mean something: most of the structure is unused. */
static size_t choose_offset(const struct bundle *bundle, struct fuzz_input *input)
{
    size_t used[][2] = {
        {offsetof(struct bundle, total_size), offsetof(struct bundle, board)},
        {offsetof(struct bundle, board), sizeof(bundle->board)},
        {offsetof(struct bundle, tenants), 3 * sizeof(bundle->tenants[0])},
        {offsetof(struct bundle, vharts), 3 * sizeof(bundle->vharts[0])},
        {offsetof(struct bundle, vharts), 3 * sizeof(bundle->vharts[0])},
        {offsetof(struct bundle, devices), 2 * sizeof(bundle->devices[0])},
        {offsetof(struct bundle, channel_count), 8 + sizeof(bundle->channels[0])},
        {0, sizeof(*bundle) - 8},
    };
    const size_t *range = used[fuzz_byte(input) % (sizeof(used) / sizeof(used[0]))];

    return range[0] + fuzz_word(input) % range[1];
}

static uint64_t load(const struct bundle *bundle, size_t offset, size_t size)
{
    uint64_t value = 0;

    memcpy(&value, (const uint8_t *)bundle + offset, size);
    return value;
}

static uint64_t choose_value(const struct bundle *bundle, struct fuzz_input *input, uint64_t old,
                             size_t size)
{
    static const uint64_t steps[] = {1, 4, 8, 0x1000, 0x400, 0x100000, 0x40000};
    uint64_t step = steps[fuzz_byte(input) % (sizeof(steps) / sizeof(steps[0]))];

    switch (fuzz_byte(input) % 10) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return UINT64_MAX >> (1 + fuzz_byte(input) % 63);
    case 3:
        return (uint64_t)fuzz_word(input) << 32 | fuzz_word(input);
    case 4:
        return fuzz_byte(input);
    case 5:
        return old ^ 1ul << fuzz_byte(input) % 64;
    case 6:
        return old + step;
    case 7:
        return old - step;
    case 8:
        return load(bundle, choose_offset(bundle, input) & ~(size - 1), size) >>
               (fuzz_byte(input) % 2 * 2);
    default:
        return load(bundle, choose_offset(bundle, input) & ~(size - 1), size) + step;
    }
}

static void change(struct bundle *bundle, struct fuzz_input *input)
{
    static const size_t sizes[] = {1, 2, 4, 4, 8, 8, 8, 8};
    size_t size = sizes[fuzz_byte(input) % 8];
    size_t offset = choose_offset(bundle, input) & ~(size - 1);
    uint64_t value = choose_value(bundle, input, load(bundle, offset, size), size);

    if (offset <= sizeof(*bundle) - size) {
        memcpy((uint8_t *)bundle + offset, &value, size);
    }
}

static void judge(struct bundle *bundle)
{
    const char *danger;

    bundle->crc32 = 0;
    if (check_bundle(bundle, MADE_MONITOR_SIZE).problem != NULL) {
        return;
    }
    danger = bundle_danger(bundle, MADE_MONITOR_SIZE);
    if (danger != NULL) {
        fprintf(stderr, "accepted, but: %s\n", danger);
        abort();
    }
}

int fuzz_check(const uint8_t *data, size_t size)
{
    static struct bundle good[3]; /* without and with PMP entries that overlap; with a window */
    struct fuzz_input input = {data, size};
    struct bundle *bundle = malloc(sizeof(*bundle)); /* so that reads beyond it are seen */

    assert(bundle != NULL);
    if (good[0].magic == 0) {
        bundle_make(&good[0]);
        bundle_make(&good[1]);
        bundle_overlap(&good[1]);
        bundle_make(&good[2]);
        bundle_share(&good[2]);
    }
    while (input.size > 0) {
        *bundle = good[fuzz_byte(&input) % 3];
        for (unsigned i = fuzz_byte(&input) % MOST_CHANGES + 1; i > 0; i--) {
            change(bundle, &input);
        }
        judge(bundle);
    }
    free(bundle);
    return 0;
}
