/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace: what happened on each hart, recorded by the monitor into a ring per hart.
 * docs/tracing.md says how to read it.
 *
 * The rings lie at struct bundle's trace.base, one behind the other, trace.ring_size bytes each, in
 * the order of board.harts. A ring is a struct trace_header and then `capacity` records. Read them
 * while the machine is halted: nothing is locked.
 *
 * A record stands where the monitor took a trap, and further ones follow it with what came of it:
 * the device access that was emulated, the fault that was shown, the world that runs afterwards.
 */
#ifndef COTENANT_ABI_TRACE_H
#define COTENANT_ABI_TRACE_H

/* "COTTRACE" in memory order: struct trace_header.magic. */
#define COTENANT_TRACE_MAGIC 0x4543415254544f43
/* Raised whenever something in this file changes. */
#define COTENANT_TRACE_VERSION 2
/* Bytes of the smallest and the largest ring. */
#define COTENANT_TRACE_RING_LEAST 4096
#define COTENANT_TRACE_RING_MOST 0x10000000

/* struct trace_record.stamp: bits of the time, then 8 bits of kind, then 8 of vhart. */
#define COTENANT_TRACE_TIME_BITS 48
/* The vhart of a record that concerns none, or a hart that idles. */
#define COTENANT_TRACE_NO_VHART 0xff

/*
 * Kinds of records that begin a trap. In bits 48-63 of their argument: cycles (mcycle) that the
 * trap took in the monitor, from the first instruction behind the register save on; all ones: that
 * many or more. 0 until the trap ends.
 */
/* Machine interrupt. Bits 0-15: code of mcause. */
#define COTENANT_TRACE_INTERRUPT 1
/* SBI call. Bits 0-31: extension; 32-39: function (255: that or more); 40-47: error, signed. */
#define COTENANT_TRACE_SBI 2
/* Any other exception, WFI among them. Bits 0-15: code of mcause. */
#define COTENANT_TRACE_EXCEPTION 3

/* Kinds of records that follow one. */
/*
 * From here on the hart belongs to the record's vhart, or sleeps. Argument: the vhart before. More
 * than one in a trap: the hart slept, or loaded a tenant's images, before the trap was over.
 */
#define COTENANT_TRACE_SWITCH 4
/* External interrupt claimed by the monitor. Argument: source number. */
#define COTENANT_TRACE_SOURCE 5
/* Emulated device access. Bits 0-55: physical address; 56: store. */
#define COTENANT_TRACE_MMIO 6
/* A fault was shown to the vhart. Argument: the address (mtval); the trap before has the cause. */
#define COTENANT_TRACE_FAULT 7
/* The console service does one of its steps. */
#define COTENANT_TRACE_CONSOLE 8
/* Life of a tenant. Bits 0-7: index of the tenant; 8-15: COTENANT_TRACE_TENANT_*. */
#define COTENANT_TRACE_TENANT 9

#define COTENANT_TRACE_TENANT_LOADING 1
#define COTENANT_TRACE_TENANT_STARTED 2
#define COTENANT_TRACE_TENANT_STOPPED 3
#define COTENANT_TRACE_TENANT_CRASHED 4
#define COTENANT_TRACE_TENANT_SUSPENDED 5
#define COTENANT_TRACE_TENANT_HANGS 6

#ifndef __ASSEMBLER__

#include <stdint.h>

struct trace_record {
    uint64_t stamp; /* bits 0-47: mtime; 48-55: COTENANT_TRACE_*; 56-63: index into bundle.vharts */
    uint64_t argument;
};

struct trace_header {
    uint64_t magic;
    uint32_t version;
    uint32_t hart;     /* index into board.harts */
    uint32_t capacity; /* records that the ring holds */
    uint32_t next;     /* index of the record to be written next */
    uint64_t written;  /* records ever written: all but the last `capacity` are overwritten */
    uint64_t started;  /* mtime when recording began */
    /* For reading cycles as time: this many cycles were counted in so many ticks of mtime. */
    uint32_t measured_cycles;
    uint32_t measured_ticks;
};

#endif

#endif
