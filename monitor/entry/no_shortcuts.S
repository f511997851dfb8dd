/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stands for the shortcuts of features that a monitor is built without: each changes nothing
 * and returns NO_CHANGE, or leaves the decision to the scheduler.
 */
    .section .text.no_shortcuts, "ax"
    .weak fast_load, fast_store, fast_wait, fast_wake, fast_preempt
fast_load:
fast_store:
fast_wait:
fast_wake:
    li a0, 0
    li a1, 0
    ret
fast_preempt:
    j hart_schedule
