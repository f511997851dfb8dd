/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The floor under a byte that a tenant stores to a virtual UART: the trap of the store, and the byte
 * in a ring.
 *
 * In it are three registers saved and loaded, the fetch of the instruction by its address, the
 * register that it stores (a jump into a table, as a register's number is in the instruction), the
 * byte put where the head of the ring is, the head, and the way back behind the instruction. Left out
 * is all that would have to be asked: whether it was a store, and of a byte, to which device and which
 * of its registers, whether the page of the instruction may be read and where it is (the program has
 * no page tables), whether there is room, whether someone waits for the ring; and who sends the byte.
 */
#include "arch/csr.h"
#include "store.h"

#define T0 RING_REGISTERS
#define T1 (RING_REGISTERS + 8)
#define T2 (RING_REGISTERS + 16)

    .section .text.floor, "ax"
    .balign 64
    .globl store
store:
    csrrw sp, mscratch, sp
    sd t0, T0(sp)
    sd t1, T1(sp)
    sd t2, T2(sp)
    csrr t0, mepc
    lw t1, 0(t0)
    addi t0, t0, 4
    csrw mepc, t0
    srli t1, t1, 17 /* rs2, bits 24:20, times the 8 bytes of an entry */
    andi t1, t1, 31 << 3
    ld t2, RING_READERS(sp)
    add t2, t2, t1
    jr t2
store_put:
    lw t1, RING_HEAD(sp)
    add t2, t1, sp
    sb t0, RING_BYTES(t2)
    addi t1, t1, 1
    andi t1, t1, RING_SIZE - 1
    sw t1, RING_HEAD(sp)
    ld t0, T0(sp)
    ld t1, T1(sp)
    ld t2, T2(sp)
    csrrw sp, mscratch, sp
    mret

/* What brings register n to t0 is at n times 8 bytes. */
    .option push
    .option norvc
    .macro reader instruction:vararg
    \instruction
    j store_put
    .endm
    .globl store_readers
    .balign 8
store_readers:
    reader li t0, 0
    reader mv t0, ra
    reader csrr t0, mscratch
    reader mv t0, gp
    reader mv t0, tp
    reader ld t0, T0(sp)
    reader ld t0, T1(sp)
    reader ld t0, T2(sp)
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    reader mv t0, x\n
    .endr
    .option pop

/*
 * In S-mode: store_bytes(a0 = device, a1 = 32 values, a2 = where all registers go afterwards) stores a
 * byte of each register that holds a value, which are x1 to x30 then, and returns.
 */
    .text
    .globl store_bytes
store_bytes:
    addi sp, sp, -128
    .set at, 0
    .irp n, 1, 3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
    sd x\n, at(sp)
    .set at, at + 8
    .endr
    lla t0, stack
    sd sp, 0(t0)
    sd a2, 8(t0)
    mv t6, a0
    mv sp, a1
    .irp n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
    ld x\n, \n * 8(sp)
    .endr
    ld sp, 2 * 8(sp)
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
    sb x\n, 0(t6)
    .endr
    csrw sscratch, sp
    lla t6, stack
    ld sp, 8(t6)
    .irp n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
    sd x\n, \n * 8(sp)
    .endr
    csrr t0, sscratch
    sd t0, 2 * 8(sp)
    ld sp, 0(t6)
    .set at, 0
    .irp n, 1, 3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
    ld x\n, at(sp)
    .set at, at + 8
    .endr
    addi sp, sp, 128
    ret

    .bss
    .balign 8
stack:
    .space 16
