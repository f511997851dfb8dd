/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guests: virtual machines of a tenant, their host, which run in memory and time that a process of
 * the host lends them. docs/abi/hosted.md says how it is used.
 *
 * A guest is a slot of the host's with a number, 0.. The host finds the registers at the address
 * and of the size that its device tree says ("cotenant,hosted"). All integers are little endian,
 * all addresses physical. struct hosted_request and struct hosted_run lie in the host's own memory;
 * each field of them is read once, when the call that they belong to is carried out.
 */
#ifndef COTENANT_ABI_HOSTED_H
#define COTENANT_ABI_HOSTED_H

/* The page at offset 0 of the registers; 8-byte accesses, except where said. */

/* Read: COTENANT_HOSTED_MAGIC, "GUESTS" and the version in memory order. */
#define COTENANT_HOSTED_IDENTITY 0x0
/* Read: how many slots there are, */
#define COTENANT_HOSTED_SLOTS 0x8
/* vharts that a guest can have, */
#define COTENANT_HOSTED_VHARTS 0x10
/* bytes of memory that all guests together can be lent, */
#define COTENANT_HOSTED_MEMORY 0x18
/* and the PMP entries that a guest's ranges can take: a range whose size is a power of two and that
 * is aligned to it takes one, another one two, or one where it begins at the end of the one before.
 */
#define COTENANT_HOSTED_ENTRIES 0x20
/* Written: address of a struct hosted_request, aligned to its size, which is carried out. */
#define COTENANT_HOSTED_REQUEST 0x28
/* Written: changes the level of an interrupt line, COTENANT_HOSTED_LINE_*. */
#define COTENANT_HOSTED_LINE 0x30

#define COTENANT_HOSTED_MAGIC 0x0002535453455547

/* The value for COTENANT_HOSTED_LINE: the slot, the source above it, and the level. */
#define COTENANT_HOSTED_LINE_SOURCE_SHIFT 8
#define COTENANT_HOSTED_LINE_HIGH 0x10000

/*
 * The pages behind: a turn page for each vhart of a slot. A 4-byte store to the first word of the
 * page is the vhart's turn; the value is the token of the guest (hosted_request.token), another one
 * is no turn and does nothing.
 */
#define COTENANT_HOSTED_PAGE 0x1000
/* Pages of a slot; those of slot s begin at page 1 + s * COTENANT_HOSTED_SLOT_PAGES. */
#define COTENANT_HOSTED_SLOT_PAGES 8
#define COTENANT_HOSTED_MAX_SLOTS 8

/* Memory is lent in multiples of this, aligned to it. */
#define COTENANT_HOSTED_GRAIN 0x200000
/* Ranges of one guest. */
#define COTENANT_HOSTED_MAX_RANGES 4

/* Sources of a guest's PLIC: 1 to 31. */
#define COTENANT_HOSTED_SOURCES 32

/* struct hosted_request.operation; in brackets what is used beside `slot`. */

/*
 * Makes a guest with so many vharts, none of which has been started, and no memory. Returns
 * `token`, which is not 0 and differs from those before. [vhart: how many]
 */
#define COTENANT_HOSTED_CREATE 1
/* Ends the guest and takes everything from it: BUSY until that is done, and then STATE. */
#define COTENANT_HOSTED_DESTROY 2
/*
 * Lends it memory as one of its ranges, which it does not have yet; the memory is the host's and is
 * lent to no guest. A size of 0 takes a range back. [range: its number, address, size]
 */
#define COTENANT_HOSTED_LEND 3
/*
 * Sets a vhart up as SBI HSM starts a hart: S-mode at `address` in the guest's memory, a0 its
 * number, a1 = `argument`, and gives it its run page. It may have run before. [vhart, address,
 * argument, run: address of a struct hosted_run, in a page of its own, size: flags]
 */
