/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls to the supervisor execution environment (RISC-V SBI 3.0): the general call and the few that
 * tenants use all the time. Numbers are in abi/sbi.h. Any context.
 */
#ifndef COTENANT_RT_SBI_H
#define COTENANT_RT_SBI_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/sbi.h"
#include "rt/ecall.h"

/* The legacy console of firmware that has no DBCN (SBI 3.0, section 5.2). */
#define SBI_EXT_LEGACY_PUTCHAR 0x01

struct sbi_result {
    int64_t error; /* SBI_SUCCESS or SBI_ERR_* */
    uint64_t value;
};

/*
 * The binary encoding of section 3. It does not return for calls that do not (SRST, HSM stop).
 * Only a0 and a1 may change: a monitor that breaks that breaks its tenants.
 */
static inline struct sbi_result sbi_call6(uint64_t extension, uint64_t function, uint64_t arg0,
                                          uint64_t arg1, uint64_t arg2, uint64_t arg3,
                                          uint64_t arg4, uint64_t arg5)
{
    ECALL_ARGUMENTS(arg0, arg1, arg2, arg3, arg4, arg5);
    register uint64_t a6 __asm__("a6") = function;
    register uint64_t a7 __asm__("a7") = extension;

    __asm__ volatile("ecall"
                     : "+r"(a0), "+r"(a1)
                     : "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a6), "r"(a7)
                     : "memory");
    return (struct sbi_result){.error = (int64_t)a0, .value = a1};
}

static inline struct sbi_result sbi_call(uint64_t extension, uint64_t function, uint64_t arg0,
                                         uint64_t arg1, uint64_t arg2)
{
    return sbi_call6(extension, function, arg0, arg1, arg2, 0, 0, 0);
}

/*
 * Next timer interrupt when the time CSR reaches `deadline` (ticks); all ones: never. Clears a
 * pending timer interrupt (section 6.1).
 */
static inline void sbi_set_timer(uint64_t deadline)
{
    sbi_call(SBI_EXT_TIME, SBI_TIME_SET_TIMER, deadline, 0, 0);
}

/* Whether the firmware implements `extension` (section 4.4). */
bool sbi_probe(uint64_t extension);

/*
 * Tells the monitor below, if it is Cotenant, that this tenant is alive; or, with `alive` false,
 * that it will be silent and is not hanging before the next heartbeat (docs/abi/sbi.md). Costs no
 * more than a call.
 */
void sbi_heartbeat(bool alive);

/* Ends this tenant (section 10); `failure` gives "system failure" as the reason. */
__attribute__((noreturn)) void sbi_shutdown(bool failure);

/* Starts this tenant again from its image (cold reboot, section 10). */
__attribute__((noreturn)) void sbi_reboot(void);

#endif
