# SPDX-License-Identifier: BSD-2-Clause
"""PMP entries, and how the ranges of segments are expressed by them (NAPOT, NA4, TOR)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from cotenant.pmp.accessmap import Rights
from cotenant.pmp.segments import Segment
from cotenant.ranges import Range

_MODE_SHIFT = 3


class Mode(IntEnum):
    """Address matching of an entry, with the values of the pmpcfg field A."""

    OFF = 0
    TOR = 1
    NA4 = 2
    NAPOT = 3


@dataclass(frozen=True)
class Entry:
    """One PMP entry: the value of its pmpaddr, its mode, and the segment whose rights it has."""

    address: int
    mode: Mode
    segment: Segment | None

    def config(self, index: int) -> int:
        """Return the pmpcfg byte for the map with that index."""
        rights = self.segment.rights[index] if self.segment else Rights.NONE
        return int(self.mode) << _MODE_SHIFT | int(rights)


@dataclass(frozen=True)
class _Partial:
    """Entries for the segments so far; `pieces` counts how many segments' insides are divided."""

    entries: tuple[Entry, ...]
    pieces: int

    def cost(self) -> tuple[int, int]:
        return len(self.entries), self.pieces


def encode(segments: Sequence[Segment]) -> list[Entry]:
    """Return the fewest entries for segments in the order of their priority, the first one first.

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
