/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/next_stage/next_stage.h"

#include "arch/memory.h"
#include "core/feature.h"

/* The address may be anything: it is looked at only where a bundle says what is there. */
static const struct fw_dynamic_info *info_of(const struct handover *handover)
{
    return (const struct fw_dynamic_info *)handover->argument;
}

struct check_result next_stage_check(const struct handover *handover, const struct bundle *bundle)
{
    const struct fw_dynamic_info *info = info_of(handover);
    const struct bundle_board *board = &bundle->board;
    uint64_t size = bundle->next_stage.size;

    if (size == 0) {
        return check_good();
    }
    REQUIRE(info != NULL && check_aligned((uint64_t)info, sizeof(uint64_t)) &&
                info->magic == FW_DYNAMIC_MAGIC,
            "next_stage: the previous boot stage hands over nothing in the form of fw_dynamic", -1);
    REQUIRE(info->version >= 1 && info->version <= FW_DYNAMIC_VERSION_MOST,
            "next_stage: handed over in another version of fw_dynamic", -1);
    REQUIRE(info->next_mode == FW_DYNAMIC_S_MODE, "next_stage: it is not for S-mode", -1);
    REQUIRE(check_aligned(info->next_addr, 8) &&
                check_contains(board->ram_base, board->ram_size, info->next_addr, size),
            "next_stage: misaligned or outside of the board's RAM", -1);
    REQUIRE(!check_overlaps(info->next_addr, size, handover->loaded_at, handover->loaded_size),
            "next_stage: overlaps the place where the bundle was loaded", -1);
    REQUIRE(!check_overlaps(info->next_addr, size, board->monitor_base, board->monitor_size),
            "next_stage: overlaps the monitor's place", -1);
    return check_good();
}

void next_stage_fetch(const struct handover *handover, struct bundle *copy)
{
    const struct bundle_next_stage *place = &copy->next_stage;

    if (place->size != 0) {
        physical_copy((uint64_t)copy + place->store_offset,
                      (const void *)info_of(handover)->next_addr, place->size);
    }
}

void next_stage_clear(const struct handover *handover, const struct bundle *copy)
{
    if (copy->next_stage.size != 0) {
        physical_clear(info_of(handover)->next_addr, copy->next_stage.size);
    }
}

static const struct handover_user next_stage TABLE_ENTRY(handover_users) = {
    next_stage_check,
    next_stage_fetch,
    next_stage_clear,
};

FEATURE(next_stage);
