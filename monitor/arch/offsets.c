/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Offsets and sizes for assembly. Compiled to assembly text only; the build turns each marked line
 * into a #define of the generated header offsets.h.
 */
#include <stddef.h>

#include "abi/bundle.h"
#include "arch/world.h"
#include "core/hart.h"
#include "core/vhart.h"

#define DEFINE(name, value) __asm__ volatile("\n->" #name " %0" : : "i"(value))

void offsets(void);

void offsets(void)
{
    DEFINE(MONITOR_HEADER_IMAGE_SIZE, offsetof(struct monitor_header, image_size));
    DEFINE(WORLD_MSTATUS, offsetof(struct world, mstatus));
    DEFINE(WORLD_MIE, offsetof(struct world, mie));
    DEFINE(WORLD_MEDELEG, offsetof(struct world, medeleg));
    DEFINE(WORLD_STVEC, offsetof(struct world, stvec));
    DEFINE(WORLD_SSCRATCH, offsetof(struct world, sscratch));
    DEFINE(WORLD_SEPC, offsetof(struct world, sepc));
    DEFINE(WORLD_SCAUSE, offsetof(struct world, scause));
    DEFINE(WORLD_STVAL, offsetof(struct world, stval));
    DEFINE(WORLD_SATP, offsetof(struct world, satp));
    DEFINE(WORLD_SCOUNTEREN, offsetof(struct world, scounteren));
    DEFINE(WORLD_SENVCFG, offsetof(struct world, senvcfg));
    DEFINE(WORLD_PENDING, offsetof(struct world, pending));
    DEFINE(WORLD_DEADLINE, offsetof(struct world, deadline));
    DEFINE(WORLD_HART, offsetof(struct world, hart));
    DEFINE(WORLD_VHART_ID, offsetof(struct world, vhart_id));
    DEFINE(WORLD_INTERRUPTS, offsetof(struct world, interrupts));
    DEFINE(WORLD_PMP_CONFIG, offsetof(struct world, pmp_config));
    DEFINE(SIZEOF_WORLD, sizeof(struct world));
    DEFINE(VHART_PMP_ADDRESS, offsetof(struct vhart, rest.pmp_address));
    DEFINE(VHART_PLIC, offsetof(struct vhart, plic));
    DEFINE(VHART_INDEX, offsetof(struct vhart, index));
    DEFINE(SIZEOF_HART, sizeof(struct hart));
    DEFINE(HART_ID, offsetof(struct hart, id));
    DEFINE(HART_STACK_TOP, offsetof(struct hart, stack_top));
    DEFINE(HART_FEATURES, offsetof(struct hart, features));
    DEFINE(HART_EXCHANGES, offsetof(struct hart, exchanges));
    DEFINE(HART_SSTC, HART_SSTC);
    DEFINE(HART_ENVCFG, HART_ENVCFG);
    DEFINE(HART_PMP_RESIDENT, HART_PMP_RESIDENT);
    DEFINE(HART_EVENT_DEADLINE, offsetof(struct hart, event_deadline));
    DEFINE(HART_MTIMECMP, offsetof(struct hart, mtimecmp));
    DEFINE(HART_MTIME, offsetof(struct hart, mtime));
    DEFINE(BUNDLE_TOTAL_SIZE, offsetof(struct bundle, total_size));
    DEFINE(BUNDLE_BOOT_HART, offsetof(struct bundle, board.boot_hart));
    DEFINE(BUNDLE_HARTS, offsetof(struct bundle, board.harts));
    DEFINE(SIZEOF_BUNDLE_HART, sizeof(struct bundle_hart));
}
