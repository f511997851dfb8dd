# SPDX-License-Identifier: BSD-2-Clause
"""A range of physical addresses."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Range:
    """`size` bytes from `base`."""

    base: int
    size: int

    @property
    def end(self) -> int:
        """The first address after the range."""
        return self.base + self.size

    def overlaps(self, other: "Range") -> bool:
        """Return whether the two have a byte in common."""
        return self.base < other.end and other.base < self.end

    def contains(self, other: "Range") -> bool:
        """Return whether all of `other` is inside."""
        return self.base <= other.base and other.end <= self.end

    def __str__(self) -> str:
        return f"{self.base:#x}..{self.end - 1:#x}"
