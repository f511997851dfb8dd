/* SPDX-License-Identifier: BSD-2-Clause */
/* For floors whose tenant is the rest of the program. */
#ifndef COTENANT_FLOORS_SUPERVISOR_H
#define COTENANT_FLOORS_SUPERVISOR_H

#include "arch/csr.h"

/* From machine mode, with the stack and all else as it is; floating-point registers are on. */
static inline void go_on_in_s_mode(void)
{
    CSR_CLEAR(mstatus, MSTATUS_MPP);
    CSR_SET(mstatus, MSTATUS_MPP_S | MSTATUS_FS_INITIAL);
    __asm__ volatile("lla t0, 1f\n"
                     "csrw mepc, t0\n"
                     "mret\n"
                     "1:"
                     :
                     :
                     : "t0", "memory");
}

#endif
