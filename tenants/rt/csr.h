/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Supervisor control and status registers: the one home of CSR accesses and of the bits that
 * tenants use (RISC-V privileged architecture, chapter 4). Included by assembly too.
 */
#ifndef COTENANT_RT_CSR_H
#define COTENANT_RT_CSR_H

/* sstatus, section 4.1.1 */
#define SSTATUS_SIE 0x2
#define SSTATUS_SPIE 0x20
#define SSTATUS_SPP 0x100
#define SSTATUS_VS 0x600
#define SSTATUS_VS_INITIAL 0x200
#define SSTATUS_FS 0x6000
#define SSTATUS_FS_INITIAL 0x2000
#define SSTATUS_SUM 0x40000
#define SSTATUS_MXR 0x80000

/* sip and sie, section 4.1.3 */
#define INTERRUPT_SOFTWARE 0x2
#define INTERRUPT_TIMER 0x20
#define INTERRUPT_EXTERNAL 0x200

/* scause, section 4.1.8 */
#define CAUSE_INTERRUPT 0x8000000000000000
#define CAUSE_INTERRUPT_SOFTWARE 1
#define CAUSE_INTERRUPT_TIMER 5
#define CAUSE_INTERRUPT_EXTERNAL 9
#define CAUSE_FETCH_ACCESS 1
#define CAUSE_ILLEGAL_INSTRUCTION 2
#define CAUSE_BREAKPOINT 3
#define CAUSE_LOAD_MISALIGNED 4
#define CAUSE_LOAD_ACCESS 5
#define CAUSE_STORE_MISALIGNED 6
#define CAUSE_STORE_ACCESS 7
#define CAUSE_FETCH_PAGE 12
#define CAUSE_LOAD_PAGE 13
#define CAUSE_STORE_PAGE 15

/* satp, section 4.1.11 */
#define SATP_MODE_SV39 0x8000000000000000

#ifndef __ASSEMBLER__

#include <stdint.h>

#define csr_read(name)                                                                             \
    ({                                                                                             \
        uint64_t csr_result;                                                                       \
        __asm__ volatile("csrr %0, " #name : "=r"(csr_result) : : "memory");                       \
        csr_result;                                                                                \
    })
#define csr_write(name, value)                                                                     \
    __asm__ volatile("csrw " #name ", %0" : : "r"((uint64_t)(value)) : "memory")
#define csr_set(name, bits)                                                                        \
    __asm__ volatile("csrs " #name ", %0" : : "r"((uint64_t)(bits)) : "memory")
#define csr_clear(name, bits)                                                                      \
    __asm__ volatile("csrc " #name ", %0" : : "r"((uint64_t)(bits)) : "memory")

static inline void interrupts_enable(void)
{
    csr_set(sstatus, SSTATUS_SIE);
}

static inline void interrupts_disable(void)
{
    csr_clear(sstatus, SSTATUS_SIE);
}

/* Sleeps until an interrupt that `sie` enables is pending; it may return without a reason. */
static inline void wait_for_interrupt(void)
{
    __asm__ volatile("wfi" : : : "memory");
}

#endif

#endif
