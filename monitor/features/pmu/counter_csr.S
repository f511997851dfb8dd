/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counter registers by number: an instruction names its CSR, so there are some for each of them, in
 * a table. The tables end with the last of PMU_MOST_PROGRAMMABLE counters.
 *
 *   void counters_read(counters, n)            hpmcounter3 and those behind it, n of them, into
 *                                              counters[0].value and so on
 *   void counters_write(counters, n)           these, and their events, from there
 *   uint64_t counter_probe(n)                  the bits that mhpmcounter n has, 0 without one
 *   uint64_t counter_probe_inhibit(void)       the bits that mcountinhibit has, 0 without one
 *
 * The first two go through the table from the highest counter that is wanted down: one that is
 * preempted waits for them, so they have no loop. The probes are for boot, on the hart concerned,
 * and get over a trap as in arch/probe.S. They leave the counter 0 and every counter stopped.
 */
#define COUNTER(n) (16 * ((n) - 3)) /* sizeof(struct pmu_counter) */
#define VALUE 0
#define EVENT 8

    .section .text.counter_csr, "ax"

    .option push
    .option norvc
    .globl counters_read
    .balign 8
counters_read:
    lla t0, counters_read_end
    slli t1, a1, 3
    sub t0, t0, t1
    jr t0
    .irp n, 10, 9, 8, 7, 6, 5, 4, 3
    csrr t1, 0xb00 + \n
    sd t1, COUNTER(\n) + VALUE(a0)
    .endr
counters_read_end:
    ret

    .globl counters_write
counters_write:
    lla t0, counters_write_end
    slli t1, a1, 4
    sub t0, t0, t1
    jr t0
    .irp n, 10, 9, 8, 7, 6, 5, 4, 3
    ld t1, COUNTER(\n) + VALUE(a0)
    ld t2, COUNTER(\n) + EVENT(a0)
    csrw 0xb00 + \n, t1
    csrw 0x320 + \n, t2
    .endr
counters_write_end:
    ret

/* Puts a1 into hpmcounter number a0, from 3 on, and what it was into a0. */
    .balign 8
counter_exchange:
    lla t0, 2f - 3 * 8
    slli a0, a0, 3
    add t0, t0, a0
    jr t0
    .balign 8
2:
    .irp n, 3, 4, 5, 6, 7, 8, 9, 10
    csrrw a0, 0xb00 + \n, a1
    ret
    .endr
    .option pop

    .globl counter_probe
counter_probe:
    mv t1, ra
    mv t2, a0
    li t3, 0
    lla t0, 1f
    csrrw t4, mtvec, t0
    li a1, -1
    call counter_exchange
    mv a0, t2
    li a1, 0
    call counter_exchange
    mv t3, a0
    .balign 4
1:  csrw mtvec, t4
    mv a0, t3
    jr t1

    .globl counter_probe_inhibit
counter_probe_inhibit:
    li a0, 0
    li t1, -1
    lla t0, 1f
    csrrw t4, mtvec, t0
    csrw mcountinhibit, t1
    csrr a0, mcountinhibit
    .balign 4
1:  csrw mtvec, t4
    ret
