# SPDX-License-Identifier: BSD-2-Clause
"""Records into what people look at: who had the hart when, and what the monitor did meanwhile.

Times are nanoseconds of the machine's clock (mtime). A trap's start is known to a tick of that
clock; its length comes from the cycle counter and is finer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise

from cotenant.trace import names
from cotenant.trace.ring import NO_VHART, Kind, Record, Ring
from cotenant.trace.system import TracedSystem

_TRAPS = (Kind.INTERRUPT, Kind.SBI, Kind.EXCEPTION)
_ILLEGAL_INSTRUCTION = 2
_CYCLES_SHIFT = 48
_MOST_CYCLES = 0xFFFF

IDLE = "idle"


class Track(Enum):
    """The tracks of a hart below the one that shows who runs."""

    INTERRUPTS = "interrupts"
    CALLS = "SBI calls"
    DEVICES = "emulated devices"
    WAITS = "waits"
    FAULTS = "faults"
    CONSOLE = "console"
    TENANTS = "tenants"


@dataclass(frozen=True)
class Event:
    """Something that took from `start` to `end`, nanoseconds; an instant if the two are equal."""

    start: int
    end: int
    name: str
    details: dict[str, int | str] = field(default_factory=dict)


@dataclass(frozen=True)
class HartTimeline:
    """One hart. Events of a track are in order and do not overlap."""

    name: str
    running: tuple[Event, ...]
    """who had the hart: an event without a gap after another, named after the tenant"""
    tracks: dict[Track, list[Event]]
    lost: int
    """records older than these, overwritten"""

    def longest_trap(self) -> Event | None:
        """Return the trap that kept the hart in the monitor for the longest time."""
        traps = [event for events in self.tracks.values() for event in events if event.details]
        return max(traps, key=lambda event: event.end - event.start, default=None)


@dataclass(frozen=True)
class _Trap:
    """A record that begins a trap and those that follow from it."""

    begin: Record
    followers: tuple[Record, ...]

    def follower(self, kind: Kind) -> Record | None:
        return next((each for each in self.followers if each.kind is kind), None)


def build(rings: Sequence[Ring], system: TracedSystem) -> list[HartTimeline]:
    """Return the timeline of each hart that recorded anything."""
    return [_Builder(ring, system).build() for ring in rings if ring.records]


class _Builder:
    def __init__(self, ring: Ring, system: TracedSystem) -> None:
        self._ring = ring
        self._system = system

    def build(self) -> HartTimeline:
        tracks: dict[Track, list[Event]] = {track: [] for track in Track}
        traps = list(self._traps())
        limits = [self._ns(trap.begin.time) for trap in traps[1:]]
        limits.append(self._ns(self._ring.records[-1].time))
        for trap, limit in zip(traps, limits, strict=False):
            track, event = self._trap_event(trap, limit)
            tracks[track].append(event)
        for record in self._ring.records:
            if record.kind is Kind.CONSOLE:
                tracks[Track.CONSOLE].append(self._instant(record, "console step"))
            elif record.kind is Kind.TENANT:
                tracks[Track.TENANTS].append(self._tenant_event(record))
        name = f"hart {self._system.harts[self._ring.hart]}"
        return HartTimeline(name, tuple(self._running()), tracks, self._ring.lost)

    def _ns(self, ticks: int) -> int:
        return ticks * 1_000_000_000 // self._system.timebase_hz

    def _name(self, vhart: int) -> str:
        return IDLE if vhart == NO_VHART else self._system.vhart_name(vhart)

    def _running(self) -> Iterator[Event]:
        records = self._ring.records
        switches = [record for record in records if record.kind is Kind.SWITCH]
        first, last = records[0], records[-1]
        if self._ring.lost:
            # Who ran before the first switch that is left? It says so itself.
            before = switches[0].argument & 0xFF if switches else first.vhart
            switches.insert(0, Record(first.time, Kind.SWITCH, before, NO_VHART))
        if not switches:
            return
        for switch, after in pairwise([*switches, last]):
            start, end = self._ns(switch.time), self._ns(after.time)
            yield Event(start, end, self._name(switch.vhart))

    def _traps(self) -> Iterator[_Trap]:
        begin: Record | None = None
        followers: list[Record] = []
        for record in self._ring.records:
            if record.kind in _TRAPS:
                if begin:
                    yield _Trap(begin, tuple(followers))
                begin, followers = record, []
            else:
                followers.append(record)
        # The machine may have been halted in the middle of the last one, which then has no length.
        if begin and begin.argument >> _CYCLES_SHIFT:
            yield _Trap(begin, tuple(followers))

    def _trap_event(self, trap: _Trap, limit: int) -> tuple[Track, Event]:
        """Return a trap's event; it ends at `limit`, where the next one begins, at the latest."""
        track, name, details = self._describe(trap)
        start = self._ns(trap.begin.time)
        cycles = trap.begin.argument >> _CYCLES_SHIFT
        end = min(limit, start + int(self._ns(1) * cycles * self._ring.ticks_per_cycle))
        switches = [each for each in trap.followers if each.kind is Kind.SWITCH]
        if len(switches) > 1 or (switches and cycles == _MOST_CYCLES):
            end = min(end, self._ns(switches[0].time))  # then it slept, or loaded images
        details = {"tenant": self._name(trap.begin.vhart), "cycles": cycles, **details}
        return track, Event(start, max(start, end), name, details)

    def _describe(self, trap: _Trap) -> tuple[Track, str, dict[str, int | str]]:
        argument = trap.begin.argument
        if trap.begin.kind is Kind.INTERRUPT:
            source = trap.follower(Kind.SOURCE)
            details: dict[str, int | str] = {"source": source.argument} if source else {}
            return Track.INTERRUPTS, names.interrupt(argument & 0xFFFF), details
        if trap.begin.kind is Kind.SBI:
            error = (argument >> 40 & 0xFF ^ 0x80) - 0x80
            name = names.sbi_call(argument & 0xFFFFFFFF, argument >> 32 & 0xFF)
            return Track.CALLS, name, {"result": names.sbi_error(error)}
        if access := trap.follower(Kind.MMIO):
            return Track.DEVICES, *self._describe_access(access)
        return self._describe_exception(trap)

    def _describe_access(self, access: Record) -> tuple[str, dict[str, int | str]]:
        address = access.argument & (1 << 56) - 1
        verb = "store" if access.argument >> 56 & 1 else "load"
        device = self._system.tenant_of(access.vhart).device_at(address)
        place = f"{device[0]}+{device[1]:#x}" if device else f"{address:#x}"
        return f"{verb} {place}", {"address": f"{address:#x}"}

    def _describe_exception(self, trap: _Trap) -> tuple[Track, str, dict[str, int | str]]:
        cause = trap.begin.argument & 0xFFFF
        if fault := trap.follower(Kind.FAULT):
            return Track.FAULTS, names.exception(cause), {"address": f"{fault.argument:#x}"}
        if cause == _ILLEGAL_INSTRUCTION and trap.follower(Kind.SWITCH):
            return Track.WAITS, "wait for interrupt", {}
        return Track.FAULTS, names.exception(cause), {}

    def _instant(self, record: Record, name: str) -> Event:
        return Event(self._ns(record.time), self._ns(record.time), name)

    def _tenant_event(self, record: Record) -> Event:
        tenant = self._system.tenants[record.argument & 0xFF].name
        return self._instant(record, f"{tenant} {names.tenant_event(record.argument >> 8 & 0xFF)}")
