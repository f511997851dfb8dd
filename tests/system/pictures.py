# SPDX-License-Identifier: BSD-2-Clause
"""Pictures of a machine's display on which Linux has a text console, and what can be read there."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path

# Pixels of a character of Linux' usual font.
WIDTH, HEIGHT = 8, 16
_BYTES = 3
_UNKNOWN = "\N{REPLACEMENT CHARACTER}"

Glyphs = dict[bytes, str]
"""The character that the pixels of a cell mean."""


@dataclass(frozen=True)
class Picture:
    """Pixels, 3 bytes each, row by row from the top."""

    width: int
    height: int
    pixels: bytes

    @property
    def columns(self) -> int:
        """Characters in a line."""
        return self.width // WIDTH

    @property
    def lines(self) -> int:
        """Lines of characters."""
        return self.height // HEIGHT

    def cell(self, line: int, column: int) -> bytes:
        """Return the pixels of the place of a character."""
        stride = self.width * _BYTES
        first = line * HEIGHT * stride + column * WIDTH * _BYTES
        rows = range(first, first + HEIGHT * stride, stride)
        return b"".join(self.pixels[start : start + WIDTH * _BYTES] for start in rows)


def read_ppm(file: Path) -> Picture:
    """Read a PPM file as QEMU writes it: three lines, then the pixels."""
    kind, size, depth, pixels = file.read_bytes().split(b"\n", 3)
    assert (kind, depth) == (b"P6", b"255")
    width, height = map(int, size.split())
    assert len(pixels) == width * height * _BYTES
    return Picture(width, height, pixels)


def learn(picture: Picture, text: str) -> Glyphs:
    """Return what the characters of a picture look like whose text is known, from its corner on.

    Fails unless equal characters look equal, and others do not.
    """
    glyphs: Glyphs = {}
    lines = text.splitlines()
    assert len(lines) == picture.lines, (len(lines), picture.lines)
    for line, column in product(range(picture.lines), range(picture.columns)):
        character = lines[line].ljust(picture.columns)[column]
        found = glyphs.setdefault(picture.cell(line, column), character)
        assert found == character, f"{found!r} and {character!r} look the same"
    assert len(set(glyphs.values())) == len(glyphs), "a character has two looks"
    return glyphs


def read(picture: Picture, glyphs: Glyphs) -> str:
    """Return the text on a picture, its last lines left out if they are empty."""
    lines = (
        "".join(
            glyphs.get(picture.cell(line, column), _UNKNOWN) for column in range(picture.columns)
        ).rstrip()
        for line in range(picture.lines)
    )
    return "\n".join(lines).rstrip()
