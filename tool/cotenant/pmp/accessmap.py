# SPDX-License-Identifier: BSD-2-Clause
"""What one vhart may touch, and how: the map that the PMP entries have to mean.

Everything that is not in the map is denied.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntFlag

from cotenant.board import Board, BoardHart
from cotenant.ranges import Range


class Rights(IntFlag):
    """Rights, with the values of the pmpcfg bits."""

    NONE = 0
    R = 1
    W = 2
    X = 4
    RW = R | W
    RWX = R | W | X

    def __str__(self) -> str:
        return "".join(
            letter if self & bit else "-"
            for letter, bit in (("r", Rights.R), ("w", Rights.W), ("x", Rights.X))
        )


@dataclass(frozen=True)
class Region:
    """A range with its rights. `separate`: it must have a PMP entry of its own."""

    range: Range
    rights: Rights
    what: str
    separate: bool = False

    def __post_init__(self) -> None:
        if self.rights & Rights.RW == Rights.W:
            raise ValueError("PMP reserves the combination of writable and not readable")


AccessMap = tuple[Region, ...]


def for_vhart(
    tenant: str,
    memory: Iterable[Range],
    windows: Mapping[str, Range],
    registers: Iterable[tuple[str, Range]],
    board: Board,
    passthrough: BoardHart | None,
) -> AccessMap:
    """Return the map of a tenant's vhart. `windows`: memory that it shares, by channels' names;
    `registers`: of its devices, with their names.

    `passthrough`: the hart whose S-mode PLIC context is passed through to the vhart, or None.
    Its enable words can then be read, because the stock driver reads them at each interrupt, and
    its claim/complete register read, and written where the PLIC itself looks whose source it is;
    that one is a PMP entry of its own, because the monitor takes it away while a virtual interrupt
    is pending.
    """
    regions = [Region(each, Rights.RWX, f"memory of {tenant}") for each in memory]
    regions += [Region(each, Rights.RW, f"window {name}") for name, each in windows.items()]
    regions += [Region(area, Rights.RW, name) for name, area in registers]
    if passthrough is not None:
        context = passthrough.plic_s_context
        assert context is not None
        regions.append(
            Region(board.plic.enable_words(context), Rights.R, f"PLIC enables of {context}")
        )
        claim = Rights.RW if board.plic.checks_completions else Rights.R
        regions.append(
            Region(board.plic.claim(context), claim, f"PLIC claim of {context}", separate=True)
        )
    return tuple(sorted(regions, key=lambda region: region.range.base))
