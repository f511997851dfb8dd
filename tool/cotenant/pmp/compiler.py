# SPDX-License-Identifier: BSD-2-Clause
"""The PMP compiler: from the access maps of the vharts of one hart to PMP entries.

The maps are cut into segments (`segments`). Each segment that a vhart may touch becomes entries
(`encode`); where that takes fewer, a large entry stands behind the exceptions to it
(`covers`). What no entry matches is denied.

If the segments of all vharts fit, their addresses stay resident and a world switch changes only
permissions. Otherwise each vhart gets a set of its own. Either way `model` then compares the
entries with the maps at every boundary, with the claim register open and closed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from cotenant.pmp.accessmap import AccessMap, Rights
from cotenant.pmp.covers import fewest
from cotenant.pmp.encode import Entry, napot_blocks
from cotenant.pmp.model import difference
from cotenant.pmp.segments import Segment, segments_of
from cotenant.units import format_size, is_power_of_two


@dataclass(frozen=True)
class PmpSet:
    """The PMP registers of one vhart. `claim_entry`: index of the `separate` region's entry."""

    addresses: tuple[int, ...]
    configs: tuple[int, ...]
    used: int
    claim_entry: int | None

    def with_claim_closed(self) -> "PmpSet":
        """Return them as the monitor leaves them when it has taken the claim register away.

        The entry keeps its mode: it goes on to match, and denies.
        """
        configs = list(self.configs)
        if self.claim_entry is not None:
            configs[self.claim_entry] &= ~int(Rights.RWX)
        return replace(self, configs=tuple(configs))


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


def compile_hart(
    maps: Sequence[AccessMap], entries_of_hart: int, grain: int, kept: int = 0
) -> HartPmp:
    """Compile the maps of all vharts of a hart with so many entries of granularity `grain`.

    The last `kept` entries stay free.

    Raises PmpError if they do not fit.
    """
    available = entries_of_hart - kept
    for index, access_map in enumerate(maps):
        _check_grain(index, access_map, grain)
    entries = fewest(segments_of(maps))
    if len(entries) <= available:
        sets = tuple(
            _registers(entries, index, access_map, available)
            for index, access_map in enumerate(maps)
        )
    else:
        sets = tuple(
            _own_set(index, access_map, available) for index, access_map in enumerate(maps)
        )
    sets = tuple(
        replace(each, addresses=each.addresses + (0,) * kept, configs=each.configs + (0,) * kept)
        for each in sets
    )
    result = HartPmp(sets, len(entries), available)
    _prove(maps, result, grain)
    return result


def surely_too_many(access_map: AccessMap, entries: int) -> bool:
    """Tell, at once, of some maps that so many entries cannot express them.

    An entry begins at one address and ends at one; every change of rights is at one of these.
    """
    segments = segments_of([access_map])
    edges = {edge for each in segments for edge in (each.range.base, each.range.end)}
    return len(edges) > 2 * entries


def _own_set(index: int, access_map: AccessMap, available: int) -> PmpSet:
    segments = segments_of([access_map])
    entries = fewest(segments)
    if len(entries) > available:
        raise PmpError(
            index,
            f"needs {len(entries)} PMP entries, but a hart has {available}",
            _remedies(segments),
        )
    return _registers(entries, 0, access_map, available)


def _registers(
    entries: Sequence[Entry], index: int, access_map: AccessMap, available: int
) -> PmpSet:
    unused = available - len(entries)
    separate = [region.range for region in access_map if region.separate]
    claims = [
        number
        for number, entry in enumerate(entries)
        if entry.segment is not None and entry.segment.range in separate
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
        closed = registers.with_claim_closed()
        found = difference(access_map, registers.addresses, registers.configs, grain) or difference(
            access_map, closed.addresses, closed.configs, grain, without_separate=True
        )
        if found is not None:
            raise PmpError(index, f"the compiled PMP entries are wrong: {found}", [])
