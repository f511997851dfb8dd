/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>

#include "sbi/sbi.h"

/*
 * Every extension has a slot of its own, so that one look finds it: the compiler refuses two in the
 * same slot, and another shift separates them then.
 */
#define SLOTS 32
#define SLOT(extension) ((((extension) >> 23) + (extension)) >> 1 & (SLOTS - 1))

static const struct {
    uint64_t extension;
    sbi_handler *handler;
} offered[SLOTS] = {
    [SLOT(SBI_EXT_BASE)] = {SBI_EXT_BASE, sbi_base},
    [SLOT(SBI_EXT_TIME)] = {SBI_EXT_TIME, sbi_time},
    [SLOT(SBI_EXT_IPI)] = {SBI_EXT_IPI, sbi_ipi},
    [SLOT(SBI_EXT_RFENCE)] = {SBI_EXT_RFENCE, sbi_rfence},
    [SLOT(SBI_EXT_HSM)] = {SBI_EXT_HSM, sbi_hsm},
    [SLOT(SBI_EXT_SRST)] = {SBI_EXT_SRST, sbi_srst},
    [SLOT(SBI_EXT_DBCN)] = {SBI_EXT_DBCN, sbi_dbcn},
    [SLOT(SBI_EXT_SUSP)] = {SBI_EXT_SUSP, sbi_susp},
    [SLOT(SBI_EXT_STA)] = {SBI_EXT_STA, sbi_sta},
    [SLOT(SBI_EXT_FWFT)] = {SBI_EXT_FWFT, sbi_fwft},
};

sbi_handler *sbi_find(uint64_t extension)
{
    uint64_t slot = SLOT(extension);

    return offered[slot].extension == extension ? offered[slot].handler : NULL;
}

long sbi_hart_mask(const struct tenant *tenant, uint64_t mask, uint64_t base, uint64_t *targets)
{
    uint64_t existing = (1ul << tenant->vhart_count) - 1;

    if (base == UINT64_MAX) {
        *targets = existing;
        return SBI_SUCCESS;
    }
    if (base >= tenant->vhart_count || (mask & ~(existing >> base)) != 0) {
        return SBI_ERR_INVALID_PARAM;
    }
    *targets = mask << base;
    return SBI_SUCCESS;
}

void sbi_dispatch(struct vhart *vhart)
{
    uint64_t *registers = vhart->world.registers;
    /* Extension ids are 32-bit integers, extended to the register: another upper half is none. */
    sbi_handler *handler = sbi_find(registers[REGISTER_A7]);
    struct sbi_result result = sbi_error(SBI_ERR_NOT_SUPPORTED);

    /* Before the call, because hart_suspend and reboot set the pc themselves. */
    registers[REGISTER_PC] += 4;
    if (handler != NULL) {
        result = handler(vhart, registers[REGISTER_A6], &registers[REGISTER_A0]);
    }
    if (!result.no_return) {
        registers[REGISTER_A0] = (uint64_t)result.error;
        registers[REGISTER_A1] = result.value;
    }
}
