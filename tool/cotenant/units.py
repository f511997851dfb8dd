# SPDX-License-Identifier: BSD-2-Clause
"""Sizes and durations as people write them: "512M", "4K", "10ms", "300us"."""

import re

_SIZE = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)\s*([KMGT]?)(i?B)?")
_SIZE_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(us|ms|s)")
_DURATION_UNITS = {"us": 1, "ms": 1_000, "s": 1_000_000}


def parse_size(text: str) -> int:
    """Return bytes. Units are powers of 1024: K, M, G, T, each with or without iB.

    Raises ValueError with what is wrong.
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise ValueError(f'"{text}" is not a size')
    return int(found[1], 0) << _SIZE_UNITS[found[2]]


def parse_duration(text: str) -> int:
    """Return microseconds. Units: us, ms, s. Raises ValueError with what is wrong."""
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise ValueError(f'"{text}" is not a duration')
    microseconds = float(found[1]) * _DURATION_UNITS[found[2]]
    if microseconds != int(microseconds):
        raise ValueError(f'"{text}" is not a whole number of microseconds')
    return int(microseconds)


def format_size(size: int) -> str:
    """Return bytes in the largest unit that gives a whole number: 536870912 -> "512M"."""
    for unit in "TGMK":
        if size and size % (1 << _SIZE_UNITS[unit]) == 0:
            return f"{size >> _SIZE_UNITS[unit]}{unit}"
    return f"{size} bytes"


def format_duration(microseconds: int) -> str:
    """Return microseconds in the largest unit that gives a whole number: 10000 -> "10ms"."""
    for unit in ("s", "ms"):
        if microseconds and microseconds % _DURATION_UNITS[unit] == 0:
            return f"{microseconds // _DURATION_UNITS[unit]}{unit}"
    return f"{microseconds}us"


def align_up(value: int, alignment: int) -> int:
    """Return the lowest multiple of `alignment` that is not below `value`."""
    return -(-value // alignment) * alignment


def align_down(value: int, alignment: int) -> int:
    """Return the highest multiple of `alignment` that is not above `value`."""
    return value // alignment * alignment


def is_power_of_two(value: int) -> bool:
    """Return whether `value` is a power of two."""
    return value > 0 and value & (value - 1) == 0
