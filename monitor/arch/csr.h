/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control and status registers: the one home of every CSR access in C and of the bits that the
 * monitor uses (RISC-V privileged architecture 1.12, chapters 3 and 4). Included by assembly too.
 */
#ifndef COTENANT_ARCH_CSR_H
#define COTENANT_ARCH_CSR_H

/* misa, section 3.1.1 */
#define MISA_H 0x80

/* mstatus, section 3.1.6 */
#define MSTATUS_SIE 0x2
#define MSTATUS_MIE 0x8
#define MSTATUS_SPIE 0x20
#define MSTATUS_MPIE 0x80
#define MSTATUS_SPP 0x100
#define MSTATUS_MPP 0x1800
#define MSTATUS_MPP_S 0x800
#define MSTATUS_FS 0x6000
#define MSTATUS_FS_INITIAL 0x2000
#define MSTATUS_SUM 0x40000
#define MSTATUS_MXR 0x80000
#define MSTATUS_MPRV 0x20000
#define MSTATUS_TW 0x200000
#define MSTATUS_SXL_UXL_64 0xa00000000

/* mip and mie, section 3.1.9 */
#define INTERRUPT_SSI 0x2
#define INTERRUPT_MSI 0x8
#define INTERRUPT_STI 0x20
#define INTERRUPT_MTI 0x80
#define INTERRUPT_SEI 0x200
#define INTERRUPT_MEI 0x800
#define INTERRUPTS_SUPERVISOR 0x222
#define INTERRUPTS_MACHINE 0x888

/* mcause, section 3.1.15 */
#define CAUSE_INTERRUPT_MTI 0x8000000000000007
#define CAUSE_FETCH_ACCESS 1
#define CAUSE_ILLEGAL_INSTRUCTION 2
#define CAUSE_LOAD_MISALIGNED 4
#define CAUSE_LOAD_ACCESS 5
#define CAUSE_STORE_MISALIGNED 6
#define CAUSE_STORE_ACCESS 7
#define CAUSE_ECALL_FROM_S 9
#define CAUSE_LOAD_PAGE 13
#define CAUSE_STORE_PAGE 15

/* Exceptions that go straight to the tenant: all but access faults and its calls to the monitor. */
#define EXCEPTIONS_DELEGATED 0xb15d
#define EXCEPTION_ILLEGAL_INSTRUCTION 0x4
#define EXCEPTIONS_MISALIGNED 0x50

/* menvcfg, section 3.1.18 */
#define MENVCFG_CBIE_FLUSH 0x10
#define MENVCFG_CBCFE 0x40
#define MENVCFG_CBZE 0x80
#define MENVCFG_PBMTE 0x4000000000000000
#define MENVCFG_STCE 0x8000000000000000

/* cycle, time and instret may be read by the level below. */
#define COUNTERS_BASIC 0x7
#define COUNTER_TIME 0x2

/* pmpcfg, a byte for each entry, and pmpaddr, section 3.7.1 */
#define PMP_READ 0x01
#define PMP_WRITE 0x02
#define PMP_RIGHTS 0x07
#define PMP_MODE 0x18
#define PMP_MODE_TOR 0x08
#define PMP_MODE_NA4 0x10
#define PMP_MODE_NAPOT 0x18
#define PMP_ADDRESS_BITS 54

/* satp, section 4.1.11 */
#define SATP_MODE_SHIFT 60
#define SATP_PPN_MASK 0xfffffffffff

#ifndef __ASSEMBLER__

#define CSR_READ(name)                                                                             \
    ({                                                                                             \
        unsigned long csr_value;                                                                   \
        __asm__ volatile("csrr %0, " #name : "=r"(csr_value));                                     \
        csr_value;                                                                                 \
    })
#define CSR_WRITE(name, value)                                                                     \
    __asm__ volatile("csrw " #name ", %0" : : "rK"((unsigned long)(value)) : "memory")
#define CSR_SET(name, bits)                                                                        \
    __asm__ volatile("csrs " #name ", %0" : : "rK"((unsigned long)(bits)) : "memory")
#define CSR_CLEAR(name, bits)                                                                      \
    __asm__ volatile("csrc " #name ", %0" : : "rK"((unsigned long)(bits)) : "memory")

/*
 * Puts `value` into the pointer at `place`, for others to see: all accesses of memory before it
 * come before, all after it after.
 */
#define PUBLISH(place, value)                                                                      \
    __asm__ volatile("amoswap.d.aqrl zero, %1, %0" : "+A"(*(place)) : "r"(value) : "memory")

/* What this hart fetches from now on is what has been written (unprivileged ISA, Zifencei). */
#define FENCE_I() __asm__ volatile("fence.i" : : : "memory")

/*
 * Memory and devices in the order of the program (unprivileged ISA, section 2.7). The order that
 * atomic operations give is that of memory alone.
 */
#define FENCE_ALL() __asm__ volatile("fence iorw, iorw" : : : "memory")

/* What page tables and PMP say from now on is what has been written (privileged ISA 3.7.2). */
#define FENCE_TRANSLATION() __asm__ volatile("sfence.vma" : : : "memory")

/*
 * Until an interrupt is pending that mie enables, whatever mstatus.MIE says, or for no reason
 * (privileged ISA 3.3.3).
 */
#define WAIT_FOR_INTERRUPT() __asm__ volatile("wfi" : : : "memory")

#define WRITE_TP(value) __asm__ volatile("mv tp, %0" : : "r"((unsigned long)(value)) : "memory")

/* The register tp, which the compiler leaves alone. */
#define READ_TP()                                                                                  \
    ({                                                                                             \
        unsigned long tp_value;                                                                    \
        __asm__("mv %0, tp" : "=r"(tp_value));                                                     \
        tp_value;                                                                                  \
    })

#endif

#endif
