# SPDX-License-Identifier: BSD-2-Clause
"""Sizes and durations."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.units import (
    align_down,
    align_up,
    format_duration,
    format_size,
    parse_duration,
    parse_size,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("512M", 512 << 20),
        ("4K", 4096),
        ("1GiB", 1 << 30),
        ("2 MB", 2 << 20),
        ("0x1000", 4096),
        ("12288", 12288),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "M", "-4K", "4.5M", "512 apples", "4k"])
def test_wrong_sizes(text: str) -> None:
    with pytest.raises(ValueError, match="is not a size"):
        parse_size(text)


@pytest.mark.parametrize(
    ("text", "microseconds"), [("10ms", 10_000), ("300us", 300), ("1s", 1_000_000), ("0.5ms", 500)]
)
def test_durations(text: str, microseconds: int) -> None:
    assert parse_duration(text) == microseconds


@pytest.mark.parametrize("text", ["", "10", "ms", "1m", "-1ms", "0.5us"])
def test_wrong_durations(text: str) -> None:
    with pytest.raises(ValueError, match="is not a"):
        parse_duration(text)


@settings(deadline=None)
@given(st.integers(1, 1 << 48))
def test_a_printed_size_is_read_back(size: int) -> None:
    assert parse_size(format_size(size).removesuffix(" bytes")) == size


@settings(deadline=None)
@given(st.integers(1, 10**9))
def test_a_printed_duration_is_read_back(microseconds: int) -> None:
    assert parse_duration(format_duration(microseconds)) == microseconds


@settings(deadline=None)
@given(st.integers(0, 1 << 56), st.integers(0, 40).map(lambda bit: 1 << bit))
def test_alignment(value: int, alignment: int) -> None:
    assert align_down(value, alignment) <= value <= align_up(value, alignment)
    assert align_up(value, alignment) - align_down(value, alignment) in (0, alignment)
