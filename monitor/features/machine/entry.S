/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trap entry while a vhart in machine mode has the hart, in place of the one in entry/trap.S,
 * which is mtvec again whenever C code runs: so other vharts pay nothing.
 *
 * machine_entry does by itself what is most frequent: reads of mcause, reads and writes of mstatus
 * with a register, the store to mtimecmp, and the timer's interrupt. The second and third are
 * correct only while MPRV and TW of the tenant's mstatus are 0: see machine_set_entry(). Everything
 * else, and everything at machine_plain_entry, comes to machine_trap() in C, in the state in which
 * the other entry calls trap_dispatch(). A vhart with an S-mode of its own (see machine.h) always has
 * the second entry.
 *
 * machine_resume is where such a vhart goes on when it has been given the hart: its world says so
 * while another one's is loaded, with MPP = M, and its own pc and mode are in machine_parked. It
 * makes mtvec the vhart's entry and returns to the tenant. machine_inner_resume makes mideleg the
 * tenant's before, and lets mtimecmp interrupt it when its machine mode wants that.
 */
#include "arch/csr.h"
#include "entry/save_world.h"
#include "offsets.h"

#define T0 REGISTER(5)
#define T1 REGISTER(6)
#define T2 REGISTER(7)
#define T3 REGISTER(28)

/* struct machine_parked */
#define PARKED_SHIFT 7
#define PARKED_PC 0
#define PARKED_MODE 8
#define PARKED_ENTRY 16
#define PARKED_MTIMECMP 24
#define PARKED_MTIMECMP_ADDRESS 32
#define PARKED_MIDELEG 40
#define PARKED_DEADLINE 48
#define PARKED_EXTERNAL 56
#define PARKED_RIGHTS 64
#define PARKED_MACHINE_RIGHTS 72
#define PARKED_MACHINE_CONFIG 80
#define PARKED_USER_CONFIG 88

/* Without their register: csrr rd, mcause; csrr rd, mstatus; csrw mstatus, rs. */
#define READ_MCAUSE 0x34202073
#define READ_MSTATUS 0x30002073
#define WRITE_MSTATUS 0x30001073
#define MRET 0x30200073
#define SRET 0x10200073
/* Causes of accesses that the PMP refuses, as bits. */
#define FAULTS (1 << CAUSE_FETCH_ACCESS | 1 << CAUSE_LOAD_ACCESS | 1 << CAUSE_STORE_ACCESS)
/* sd: opcode and funct3. */
#define STORE_MASK 0x707f
#define STORE_DOUBLE 0x3023

/* Of mstatus: what has no twin in the hart's, what is the same there, and the rest that has one. */
#define STATUS_HELD (MSTATUS_MPRV | MSTATUS_TW)
#define STATUS_SAME MSTATUS_FS
#define STATUS_TWINS (MSTATUS_SIE | MSTATUS_SPIE | MSTATUS_SPP)

    .macro find_parked /* in t0 */
    lw t0, VHART_INDEX(sp)
    slli t0, t0, PARKED_SHIFT
    lla t1, machine_parked
    add t0, t0, t1
    .endm

    .section .text.trap, "ax"
    .option push
    .option norvc
    .globl machine_entry
    .balign 64
machine_entry:
    enter_trap in_monitor
emulate:
    csrr t0, mcause
    addi t0, t0, -CAUSE_ILLEGAL_INSTRUCTION
    bnez t0, store
    csrr t1, mstatus
    slli t1, t1, 63 - 11
    bgez t1, plain /* MPP: from U-mode; it is that or S-mode */
    csrr t0, mtval
    li t1, ~(31 << 7)
    and t1, t0, t1
    sd t2, T2(sp)
    li t2, READ_MSTATUS
    beq t1, t2, read_mstatus
    li t2, READ_MCAUSE
    beq t1, t2, read_mcause
    li t1, ~(31 << 15)
    and t1, t0, t1
    li t2, WRITE_MSTATUS
    beq t1, t2, write_mstatus
other:
    ld t2, T2(sp)
plain:
    save_world
    call machine_trap
    enter_world
    go_on

/*
 * Where machine mode has entries of its own that confine U-mode. Those are still in force when a
 * trap from there comes to the tenant's handler: its first access that they refuse changes that.
 * They are in force again by MRET, or as SRET by TSR, to U-mode: 3.3.2.
 */
    .balign 4
