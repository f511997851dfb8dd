/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The monitor moves itself to where the configuration puts it. Runs once, on the boot hart, from
 * the place where the bundle was loaded. There the bundle lies where the image's bss would be, so
 * that nothing called from here may use variables that are not in .data.
 */
#include <stdbool.h>
#include <stdint.h>

#include "abi/bundle.h"
#include "arch/memory.h"
#include "boot/check.h"
#include "boot/early_console.h"
#include "core/handover.h"

/* ELF64 relocation entry (System V ABI); the only type is R_RISCV_RELATIVE. */
struct relocation {
    uint64_t offset;
    uint64_t info;
    uint64_t addend;
};

#define R_RISCV_RELATIVE 3

extern const struct relocation relocations_start[];
extern const struct relocation relocations_end[];

/* Called by boot/start.S. */
uint64_t boot_relocate(const struct monitor_header *image, const struct bundle *bundle,
                       uint64_t argument);

static void apply_relocations(uint64_t image)
{
    for (const struct relocation *entry = relocations_start; entry < relocations_end; entry++) {
        if ((uint32_t)entry->info == R_RISCV_RELATIVE) {
            *(uint64_t *)(image + entry->offset) = image + entry->addend;
        }
    }
}

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

/*
 * Copies image and bundle and returns the address of the copy. `argument` is what the previous boot
 * stage left in a2. For a bundle that cannot be trusted it says why and does not return.
 */
uint64_t boot_relocate(const struct monitor_header *image, const struct bundle *bundle,
                       uint64_t argument)
{
    const struct handover handover = {argument, (uint64_t)image,
                                      image->image_size + bundle->total_size};
    uint64_t destination;
    struct check_result result;

    apply_relocations((uint64_t)image); /* for what runs before the copy does */
    early_console_init(image);
    result = check_bundle(bundle, image->memory_size);
    destination = bundle->board.monitor_base;
    if (result.problem == NULL && overlap(handover.loaded_at, handover.loaded_size, destination,
                                          bundle->board.monitor_size)) {
        result.problem = "board.monitor_base: overlaps the place where the bundle was loaded";
        result.index = -1;
    }
    FOR_EACH_IN_TABLE(handover_users, user)
    {
        result = result.problem == NULL ? user->check(&handover, bundle) : result;
    }
    if (result.problem != NULL) {
        early_console_refuse(&result);
    }
    physical_copy(destination, image, image->image_size);
    physical_clear(destination + image->image_size, image->memory_size - image->image_size);
    physical_copy(destination + image->memory_size, bundle, bundle->total_size);
    FOR_EACH_IN_TABLE(handover_users, user)
    {
        user->fetch(&handover, (struct bundle *)(destination + image->memory_size));
    }
    apply_relocations(destination);
    return destination;
}
