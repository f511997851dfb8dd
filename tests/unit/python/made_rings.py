# SPDX-License-Identifier: BSD-2-Clause
"""Rings of a trace as the monitor would leave them in memory."""

import struct
from collections.abc import Sequence

from cotenant import abi
from cotenant.trace.ring import NO_VHART, Kind
from cotenant.trace.system import TracedSystem, TracedTenant

RING_SIZE = 4096
CAPACITY = (RING_SIZE - 48) // 16
LINUX, RTOS = 0, 1
TICK_NS = 100
CYCLES_PER_TICK = 100
STARTED = 1_000

# Time, kind, vhart, argument.
Entry = tuple[int, Kind, int, int]

SYSTEM = TracedSystem(
    tenants=(
        TracedTenant("linux", (("UART", 0x1000_0000), ("PLIC", 0x0C00_0000))),
        TracedTenant("rtos", ()),
    ),
    vharts=((0, 0), (1, 0)),
    harts=(3,),
    timebase_hz=10_000_000,
    base=0x9000_0000,
    ring_size=RING_SIZE,
)


def header(written: int, /, **changes: int) -> bytes:
    """Return a ring's header; `changes` replace fields."""
    fields = {
        "magic": abi.trace("MAGIC"),
        "version": abi.trace("VERSION"),
        "hart": 0,
        "capacity": CAPACITY,
        "next": written % CAPACITY,
        "written": written,
        "started": STARTED,
        "measured_cycles": 256 * CYCLES_PER_TICK,
        "measured_ticks": 256,
    }
    return struct.pack("<QIIIIQQII", *(fields | changes).values())


def entry(record: Entry) -> bytes:
    """Return a record's bytes."""
    time, kind, vhart, argument = record
    return struct.pack("<QQ", time % (1 << 48) | kind << 48 | vhart << 56, argument)


def ring(records: Sequence[Entry], /, **changes: int) -> bytes:
    """Return a ring into which all of `records` were written, garbage where nothing was."""
    places = [b"\xa5" * 16] * CAPACITY
    for number, record in enumerate(records):
        places[number % CAPACITY] = entry(record)
    return (header(len(records), **changes) + b"".join(places)).ljust(RING_SIZE, b"\xa5")


def trap(time: int, kind: Kind, vhart: int, argument: int, ticks: int = 2) -> Entry:
    """Return a record that begins a trap of some length."""
    return (time, kind, vhart, argument | ticks * CYCLES_PER_TICK << 48)


def switch(time: int, before: int, after: int) -> Entry:
    """Return the record of a world switch."""
    return (time, Kind.SWITCH, after, before)


def wake_ups(count: int) -> list[Entry]:
    """Return the records of an RTOS that wakes up every millisecond and calls set_timer."""
    records = [switch(2_000, NO_VHART, LINUX)]
    for time in range(10_000, 10_000 + 10_000 * count, 10_000):
        records += [
            trap(time, Kind.INTERRUPT, LINUX, 7),
            switch(time + 2, LINUX, RTOS),
            trap(time + 50, Kind.SBI, RTOS, abi.header("sbi.h")["SBI_EXT_TIME"], 1),
            trap(time + 100, Kind.EXCEPTION, RTOS, 2),
            switch(time + 102, RTOS, LINUX),
        ]
    return records
