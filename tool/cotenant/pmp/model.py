# SPDX-License-Identifier: BSD-2-Clause
"""What PMP entries mean: a model of the privileged specification, section 3.7.

It shares nothing with the compiler, so that the proof does not repeat its mistakes. The
accesses modelled are those of S-mode and U-mode; no entry is locked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cotenant.pmp.accessmap import AccessMap, Rights

_MODE_SHIFT = 3
_MODES = ("OFF", "TOR", "NA4", "NAPOT")
_ADDRESS_SHIFT = 2
_ADDRESS_BITS = 54


@dataclass(frozen=True)
class Match:
    """The addresses low..high-1 that an active entry matches, its rights and its number."""

    low: int
    high: int
    rights: Rights
    entry: int


def decode(addresses: Sequence[int], configs: Sequence[int]) -> list[Match]:
    """Return what each active entry matches, in the order of priority."""
    matches = []
    for index, (address, config) in enumerate(zip(addresses, configs, strict=True)):
        mode = _MODES[(config >> _MODE_SHIFT) & 3]
        rights = Rights(config & Rights.RWX)
        if mode == "TOR":
            below = addresses[index - 1] if index else 0
            low, high = below << _ADDRESS_SHIFT, address << _ADDRESS_SHIFT
        elif mode == "NA4":
            low = address << _ADDRESS_SHIFT
            high = low + 4
        elif mode == "NAPOT":
            ones = 0
            while address >> ones & 1:
                ones += 1
            low = (address >> ones << ones) << _ADDRESS_SHIFT
            high = low + (8 << ones)
        else:
            continue
        matches.append(Match(low, high, rights, index))
    return matches


def rights_at(matches: Sequence[Match], address: int, size: int) -> Rights:
    """Return what an access to `size` bytes may do.

    The first entry that matches any byte decides, and it must match all of them; where none
    matches, S-mode and U-mode have no rights.
    """
    for match in matches:
        if address < match.high and match.low < address + size:
            inside = match.low <= address and address + size <= match.high
            return match.rights if inside else Rights.NONE
    return Rights.NONE


def wanted_at(access_map: AccessMap, address: int, without_separate: bool = False) -> Rights:
    """Return the rights that the map gives at an address.

    `without_separate`: there are none where a separate region is, whatever else is there.
    """
    rights = Rights.NONE
    for region in access_map:
        if region.range.base <= address < region.range.end:
            if region.separate and without_separate:
                return Rights.NONE
            rights |= region.rights
    return rights


def difference(
    access_map: AccessMap,
    addresses: Sequence[int],
    configs: Sequence[int],
    grain: int,
    without_separate: bool = False,
) -> str | None:
    """Compare entries with the map they should mean: None if they are equal, else a sentence.

    The map and the entries are both constant between their boundaries, so looking at the grain
    before, at and after each boundary of either is looking everywhere.
    """
    matches = decode(addresses, configs)
    top = 4 << _ADDRESS_BITS
    boundaries = {0, top}
    boundaries.update(edge for match in matches for edge in (match.low, match.high))
    boundaries.update(
        edge for region in access_map for edge in (region.range.base, region.range.end)
    )
    probes = {edge + step for edge in boundaries for step in (-grain, 0, grain)}
    for probe in sorted(probes):
        if not 0 <= probe < top:
            continue
        wanted = wanted_at(access_map, probe, without_separate)
        got = rights_at(matches, probe, grain)
        if wanted != got:
            return f"at {probe:#x} the map says {wanted} and the PMP entries {got}"
    return None
