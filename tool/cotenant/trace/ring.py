# SPDX-License-Identifier: BSD-2-Clause
"""The rings of abi/trace.h: bytes of memory into records in the order in which they were made."""

import struct
from ctypes import LittleEndianStructure, c_uint32, c_uint64, sizeof
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from cotenant.abi import trace as constant
from cotenant.errors import TraceError
from cotenant.trace.system import TracedSystem

_TIME_BITS = constant("TIME_BITS")
_TIME_MASK = (1 << _TIME_BITS) - 1

NO_VHART = constant("NO_VHART")


class TraceRecord(LittleEndianStructure):
    """struct trace_record"""

    _fields_ = [("stamp", c_uint64), ("argument", c_uint64)]


class TraceHeader(LittleEndianStructure):
    """struct trace_header"""

    _fields_ = [
        ("magic", c_uint64),
        ("version", c_uint32),
        ("hart", c_uint32),
        ("capacity", c_uint32),
        ("next", c_uint32),
        ("written", c_uint64),
        ("started", c_uint64),
        ("measured_cycles", c_uint32),
        ("measured_ticks", c_uint32),
    ]


STRUCTURES: dict[str, type[LittleEndianStructure]] = {
    "trace_record": TraceRecord,
    "trace_header": TraceHeader,
}


class Kind(IntEnum):
    """Kinds of records. The first three begin a trap, the others follow one."""

    INTERRUPT = constant("INTERRUPT")
    SBI = constant("SBI")
    EXCEPTION = constant("EXCEPTION")
    SWITCH = constant("SWITCH")
    SOURCE = constant("SOURCE")
    MMIO = constant("MMIO")
    FAULT = constant("FAULT")
    CONSOLE = constant("CONSOLE")
    TENANT = constant("TENANT")


class Record(NamedTuple):
    """A record: `time` in ticks of mtime since power-on."""

    time: int
    kind: Kind
    vhart: int
    argument: int


@dataclass(frozen=True)
class Ring:
    """What one hart recorded, oldest first."""

    hart: int
    """index of the hart"""
    records: tuple[Record, ...]
    lost: int
    """records that newer ones have overwritten"""
    ticks_per_cycle: float
    """for reading cycles as time; 0 if the hart's cycle counter stands still"""


def decode(memory: bytes, system: TracedSystem) -> list[Ring]:
    """Return the rings of all harts. Raises TraceError if the memory does not hold them."""
    if len(memory) != system.size:
        raise TraceError(
            f"the trace of {len(system.harts)} harts takes {system.size} bytes, not {len(memory)}: "
            "read all of it, and give the ring size that the bundle was built with"
        )
    size = system.ring_size
    return [
        decode_ring(memory[hart * size : (hart + 1) * size], hart, len(system.vharts))
        for hart in range(len(system.harts))
    ]


def decode_ring(memory: bytes, hart: int, vharts: int) -> Ring:
    """Return one hart's ring. Raises TraceError, naming what is wrong with it."""
    header = TraceHeader.from_buffer_copy(memory)
    _check_header(header, hart, len(memory))
    kept = min(header.written, header.capacity)
    body = memory[sizeof(header) : sizeof(header) + kept * sizeof(TraceRecord)]
    pairs = list(struct.iter_unpack("<QQ", body))
    if header.written > header.capacity:
        pairs = pairs[header.next :] + pairs[: header.next]
    records = tuple(_records(pairs, header, hart, vharts))
    measured = header.measured_ticks / header.measured_cycles if header.measured_cycles else 0.0
    return Ring(hart, records, header.written - kept, measured)


def _check_header(header: TraceHeader, hart: int, size: int) -> None:
    where = f"the trace of hart {hart}"
    if header.magic != constant("MAGIC"):
        raise TraceError(
            f"there is no trace of hart {hart} in this memory: was it read at the address that "
            "'cotenant build --trace' names, after the monitor had started?"
        )
    if header.version != constant("VERSION"):
        raise TraceError(
            f"{where} has version {header.version}, and this tool reads {constant('VERSION')}: "
            "use the tool that built the bundle"
        )
    room = (size - sizeof(TraceHeader)) // sizeof(TraceRecord)
    if header.hart != hart or header.capacity != room:
        raise TraceError(
            f"{where} is that of hart {header.hart} with {header.capacity} records, where "
            f"{room} were expected: give the ring size that the bundle was built with"
        )
    if header.next != header.written % header.capacity:
        raise TraceError(
            f"{where} is garbled: {header.written} records were written, and the next one is to "
            f"be {header.next} of {header.capacity}; was the machine halted when it was read?"
        )


def _records(
    pairs: list[tuple[int, int]], header: TraceHeader, hart: int, vharts: int
) -> list[Record]:
    kinds = {int(kind): kind for kind in Kind}
    records = []
    last = header.started
    for number, (stamp, argument) in enumerate(pairs):
        # The upper bits of the time are those that make it not earlier than the start.
        time = header.started + ((stamp - header.started) & _TIME_MASK)
        kind = kinds.get(stamp >> _TIME_BITS & 0xFF)
        vhart = stamp >> 56
        known = vhart < vharts or vhart == NO_VHART
        if kind is None or not known or time < last:
            raise TraceError(
                f"record {number} of hart {hart}'s trace is garbled ({stamp:#x}): "
                "was the machine halted when it was read?"
            )
        records.append(Record(time, kind, vhart, argument))
        last = time
    return records