machine_confined_entry:
    enter_trap in_monitor
    csrr t1, mstatus
    slli t1, t1, 63 - 11
    bgez t1, plain /* MPP: from U-mode */
    sd t2, T2(sp)
    csrr t2, mcause
    bltz t2, not_confined
    find_parked
    ld t1, PARKED_RIGHTS(t0)
    bnez t1, 1f
    li t1, FAULTS
    srl t1, t1, t2
    andi t1, t1, 1
    bnez t1, confine_machine
1:  addi t2, t2, -CAUSE_ILLEGAL_INSTRUCTION
    bnez t2, not_confined
    csrr t1, mtval
    li t2, ~(MRET ^ SRET)
    and t1, t1, t2
    li t2, MRET & SRET
    bne t1, t2, not_confined
    csrr t1, mstatus
    andi t2, t1, MSTATUS_SPP
    bnez t2, not_confined
    andi t1, t1, MSTATUS_SPIE
    srli t1, t1, 4
    ori t1, t1, MSTATUS_SPIE
    li t2, MSTATUS_MPP | MSTATUS_SIE
    csrc mstatus, t2
    csrs mstatus, t1
    csrr t1, sepc
    csrw mepc, t1
    sd zero, PARKED_RIGHTS(t0)
    ld t0, PARKED_USER_CONFIG(t0)
    j confine_to
confine_machine:
    ld t1, PARKED_MACHINE_RIGHTS(t0)
    sd t1, PARKED_RIGHTS(t0)
    ld t0, PARKED_MACHINE_CONFIG(t0)
confine_to:
    ld t1, 0(t0)
    ld t2, 8(t0)
    sd t1, WORLD_PMP_CONFIG(sp)
    sd t2, WORLD_PMP_CONFIG + 8(sp)
    csrw pmpcfg0, t1
    csrw pmpcfg2, t2
    sfence.vma
    ld t2, T2(sp)
    j return
not_confined:
    ld t2, T2(sp)
    j emulate

    .balign 4
machine_plain_entry:
    enter_trap in_monitor
    j plain

in_monitor:
    csrrw sp, mscratch, sp
    j trap_entry /* a trap inside the monitor */

/*
 * A store of a doubleword to the tenant's mtimecmp, or anything else. The instruction has just been
 * fetched from physical address mepc, which is the tenant's, as is all of that page.
 */
store:
    addi t0, t0, CAUSE_ILLEGAL_INSTRUCTION - CAUSE_STORE_ACCESS
    bnez t0, interrupt
    find_parked
    sd t2, T2(sp)
    ld t1, PARKED_MTIMECMP_ADDRESS(t0)
    csrr t2, mtval
    bne t1, t2, other
    csrr t1, satp
    bnez t1, other
    sd t3, T3(sp)
    csrr t1, mepc
    addi t2, t1, 2
    slli t2, t2, 64 - 12
    beqz t2, refuse
    lhu t2, 0(t1)
    lhu t1, 2(t1)
    li t3, STORE_MASK
    and t2, t2, t3
    li t3, STORE_DOUBLE
    bne t2, t3, refuse
    srli t1, t1, 1 /* the source register, bits 20 to 24, times 8 */
    andi t1, t1, 31 << 3
    lla t2, sources
    add t1, t1, t2
    lla t3, 1f
    jr t1
1:  sd t1, PARKED_MTIMECMP(t0)
    ld t2, WORLD_HART(sp) /* timer_set() of arch/timer.h */
    ld t0, HART_FEATURES(t2)
    andi t0, t0, HART_SSTC
    bnez t0, 3f
    sd t1, WORLD_DEADLINE(sp)
    li t0, INTERRUPT_STI
    csrc mip, t0
    ld t0, HART_EVENT_DEADLINE(t2)
    ld t2, HART_MTIMECMP(t2)
    bltu t0, t1, 2f
    mv t0, t1
2:  sd t0, 0(t2)
    j written
3:  csrw 0x14d, t1 /* stimecmp */
    j written

/*
 * The machine timer's interrupt, cause 7 too but for its highest bit, which is for this vhart alone
 * (without Sstc): as in entry/trap.S, STIP from now on, and the hart's next event.
 */
interrupt:
    slli t0, t0, 1
    bnez t0, plain
    show_timer plain
    j return

/* machine_cause() of csrs.c. */
read_mcause:
    csrr t1, scause
    bltz t1, 1f
    addi t2, t1, -9
    beqz t2, 2f
    addi t2, t2, 9 - 11
    bnez t2, write_register
