# SPDX-License-Identifier: BSD-2-Clause
"""Sets of action numbers, as the payload takes them: `0-99,500`."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Kept:
    """Numbers in ranges, first and last ones included, in order and apart."""

    ranges: tuple[tuple[int, int], ...]

    @classmethod
    def none(cls) -> "Kept":
        """Return the empty set."""
        return cls(())

    @classmethod
    def all(cls, count: int) -> "Kept":
        """Return the numbers from 0 to `count` - 1."""
        return cls(((0, count - 1),) if count else ())

    @classmethod
    def parse(cls, text: str) -> "Kept":
        """Read `0-99,500`. Raises ValueError for anything else."""
        found = []
        for part in filter(None, text.split(",")):
            first, dash, last = part.partition("-")
            found.append((int(first), int(last if dash else first)))
        return cls.of(found)

    @classmethod
    def of(cls, ranges: Iterable[tuple[int, int]]) -> "Kept":
        """Put ranges in order, and those together that touch."""
        found: list[tuple[int, int]] = []
        for first, last in sorted(ranges):
            if last < first:
                raise ValueError(f"{first}-{last} is no range")
            if found and first <= found[-1][1] + 1:
                found[-1] = (found[-1][0], max(last, found[-1][1]))
            else:
                found.append((first, last))
        return cls(tuple(found))

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def __str__(self) -> str:
        return ",".join(
            f"{first}-{last}" if first != last else str(first) for first, last in self.ranges
        )

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return sum(last - first + 1 for first, last in self.ranges)

    def part(self, start: int, stop: int) -> "Kept":
        """Return the numbers from the `start`-th up to before the `stop`-th."""
        found = []
        seen = 0
        for first, last in self.ranges:
            count = last - first + 1
            low, high = max(start - seen, 0), min(stop - seen, count)
            if low < high:
                found.append((first + low, first + high - 1))
            seen += count
        return Kept(tuple(found))

    def without(self, start: int, stop: int) -> "Kept":
        """Return all but that part."""
        rest = (*self.part(0, start).ranges, *self.part(stop, self.size).ranges)
        return Kept.of(rest)
