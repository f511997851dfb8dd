/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The monitor moves itself to where the configuration puts it. Runs once, on the boot hart, from
 * the place where the bundle was loaded. There the bundle lies where the image's bss would be, so
 * that nothing called from here may use variables that are not in .data.
 *
 * A loader that puts each thing where it is to be needs an image that says so: one with its bss in
 * the file. It stays where it is, and the tenants' images are in place too (abi/bundle.h).
 */
#include <stdbool.h>
#include <stdint.h>

#include "abi/bundle.h"
#include "arch/memory.h"
#include "boot/check.h"
#include "boot/early_console.h"
#include "core/handover.h"

/* A bit for each dword from data_start on: 1 if it is an address in the image (boot/monitor.ld). */
extern uint64_t data_start[];
extern const uint64_t address_bits[];

/* Called by boot/start.S. */
uint64_t boot_relocate(const struct monitor_header *image, const struct bundle *bundle,
                       uint64_t argument, uint64_t tree);

/* `data` is data_start of this image, or of its copy. */
static void add_to_addresses(uint64_t *data, uint64_t distance)
{
    uint64_t count = (uint64_t)(address_bits - data_start);

    for (uint64_t i = 0; i < count; i++) {
        if ((address_bits[i / 64] >> i % 64 & 1) != 0) {
            data[i] += distance;
        }
    }
}

/*
 * Copies image and bundle, unless they are in place, and returns where they are to stay. `argument`
 * and `tree` are what the previous boot stage left in a2 and a1. For a bundle that cannot be
 * trusted it says why and does not return.
 */
uint64_t boot_relocate(const struct monitor_header *image, const struct bundle *bundle,
                       uint64_t argument, uint64_t tree)
{
    const struct handover handover = {argument, tree, (uint64_t)image,
                                      image->image_size + bundle->total_size};
    uint64_t destination;
    struct check_result result;
    bool in_place;

    add_to_addresses(data_start, (uint64_t)image); /* for what runs before the copy does */
    early_console_init(image);
    result = check_bundle(bundle, image->memory_size);
    destination = bundle->board.monitor_base;
    in_place = image->image_size == image->memory_size && destination == (uint64_t)image;
    if (result.problem == NULL && !in_place &&
        check_overlaps(handover.loaded_at, handover.loaded_size, destination,
                       bundle->board.monitor_size)) {
        result.problem = "board.monitor_base: overlaps where the bundle was loaded";
        result.index = -1;
    }
    FOR_EACH_IN_TABLE(handover_users, user)
    {
        result = result.problem == NULL ? user->check(&handover, bundle) : result;
    }
    if (result.problem != NULL) {
        early_console_refuse(&result);
    }
    if (!in_place) {
        physical_copy(destination, image, image->image_size);
        physical_clear(destination + image->image_size, image->memory_size - image->image_size);
        physical_copy(destination + image->memory_size, bundle, bundle->total_size);
        add_to_addresses((uint64_t *)((uint64_t)data_start + destination - (uint64_t)image),
                         destination - (uint64_t)image);
    }
    FOR_EACH_IN_TABLE(handover_users, user)
    {
        user->fetch(&handover, (struct bundle *)(destination + image->memory_size));
    }
    return destination;
}