2:  xori t1, t1, 2
    j write_register
1:  slli t2, t1, 1
    addi t2, t2, -2 * 12
    bgez t2, write_register /* none of those that have a twin */
    andi t2, t1, 1
    slli t2, t2, 1
    xor t1, t1, t2
    j write_register

/* machine_status() of csrs.c. */
read_mstatus:
    sd t3, T3(sp)
    csrr t1, mstatus
    li t2, STATUS_SAME
    and t2, t1, t2
    andi t3, t1, MSTATUS_SIE | MSTATUS_SPIE
    slli t3, t3, 2
    or t2, t2, t3
    andi t3, t1, MSTATUS_SPP
    beqz t3, 1f
    li t3, MSTATUS_MPP
    or t2, t2, t3
1:  srli t1, t1, 63 /* SD */
    slli t1, t1, 63
    or t1, t1, t2
    li t2, 0x200000000 /* UXL */
    or t1, t1, t2
    ld t3, T3(sp)

/* t1 to the destination of the instruction in t0. */
write_register:
    srli t0, t0, 7 - 3
    andi t0, t0, 31 << 3
    lla t2, destinations
    add t0, t0, t2
    ld t2, T2(sp)
    jr t0

/* machine_write_status() of csrs.c, unless it would change one of those that it cannot. */
write_mstatus:
    sd t3, T3(sp)
    srli t1, t0, 15 - 3
    andi t1, t1, 31 << 3
    lla t2, sources
    add t1, t1, t2
    lla t3, 1f
    jr t1
1:  csrr t2, mstatus
    xor t2, t2, t1
    li t3, STATUS_SAME
    and t2, t2, t3
    li t3, STATUS_HELD
    and t3, t1, t3
    or t2, t2, t3
    bnez t2, refuse
    srli t2, t1, 2
    andi t2, t2, MSTATUS_SIE | MSTATUS_SPIE
    srli t3, t1, 11
    andi t3, t3, 3
    beqz t3, 2f
    addi t3, t3, -3
    bnez t3, refuse
    ori t2, t2, MSTATUS_SPP
2:  li t3, STATUS_TWINS
    csrc mstatus, t3
    csrs mstatus, t2
written:
    ld t2, T2(sp)
    ld t3, T3(sp)
    j done
refuse:
    ld t3, T3(sp)
    j other

    .balign 8
destinations:
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    .if \n == 2
    csrw mscratch, t1
    .elseif \n == 5 || \n == 6
    sd t1, REGISTER(\n)(sp)
    .else
    mv x\n, t1
    .endif
    j done
    .endr

/* The register to t1, and back to t3. */
sources:
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    .if \n == 2
    csrr t1, mscratch
    .elseif \n == 5 || \n == 6 || \n == 7 || \n == 28
    ld t1, REGISTER(\n)(sp)
    .else
    mv t1, x\n
    .endif
    jr t3
    .endr

/* The next instruction of the tenant. */
done:
    csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
return:
    ld t0, T0(sp)
    ld t1, T1(sp)
    csrrw sp, mscratch, sp
    mret

machine_inner_resume:
    csrrw sp, mscratch, sp
    sd t0, T0(sp)
    sd t1, T1(sp)
    find_parked
    ld t1, PARKED_MIDELEG(t0)
    csrw mideleg, t1
    ld t1, PARKED_EXTERNAL(t0)
    csrs mip, t1
    ld t0, PARKED_DEADLINE(t0)
    ld t1, WORLD_HART(sp)
    ld t1, HART_EVENT_DEADLINE(t1)
    bgeu t0, t1, resume
    ld t1, WORLD_HART(sp)
    ld t1, HART_MTIMECMP(t1)
    sd t0, 0(t1)
    j resume

machine_resume:
    csrrw sp, mscratch, sp
    sd t0, T0(sp)
    sd t1, T1(sp)
resume:
    find_parked
    ld t1, PARKED_ENTRY(t0)
    csrw mtvec, t1
    ld t1, PARKED_PC(t0)
    csrw mepc, t1
    ld t1, PARKED_MODE(t0)
    csrs mstatus, t1 /* MPP is U after the mret to here */
    j return
    .option pop

    .section .data.rel.ro, "aw"
    .globl machine_entries
    .balign 8
machine_entries:
    .dword machine_entry, machine_confined_entry, machine_plain_entry, machine_resume, machine_inner_resume
