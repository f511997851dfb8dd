# SPDX-License-Identifier: BSD-2-Clause
"""Entries that overlap, where that takes fewer: a large one behind the exceptions to it.

The first entry that matches decides. So a *cover*, an entry for a range in which most have the
same rights, can stand behind smaller entries for the parts of it where the rights are others, or
where no vhart has any: these deny what the cover would allow. Covers may lie in each other, the
smaller one first. Without covers, entries only allow, and what none of them matches is denied.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from cotenant.pmp.accessmap import Rights
from cotenant.pmp.encode import Entry, encode
from cotenant.pmp.segments import Segment, merged
from cotenant.ranges import Range


def fewest(segments: Sequence[Segment]) -> list[Entry]:
    """Return entries for segments that are in ascending order, few of them, in order of priority.

    Covers are added one by one, each time the one that saves most, as long as one saves an entry.
    """
    covers: list[Segment] = []
    best = encode(segments)
    while True:
        tried = [[*covers, cover] for cover in _candidates(segments, covers)]
        found = min(tried, key=lambda each: len(_arranged(segments, each)), default=covers)
        entries = _arranged(segments, found)
        if len(entries) >= len(best):
            return best
        best, covers = entries, found


def _arranged(segments: Sequence[Segment], covers: Sequence[Segment]) -> list[Entry]:
    """Return the entries of the exceptions to all covers, and then those of the covers."""
    ordered = sorted(covers, key=lambda cover: cover.range.size)
    return encode([*_exceptions(segments, ordered), *ordered])


def _exceptions(segments: Sequence[Segment], covers: Sequence[Segment]) -> list[Segment]:
    """Return what differs from the smallest cover around it; `covers`: the smallest first.

    A separate segment differs always: it needs an entry of its own.
    """
    starts = {segment.range.base: segment for segment in segments}
    edges = sorted({edge for each in (*segments, *covers) for edge in _edges(each)})
    found: list[Segment] = []
    for base, end in pairwise(edges):
        cover = next((each for each in covers if _contains(each.range, base)), None)
        no_rights = tuple(Rights.NONE for _ in segments[0].rights)
        part = starts.get(base) or Segment(Range(base, end - base), no_rights, "nothing", False)
        if not part.separate and part.rights == (cover.rights if cover else no_rights):
            continue
        if found and found[-1].range.end == base and not any((*found[-1].rights, *part.rights)):
            found[-1] = merged(found[-1], part)
        else:
            found.append(part)
    return found


def _candidates(segments: Sequence[Segment], covers: Sequence[Segment]) -> Iterator[Segment]:
    """Return covers that divide neither a segment nor a cover that there is, the smallest first.

    (An access across two entries would be refused even if both allow it.)
    """
    places = {_block_around(each.range, each.range) for each in segments}
    places |= {_block_around(first.range, second.range) for first, second in pairwise(segments)}
    places |= {
        Range(first.range.base, second.range.end - first.range.base)
        for first, second in combinations(segments, 2)
        if first.rights == second.rights
    }
    places -= {each.range for each in (*segments, *covers)}
    for place in sorted(places, key=lambda each: (each.size, each.base)):
        touched = [each for each in segments if place.overlaps(each.range)]
        if not all(place.contains(each.range) for each in touched):
            continue
        if any(_crosses(place, each.range) for each in covers):
            continue
        inside = [each for each in touched if not each.separate]
        for rights in dict.fromkeys(each.rights for each in inside):
            names = [each.what for each in inside if each.rights == rights]
            yield Segment(place, rights, ", ".join(dict.fromkeys(names)), False)


def _edges(segment: Segment) -> tuple[int, int]:
    return segment.range.base, segment.range.end


def _contains(area: Range, address: int) -> bool:
    return area.base <= address < area.end


def _block_around(first: Range, second: Range) -> Range:
    """Return the smallest naturally aligned power of two that contains both."""
    size = 1 << (first.base ^ (second.end - 1)).bit_length()
    return Range(first.base & -size, size)


def _crosses(place: Range, area: Range) -> bool:
    """Return whether they overlap and neither lies in the other."""
    return place.overlaps(area) and not (place.contains(area) or area.contains(place))
