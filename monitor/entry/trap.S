/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trap entry and exit.
 *
 * While a tenant runs, mscratch points to the world of the vhart whose registers are in the hart;
 * while the monitor runs it is zero, so that a trap taken inside the monitor (always a defect) is
 * told apart by one branch. The entry saves two registers, looks at mcause and takes one of the
 * fast paths below, which end without touching anything else, or the plain path: save all general
 * registers, pc and mstatus straight into the world, switch to the hart's stack and call
 * trap_dispatch(hart) in C, which returns the world to keep and the world to run next. The plain
 * path alone is correct; the fast paths, and the shortcuts of entry/fast_switch.c and
 * features/plic/access.c, only shorten what happens most often.
 *
 * Instruction counts, trap to mret included, are held by tests/system/test_instruction_counts.py:
 * set_timer, timer interrupt to STIP, and send_ipi to self.
 */
#include "abi/sbi.h"
#include "arch/csr.h"
#include "entry/save_world.h"
#include "offsets.h"

    .section .text.trap, "ax"
    .globl trap_entry
    .balign 64
trap_entry:
    enter_trap trap_in_monitor
    csrr t0, mcause
    bltz t0, interrupt
    addi t0, t0, -CAUSE_ECALL_FROM_S
    .reloc ., R_RISCV_BRANCH, fast_exception
    .word 0x00029063 /* bnez t0, fast_exception: the assembler thinks that weak ones are far */
    li t1, SBI_EXT_TIME
    beq a7, t1, set_timer
    li t1, SBI_EXT_IPI
    beq a7, t1, send_ipi
    li t1, SBI_EXT_RFENCE
    beq a7, t1, remote_fence
    j plain_path

/*
 * SBI set_timer(a0 = absolute time), section 6.1. With Sstc it is one write of stimecmp. Without:
 * remember the deadline, clear STIP, program the earlier of it and the hart's next event.
 */
set_timer:
    bnez a6, plain_path
    ld t1, WORLD_HART(sp)
    ld t0, HART_FEATURES(t1)
    andi t0, t0, HART_SSTC
    bnez t0, 2f
    sd a0, WORLD_DEADLINE(sp)
    li t0, INTERRUPT_STI
    csrc mip, t0
    ld t0, HART_EVENT_DEADLINE(t1)
    ld t1, HART_MTIMECMP(t1)
    bltu t0, a0, 1f
    mv t0, a0
1:  sd t0, 0(t1)
    j succeeded
2:  csrw 0x14d, a0 /* stimecmp */
    j succeeded

/*
 * SBI remote_sfence_vma(a0 = mask, a1 = base, a2 = start, a3 = size), section 8.2, of one aligned
 * page of the caller itself, when that is vhart 0. Every other call takes the plain path.
 */
remote_fence:
    addi t0, a6, -SBI_RFENCE_SFENCE_VMA
    bnez t0, plain_path
    bnez a1, plain_path
    addi t0, a0, -1
    bnez t0, plain_path
    lw t0, WORLD_VHART_ID(sp)
    bnez t0, plain_path
    li t0, 4096
    bne a3, t0, plain_path
    addi t0, t0, -1
    and t0, t0, a2
    bnez t0, plain_path
    sfence.vma a2
    j succeeded

/*
 * SBI send_ipi(a0 = mask, a1 = base), section 7.1, to vhart 0 by mask 1 and base 0 when that is
 * the caller itself. Every other call, with other masks, takes the plain path.
 */
send_ipi:
    bnez a6, plain_path
    bnez a1, plain_path
    addi t0, a0, -1
    bnez t0, plain_path
    lw t0, WORLD_VHART_ID(sp)
    bnez t0, plain_path
    csrsi mip, INTERRUPT_SSI
succeeded:
    li a0, SBI_SUCCESS
    li a1, 0
    csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
fast_exit:
    ld t0, REGISTER(5)(sp)
    ld t1, REGISTER(6)(sp)
    csrrw sp, mscratch, sp
    mret

/*
 * Machine timer interrupt that is for the running vhart alone (without Sstc): its deadline has
 * come, and no other event has. Shows it as STIP and programs the next event.
 */
interrupt:
    unless_timer plain_path
    show_timer another_event
    j fast_exit

/* t0 is the time. */
another_event:
    save_world
1:  mv a1, t0
    call fast_wake
    switch_world
2:  mv a0, tp
3:  call trap_dispatch
    j world_enter

/* Another exception, unless features/fast_uart knows better. */
    .weak fast_exception
fast_exception:
plain_path:
    save_world
    csrr t0, mcause
    bltz t0, 6f
    addi t0, t0, -CAUSE_ILLEGAL_INSTRUCTION
    beqz t0, 4f
    addi t0, t0, CAUSE_ILLEGAL_INSTRUCTION - CAUSE_LOAD_ACCESS
    beqz t0, 5f
    addi t0, t0, CAUSE_LOAD_ACCESS - CAUSE_STORE_ACCESS
    bnez t0, 3b
    call fast_store
    j 7f
5:  call fast_load
7:  enter_world
    beqz a0, 2b
    go_on
4:  call fast_wait
    switch_world
    j 2b
6:  unless_timer 3b
    ld t0, HART_MTIME(tp) /* by trap_plain_entry: nobody has looked at the time */
    ld t0, 0(t0)
    j 1b

/* The trap entry without the fast paths. */
    .globl trap_plain_entry
    .balign 4
trap_plain_entry:
    enter_trap trap_in_monitor
    j plain_path

/*
 * A trap inside the monitor. Two loads of guest_fetch_native may fault: it then returns all ones.
 * Every other one is a defect of the monitor: report it and stop this hart.
 */
trap_in_monitor:
    csrrw sp, mscratch, zero
    csrr t1, mepc
    lla t2, guest_fetch_low
    beq t1, t2, 1f
    lla t2, guest_fetch_high
    bne t1, t2, 2f
1:  lla t1, guest_fetch_failed
    csrw mepc, t1
    mret
2:  csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    call monitor_failure
3:  wfi
    j 3b
