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
#ifndef COTENANT_BOOT_NEXT_STAGE_H
#define COTENANT_BOOT_NEXT_STAGE_H

#include <stdint.h>

#include "abi/bundle.h"
#include "boot/check.h"

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

/*
 * Can the next stage be fetched? `info` is what the previous stage left in a2, perhaps not even an
 * address; `loaded_at` and `loaded_size` say where monitor and bundle lie now. Good without a look
 * at any of them if the bundle wants no next stage.
 */
struct check_result next_stage_check(const struct fw_dynamic_info *info,
                                     const struct bundle *bundle, uint64_t loaded_at,
                                     uint64_t loaded_size);

/* Fetches the next stage into the store that follows `copy`, the bundle where it is to stay. */
void next_stage_fetch(const struct fw_dynamic_info *info, struct bundle *copy);

/* Clears the next stage where it was, which is some tenant's memory, once no hart can be there. */
void next_stage_clear(const struct fw_dynamic_info *info, const struct bundle *copy);

#endif