#define COTENANT_HOSTED_START 4
/*
 * The vhart computes with the floating-point registers of the thread that lends it time, unless
 * that thread's sstatus.FS is Off: after a turn they hold what the guest left there, and FS is
 * Dirty. The thread keeps them from turn to turn, as its kernel does, and the monitor need not.
 */
#define COTENANT_HOSTED_START_SHARES_FP 0x1

/* struct hosted_request.result, written last */
#define COTENANT_HOSTED_OK 0
/* A field has a value that it cannot have, or the slot or vhart does not exist. */
#define COTENANT_HOSTED_INVALID 1
/* There is no such guest; for CREATE: one is there. */
#define COTENANT_HOSTED_STATE 2
/* Not now: a vhart of the guest has a turn, or the guest before is still being ended. Again later.
 */
#define COTENANT_HOSTED_BUSY 3
/* The range is not the host's own memory, or is lent. */
#define COTENANT_HOSTED_RANGE 4
/* More memory, ranges or PMP entries than there are. */
#define COTENANT_HOSTED_LIMIT 5
/* Before it is carried out a program puts this there, to see that it was. */
#define COTENANT_HOSTED_PENDING 0xffffffff

/*
 * What a program may put there instead, after a LOAD or STORE: nothing is at the address, and the
 * guest takes an access fault.
 */
#define COTENANT_HOSTED_ANSWER_FAULT 0x100

/* Why a turn has ended: struct hosted_run.reason. */

/* It has not: the store was no turn, or is not done. What a program puts there before. */
#define COTENANT_HOSTED_EXIT_NONE 0
/*
 * An interrupt for the host is pending that the caller, in S-mode with sstatus.SIE = 0, does not
 * take. A process never sees this.
 */
#define COTENANT_HOSTED_EXIT_INTERRUPTED 1
/* It waits (WFI): for `deadline`, ticks of `time`, or all ones; or for a line or another vhart. */
#define COTENANT_HOSTED_EXIT_IDLE 2
/*
 * It loads `size` bytes at `address`. The next turn puts all of `value` into its register: the
 * bytes extended by their sign, or by zeros if COTENANT_HOSTED_UNSIGNED is beside the size.
 */
#define COTENANT_HOSTED_EXIT_LOAD 3
#define COTENANT_HOSTED_UNSIGNED 0x100
/* It stores `value`, `size` bytes, at `address`. */
#define COTENANT_HOSTED_EXIT_STORE 4
/*
 * It makes an SBI call that the monitor does not serve: registers a0 to a7 are in `arguments`. The
 * next turn gives it arguments[0] and [1] in a0 and a1.
 */
#define COTENANT_HOSTED_EXIT_SBI 5
/* It cannot fetch its trap handler. `value`: cause; `address`: of the fault; `deadline`: pc. */
#define COTENANT_HOSTED_EXIT_CRASH 6
/* This vhart has a turn on another hart, or its last one is not over there; or nothing is lent. */
#define COTENANT_HOSTED_EXIT_BUSY 7
/* There is no turn for it any more: the guest has ended, or is being ended. */
#define COTENANT_HOSTED_EXIT_STOPPED 8

#ifndef __ASSEMBLER__

#include <stdint.h>

struct hosted_request {
    uint32_t operation; /* COTENANT_HOSTED_* */
    uint32_t slot;
    uint32_t vhart;
    uint32_t token; /* of the guest; all but CREATE need it; 0: whichever it is. Returned by all */
    uint64_t address;
    uint64_t size;
    uint64_t argument;
    uint64_t run;
    uint32_t range;
    uint32_t result;
    uint64_t reserved;
};

struct hosted_run {
    uint32_t reason; /* COTENANT_HOSTED_EXIT_*; written last */
    uint32_t size;   /* bytes: 1, 2, 4 or 8; and COTENANT_HOSTED_UNSIGNED */
    uint64_t address;
    uint64_t value;
    uint64_t deadline;
    uint64_t arguments[8];
};

#endif

#endif
