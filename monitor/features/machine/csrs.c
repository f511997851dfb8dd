/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/machine/csrs.h"

#include "arch/csr.h"

#define STATUS_HELD (MSTATUS_MPRV | MSTATUS_TW)
/* What the hart's own register has for the tenant under the same bit. */
#define STATUS_SAME MSTATUS_FS
/* MIE and MPIE above SIE and SPIE. */
#define STATUS_SHIFT 2

#define NUMBER_S_CALL 9
#define NUMBER_M_CALL 11

uint64_t machine_status(const struct machine_csrs *csrs, uint64_t hart_status)
{
    uint64_t status = csrs->status | STATUS_UXL_64;

    status |= hart_status & (STATUS_SAME | STATUS_DIRTY);
    status |= (hart_status & (MSTATUS_SIE | MSTATUS_SPIE)) << STATUS_SHIFT;
    return (hart_status & MSTATUS_SPP) != 0 ? status | MSTATUS_MPP : status;
}

uint64_t machine_write_status(struct machine_csrs *csrs, uint64_t hart_status, uint64_t value,
                              bool fp)
{
    uint64_t same = fp ? STATUS_SAME : 0;
    uint64_t status = hart_status & ~(same | MSTATUS_SIE | MSTATUS_SPIE);

    csrs->status = value & STATUS_HELD;
    status |= value & same;
    status |= value >> STATUS_SHIFT & (MSTATUS_SIE | MSTATUS_SPIE);
    if ((value & MSTATUS_MPP) == MSTATUS_MPP) {
        status |= MSTATUS_SPP;
    } else if ((value & MSTATUS_MPP) == 0) {
        status &= ~(uint64_t)MSTATUS_SPP;
    }
    return status;
}

uint64_t machine_cause(uint64_t cause)
{
    uint64_t number = cause & ~INTERRUPT;

    if ((cause & INTERRUPT) == 0) {
        return number == NUMBER_S_CALL   ? NUMBER_M_CALL
               : number == NUMBER_M_CALL ? NUMBER_S_CALL
                                         : cause;
    }
    /* 1, 5 and 9 are 3, 7 and 11. */
    return number < 12 && (number & 1) != 0 ? cause ^ 2 : cause;
}
