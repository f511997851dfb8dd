# SPDX-License-Identifier: BSD-2-Clause
"""Which basic blocks of the monitor ran, by what QEMU translated: it translates what it runs.

QEMU logs the instructions of a block when it translates it, once, which costs next to nothing.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cotenant.bounds.image import Image
from cotenant.bounds.instructions import Decoder, Kind
from cotenant.errors import BoundsError

_LINE = re.compile(r"^0x([0-9a-f]+):  ", re.MULTILINE)
_ENDS = (Kind.BRANCH, Kind.JUMP, Kind.INDIRECT_JUMP, Kind.END)


def qemu_options(log: Path, base: int, size: int) -> tuple[str, ...]:
    """Return the options that have QEMU log what it translates of the monitor."""
    return ("-d", "in_asm", "-D", str(log), "-dfilter", f"{base:#x}+{size:#x}")


@dataclass(frozen=True)
class FunctionCoverage:
    """How much of a function ran."""

    name: str
    ran: int
    blocks: int


class Blocks:
    """The basic blocks of a monitor's ELF file, by the addresses that it is linked at."""

    def __init__(self, elf: Path) -> None:
        self._image = Image(elf)
        self._origin = self._image.address("monitor_start")

    @cached_property
    def leaders(self) -> list[int]:
        """Where blocks begin."""
        found: set[int] = set()
        decoder = Decoder(self._image.fetch)
        symbols = sorted(
            (each for each in self._image.symbols if each.is_code), key=lambda each: each.address
        )
        # Labels of assembly have no size: they go up to the next one.
        for symbol, following in zip(symbols, [*symbols[1:], None], strict=True):
            next_one = following.address if following else symbol.address
            end = symbol.address + symbol.size if symbol.size else next_one
            address = symbol.address
            found.add(address)
            while address < end:
                try:
                    each = decoder.at(address)
                except BoundsError:
                    break
                if each.kind in _ENDS and each.after < end:
                    found.add(each.after)
                if each.kind in (Kind.BRANCH, Kind.JUMP) and symbol.address <= each.target < end:
                    found.add(each.target)
                address = each.after
        return sorted(found)

    def ran(self, log: str, base: int) -> set[int]:
        """Return the blocks whose first instruction is in QEMU's log; `base` is the monitor's."""
        moved = base - self._origin
        executed = {int(address, 16) - moved for address in _LINE.findall(log)}
        return executed.intersection(self.leaders)

    def by_function(self, ran: Iterable[int]) -> list[FunctionCoverage]:
        """Return what ran of each function, the least covered ones first."""
        total: dict[str, int] = defaultdict(int)
        seen: dict[str, int] = defaultdict(int)
        for leader in self.leaders:
            total[self._image.name(leader)] += 1
        for leader in ran:
            seen[self._image.name(leader)] += 1
        found = [FunctionCoverage(name, seen[name], count) for name, count in total.items()]
        return sorted(found, key=lambda each: (each.ran / each.blocks, -each.blocks, each.name))

    def names(self, blocks: Iterable[int]) -> list[str]:
        """Return blocks as they are in reports, the same for the same monitor."""
        return [self._names[block] for block in blocks]

    def addresses(self, names: Iterable[str]) -> list[int]:
        """Return the blocks of such names."""
        by_name = {name: block for block, name in self._names.items()}
        return [by_name[name] for name in names if name in by_name]

    @cached_property
    def _names(self) -> dict[int, str]:
        """`function+0x10`, counted from the start of the file: some functions share a name."""
        start = self._origin
        return {each: f"{self._image.name(each)}+{each - start:#x}" for each in self.leaders}
