/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/loader.h"

#include "arch/memory.h"

bool images_are_placed;

void loader_begin(struct loader *loader, bool wipe, bool copy)
{
    loader->phase = wipe ? LOADER_WIPE : copy ? LOADER_COPY : LOADER_DONE;
    loader->copies = copy;
    loader->placed = images_are_placed && !wipe;
    loader->item = 0;
    loader->offset = 0;
}

static uint64_t step_size(uint64_t left)
{
    return left < LOADER_STEP_BYTES ? left : LOADER_STEP_BYTES;
}

/* `size` bytes more are done of the item, which ends at `end`. Returns whether all `items` are
 * done. */
static __attribute__((noinline)) bool advance(struct loader *loader, uint64_t size, uint64_t end,
                                              uint32_t items)
{
    loader->offset += size;
    if (loader->offset == end) {
        loader->item++;
        loader->offset = 0;
    }
    return loader->item == items;
}

static void wipe_step(struct loader *loader, const struct bundle_tenant *description)
{
    const struct bundle_range *range = &description->memory[loader->item];
    uint64_t size = step_size(range->size - loader->offset);

    physical_clear(range->base + loader->offset, size);
    if (advance(loader, size, range->size, COTENANT_MAX_MEMORY_RANGES)) {
        loader->phase = loader->copies ? LOADER_COPY : LOADER_DONE;
        loader->item = 0;
    }
}

static void copy_step(struct loader *loader, const struct bundle_tenant *description,
                      const uint8_t *store)
{
    const struct bundle_part *part = &description->parts[loader->item];
    uint64_t destination = part->destination + loader->offset;
    uint64_t size = part->file_size - loader->offset;

    if (loader->offset >= part->file_size) {
        size = step_size(part->memory_size - loader->offset);
        physical_clear(destination, size);
    } else if (!loader->placed) {
        size = step_size(size);
        physical_copy(destination, store + part->store_offset + loader->offset, size);
    }
    if (advance(loader, size, part->memory_size, COTENANT_MAX_IMAGE_PARTS)) {
        loader->phase = LOADER_DONE;
    }
}

bool loader_step(struct loader *loader, const struct bundle_tenant *description,
                 const uint8_t *store)
{
    if (loader->phase == LOADER_WIPE) {
        wipe_step(loader, description);
    } else if (loader->phase == LOADER_COPY) {
        copy_step(loader, description, store);
    }
    return loader->phase == LOADER_DONE;
}
