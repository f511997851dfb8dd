/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>

#include "sbi/sbi.h"

sbi_handler *sbi_find(uint64_t extension)
{
    switch (extension) {
    case SBI_EXT_BASE:
        return sbi_base;
    case SBI_EXT_TIME:
        return sbi_time;
    case SBI_EXT_IPI:
        return sbi_ipi;
    case SBI_EXT_RFENCE:
        return sbi_rfence;
    case SBI_EXT_HSM:
        return sbi_hsm;
    case SBI_EXT_SRST:
        return sbi_srst;
    case SBI_EXT_DBCN:
        return sbi_dbcn;
    case SBI_EXT_SUSP:
        return sbi_susp;
    default:
        return NULL;
    }
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
    /* The extension id is an int32_t in the binary encoding: its upper half does not count. */
    sbi_handler *handler = sbi_find((uint32_t)registers[REGISTER_A7]);
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
