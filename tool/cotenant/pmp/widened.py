# SPDX-License-Identifier: BSD-2-Clause
"""Registers of many devices by few PMP entries: with what is between them and nobody's.

Nothing is at most of these addresses, or devices that the board's file does not have. So it is for
a tenant that could reach all memory anyway, by the DMA of its devices.
"""

from collections.abc import Sequence

from cotenant.ranges import Range

# Physical addresses of the privileged ISA.
_END = 1 << 56


def widened(own: Sequence[Range], closed: Sequence[Range]) -> list[Range]:
    """Return ranges that contain `own` and else touch nothing of `closed`, ascending and few.

    Each is one naturally aligned block if there is one, else all that lies between what is closed.
    Of `own`, what overlaps something closed stays as it is.
    """
    found = []
    for gap in _gaps(closed):
        inside = [each for each in own if gap.contains(each)]
        if not inside:
            continue
        low, high = min(each.base for each in inside), max(each.end for each in inside)
        size = 1 << (low ^ (high - 1)).bit_length()
        block = Range(low & -size, size)
        found.append(block if gap.contains(block) else gap)
    left = [each for each in own if not any(area.contains(each) for area in found)]
    return sorted([*found, *left], key=lambda area: area.base)


def _gaps(closed: Sequence[Range]) -> list[Range]:
    gaps = []
    base = 0
    for each in sorted(closed, key=lambda area: area.base):
        if each.base > base:
            gaps.append(Range(base, each.base - base))
        base = max(base, each.end)
    return [*gaps, Range(base, _END - base)]
