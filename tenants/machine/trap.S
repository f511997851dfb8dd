/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traps of a program in machine mode: machine_trap(registers, entry) in C, on the stack of machine
 * mode, with the registers but sp, which it may change. `entry` tells by which way it came: 0 for
 * the direct one, else of the table machine_vectors that of the interrupt, plus 1.
 */
    .macro  for_each_register instruction
    .irp    number, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \instruction x\number, (8 * \number)(sp)
    .endr
    .endm

    .text
    .globl  machine_direct, machine_vectors, machine_call_user, machine_call_supervisor, machine_user_done
    .balign 4
machine_direct:
    csrrw   sp, mscratch, sp
    addi    sp, sp, -256
    for_each_register sd
    li      a1, 0
handle:
    mv      a0, sp
    call    machine_trap
    for_each_register ld
    addi    sp, sp, 256
    csrrw   sp, mscratch, sp
    mret

    .option push
    .option norvc
    .balign 256
machine_vectors:
    .irp    number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    j       vector_\number
    .endr
    .option pop

    .irp    number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
vector_\number:
    csrrw   sp, mscratch, sp
    addi    sp, sp, -256
    for_each_register sd
    li      a1, \number + 1
    j       handle
    .endr

/*
 * machine_call_user(a0 = function, a1 = its stack): in U-mode, until it calls with ECALL.
 * machine_call_supervisor: the same in S-mode.
 */
machine_call_supervisor:
    li      a2, 0x800
    j       call_below
machine_call_user:
    li      a2, 0
call_below:
    addi    sp, sp, -112
    sd      ra, 0(sp)
    .irp    number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    sd      s\number, 8 + 8 * \number(sp)
    .endr
    lla     t0, user_stack_of_machine
    sd      sp, 0(t0)
    csrw    mepc, a0
    li      t0, 0x1800
    csrc    mstatus, t0
    csrs    mstatus, a2
    mv      sp, a1
    mret

/* Where the handler lets it go on in machine mode after that. */
machine_user_done:
    lla     t0, user_stack_of_machine
    ld      sp, 0(t0)
    ld      ra, 0(sp)
    .irp    number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    ld      s\number, 8 + 8 * \number(sp)
    .endr
    addi    sp, sp, 112
    ret

/* The handler of S-mode, on the stack of what it interrupts: that is S-mode's, or free. */
    .globl  supervisor_entry
    .weak   supervisor_trap
    .balign 4
supervisor_entry:
    addi    sp, sp, -256
    for_each_register sd
    mv      a0, sp
    call    supervisor_trap
    for_each_register ld
    addi    sp, sp, 256
    sret

    .bss
    .balign 8
user_stack_of_machine:
    .space  8
