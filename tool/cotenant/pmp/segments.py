# SPDX-License-Identifier: BSD-2-Clause
"""Segments: the longest ranges within which none of some access maps changes its rights."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from cotenant.pmp.accessmap import AccessMap, Rights
from cotenant.ranges import Range


@dataclass(frozen=True)
class Segment:
    """A range with one constant set of rights per map."""

    range: Range
    rights: tuple[Rights, ...]
    what: str
    separate: bool


def segments_of(maps: Sequence[AccessMap]) -> list[Segment]:
    """Cut the maps into the longest ranges of constant rights, without those no vhart may touch."""
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
            segments[-1] = merged(before, segment)
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


def merged(first: Segment, second: Segment) -> Segment:
    """Return two adjacent segments of equal rights as one."""
    names = dict.fromkeys([*first.what.split(", "), *second.what.split(", ")])
    area = Range(first.range.base, first.range.size + second.range.size)
    return Segment(area, first.rights, ", ".join(names), False)
