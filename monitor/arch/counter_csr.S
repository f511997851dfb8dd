/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counter registers by number: an instruction names its CSR, so there is one for each of them, in a
 * table of pieces of eight bytes. The tables end with the last of PMU_MOST_PROGRAMMABLE counters.
 *
 *   uint64_t counter_exchange(n, value)        mcycle (0), minstret (2), mhpmcounter3-10
 *   uint64_t counter_event_exchange(n, value)  mhpmevent3-10
 *   uint64_t counter_probe(n)                  the bits that mhpmcounter n has, 0 without one
 *   uint64_t counter_probe_inhibit(void)       the bits that mcountinhibit has, 0 without one
 *
 * The first two return what the register held. The probes are for boot, on the hart concerned, and
 * get over a trap as in arch/probe.S. They leave the counter 0 and every counter stopped.
 */
    .section .text.counter_csr, "ax"

    .macro exchange_table first
    .option push
    .option norvc
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
    csrrw a0, \first + \n, a1
    ret
    .endr
    .option pop
    .endm

    .globl counter_exchange
    .balign 8
counter_exchange:
    lla t0, counters
    j exchange

    .globl counter_event_exchange
counter_event_exchange:
    lla t0, events
exchange:
    slli a0, a0, 3
    add t0, t0, a0
    jr t0

    .balign 8
counters:
    exchange_table 0xb00
events:
    exchange_table 0x320 /* the first three are no event registers and never used */

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
