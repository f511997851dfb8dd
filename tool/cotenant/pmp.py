# SPDX-License-Identifier: BSD-2-Clause
"""The PMP compiler: from the access maps of the vharts of one hart to PMP entries.

The maps are cut into segments: the longest ranges within which no map changes its rights. Each
segment that anybody may touch becomes entries (see `encode`), and segments never overlap, so the
priority among entries decides nothing and an entry whose rights are 000 for a vhart takes away
only what that vhart may not touch anyway.

If the segments of all vharts fit, their addresses stay resident and a world switch changes only
permissions. Otherwise each vhart gets a set of its own. Either way `pmp_model` then compares the
entries with the maps at every boundary.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

from cotenant.accessmap import AccessMap, Rights
from cotenant.pmp_model import difference
from cotenant.ranges import Range
from cotenant.units import format_size, is_power_of_two

_MODE_SHIFT = 3


class Mode(IntEnum):
    """Address matching of an entry, with the values of the pmpcfg field A."""

    OFF = 0
    TOR = 1
    NA4 = 2
    NAPOT = 3


@dataclass(frozen=True)
class Segment:
    """A range with one constant set of rights per map."""

    range: Range
    rights: tuple[Rights, ...]
    what: str
    separate: bool


@dataclass(frozen=True)
class Entry:
    """One PMP entry: the value of its pmpaddr, its mode, and the segment whose rights it has."""

    address: int
    mode: Mode
    segment: Segment | None

    def config(self, index: int) -> int:
        """Return the pmpcfg byte for the map with that index."""
        rights = self.segment.rights[index] if self.segment else Rights.NONE
        return self.mode << _MODE_SHIFT | rights


@dataclass(frozen=True)
class PmpSet:
    """The PMP registers of one vhart. `claim_entry`: index of the `separate` region's entry."""

    addresses: tuple[int, ...]
    configs: tuple[int, ...]
    used: int
    claim_entry: int | None


@dataclass(frozen=True)
class HartPmp:
    """The sets of a hart's vharts. `together`: entries that one set for all of them needs."""

    sets: tuple[PmpSet, ...]
    together: int
    available: int

    @property
    def shared(self) -> bool:
        """Whether all have equal addresses, so that a world switch changes permissions only."""
        return self.together <= self.available

    @property
    def used(self) -> int:
        """The most entries that any of the vharts uses."""
        return max(each.used for each in self.sets)


class PmpError(Exception):
    """Maps that the PMP of a hart cannot express. `index`: the map, `remedies`: what would help."""

    def __init__(self, index: int, problem: str, remedies: list[str]) -> None:
        super().__init__(problem)
        self.index = index
        self.problem = problem
        self.remedies = remedies


def compile_hart(maps: Sequence[AccessMap], available: int, grain: int) -> HartPmp:
    """Compile the maps of all vharts of a hart with `available` entries of granularity `grain`.

    Raises PmpError if they do not fit.
    """
    for index, access_map in enumerate(maps):
        _check_grain(index, access_map, grain)
    entries = encode(segments_of(maps))
    if len(entries) <= available:
        sets = tuple(_registers(entries, index, available) for index in range(len(maps)))
    else:
        sets = tuple(
            _own_set(index, access_map, available) for index, access_map in enumerate(maps)
        )
    result = HartPmp(sets, len(entries), available)
    _prove(maps, result, grain)
    return result


def segments_of(maps: Sequence[AccessMap]) -> list[Segment]:
    """Cut the maps into the longest ranges of constant rights, without those nobody may touch."""
    edges = sorted(
        {edge for each in maps for region in each for edge in (region.range.base, region.range.end)}
    )
    segments: list[Segment] = []
    for base, end in pairwise(edges):
        segment = _segment(maps, Range(base, end - base))
        if not any(segment.rights):
            continue
        before = segments[-1] if segments else None
        if (
            before is not None
            and before.range.end == base
            and before.rights == segment.rights
            and not before.separate
            and not segment.separate
        ):
            segments[-1] = _merged(before, segment)
        else:
            segments.append(segment)
    return segments


def _segment(maps: Sequence[AccessMap], area: Range) -> Segment:
    """Return the segment for a range that no region's boundary divides."""
    rights = []
    names: list[str] = []
    separate = False
    for access_map in maps:
        union = Rights.NONE
        for region in access_map:
            if region.range.overlaps(area):
                union |= region.rights
                separate |= region.separate
                names.append(region.what)
        rights.append(union)
    return Segment(area, tuple(rights), ", ".join(dict.fromkeys(names)), separate)


def _merged(first: Segment, second: Segment) -> Segment:
    names = dict.fromkeys([*first.what.split(", "), *second.what.split(", ")])
    area = Range(first.range.base, first.range.size + second.range.size)
    return Segment(area, first.rights, ", ".join(names), False)


@dataclass(frozen=True)
class _Partial:
    """Entries for the segments so far; `pieces` counts how many segments' insides are divided."""

    entries: tuple[Entry, ...]
    pieces: int

    def cost(self) -> tuple[int, int]:
        return len(self.entries), self.pieces


