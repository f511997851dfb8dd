/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tenant's image that is not in the bundle: the previous boot stage (a board's SPL, or QEMU with
 * -kernel) put it into memory and tells where, in the structure that OpenSBI's fw_dynamic firmware
 * takes. So the bundle can stand in place of that firmware: SPL loads the bundle and, for example,
 * U-Boot, and enters the bundle; U-Boot becomes the image of the tenant that asks for it.
 *
 * The image is kept in the store like all others, so that the tenant can be started again. For
 * boot, on the boot hart.
 */
#ifndef COTENANT_FEATURES_NEXT_STAGE_NEXT_STAGE_H
#define COTENANT_FEATURES_NEXT_STAGE_NEXT_STAGE_H

#include <stdint.h>

#include "core/handover.h"

/* "OSBI": struct fw_dynamic_info.magic */
#define FW_DYNAMIC_MAGIC 0x4942534f
#define FW_DYNAMIC_VERSION_MOST 2
/* struct fw_dynamic_info.next_mode: as in mstatus.MPP */
#define FW_DYNAMIC_S_MODE 1

/* What register a2 points to at the entry (OpenSBI, docs/firmware/fw_dynamic.md). */
struct fw_dynamic_info {
    uint64_t magic;
    uint64_t version;
    uint64_t next_addr; /* where the next stage is, and is to be entered */
    uint64_t next_mode;
    uint64_t options;   /* not looked at: for OpenSBI's own boot */
    uint64_t boot_hart; /* version 2; not looked at: the bundle names the boot hart */
};

/* The functions of struct handover_user. */
struct check_result next_stage_check(const struct handover *handover, const struct bundle *bundle);
void next_stage_fetch(const struct handover *handover, struct bundle *copy);
void next_stage_clear(const struct handover *handover, const struct bundle *copy);

#endif