def encode(segments: Sequence[Segment]) -> list[Entry]:
    """Return the fewest entries for segments that are in ascending order and do not overlap.

    A segment is either a row of naturally aligned powers of two (NAPOT, NA4), or one TOR entry
    whose lower bound is the address of the entry before it: that of an adjacent TOR segment, an
    OFF entry put there for it, or zero for entry 0. The best row of entries up to a segment
    depends on what comes next only through where its last TOR entry ends, so at most two
    candidates are kept. Among equal counts, undivided segments win: an access across two entries
    would be refused even if both allow it.
    """
    best: dict[int | None, _Partial] = {0: _Partial((), 0)}
    for segment in segments:
        following: dict[int | None, _Partial] = {}
        for tor_end, partial in best.items():
            row = _napot_entries(segment)
            _offer(following, None, partial, row, len(row) > 1)
            if not segment.separate:
                row = _tor_entries(segment, tor_end)
                _offer(following, segment.range.end, partial, row, False)
        best = following
    return list(min(best.values(), key=_Partial.cost).entries)


def _offer(
    candidates: dict[int | None, _Partial],
    tor_end: int | None,
    partial: _Partial,
    row: list[Entry],
    divided: bool,
) -> None:
    candidate = _Partial((*partial.entries, *row), partial.pieces + divided)
    if tor_end not in candidates or candidate.cost() < candidates[tor_end].cost():
        candidates[tor_end] = candidate


def napot_blocks(area: Range) -> list[Range]:
    """Divide a range into the fewest naturally aligned powers of two."""
    blocks = []
    base = area.base
    while base < area.end:
        size = 1 << ((area.end - base).bit_length() - 1)
        if base:
            size = min(size, base & -base)
        blocks.append(Range(base, size))
        base += size
    return blocks


def _napot_entries(segment: Segment) -> list[Entry]:
    entries = []
    for block in napot_blocks(segment.range):
        if block.size == 4:
            entries.append(Entry(block.base >> 2, Mode.NA4, segment))
        else:
            address = block.base >> 2 | ((block.size >> 3) - 1)
            entries.append(Entry(address, Mode.NAPOT, segment))
    return entries


def _tor_entries(segment: Segment, tor_end: int | None) -> list[Entry]:
    """Return the entries of a TOR segment; `tor_end`: the bound that is there already, if any."""
    top = Entry(segment.range.end >> 2, Mode.TOR, segment)
    if tor_end == segment.range.base:
        return [top]
    return [Entry(segment.range.base >> 2, Mode.OFF, None), top]


def _own_set(index: int, access_map: AccessMap, available: int) -> PmpSet:
    segments = segments_of([access_map])
    entries = encode(segments)
    if len(entries) > available:
        raise PmpError(
            index,
            f"needs {len(entries)} PMP entries, but a hart has {available}",
            _remedies(segments),
        )
    return _registers(entries, 0, available)


def _registers(entries: Sequence[Entry], index: int, available: int) -> PmpSet:
    unused = available - len(entries)
    claims = [
        number
        for number, entry in enumerate(entries)
        if entry.segment is not None and entry.segment.separate and entry.segment.rights[index]
    ]
    return PmpSet(
        addresses=tuple(entry.address for entry in entries) + (0,) * unused,
        configs=tuple(entry.config(index) for entry in entries) + (0,) * unused,
        used=len(entries),
        claim_entry=claims[0] if claims else None,
    )


def _check_grain(index: int, access_map: AccessMap, grain: int) -> None:
    for region in access_map:
        if region.range.base % grain or region.range.size % grain:
            raise PmpError(
                index,
                f"{region.what} at {region.range} is not a multiple of the PMP grain of {grain}",
                [f"align its base and size to {format_size(grain)}"],
            )


def _remedies(segments: Sequence[Segment]) -> list[str]:
    """Say which regions to align or to merge, the cheapest change first."""
    remedies = []
    for first, second in pairwise(segments):
        gap = second.range.base - first.range.end
        alike = first.rights == second.rights and not (first.separate or second.separate)
        if alike and 0 < gap <= max(first.range.size, second.range.size):
            remedies.append(
                f"merge {first.what} with {second.what} (owning the {format_size(gap)} "
                "between them as well, they are one region)"
            )
    for segment in segments:
        if len(napot_blocks(segment.range)) > 1:
            size = segment.range.size
            better = size if is_power_of_two(size) else 1 << size.bit_length()
            remedies.append(
                f"make {segment.what} {format_size(better)}, at a multiple of that "
                "(it is one entry then)"
            )
    return remedies or ["own fewer separate devices"]


def _prove(maps: Sequence[AccessMap], result: HartPmp, grain: int) -> None:
    for index, (access_map, registers) in enumerate(zip(maps, result.sets, strict=True)):
        found = difference(access_map, registers.addresses, registers.configs, grain)
        if found is not None:
            raise PmpError(index, f"the compiled PMP entries are wrong: {found}", [])
