# SPDX-License-Identifier: BSD-2-Clause
"""The packed memory of files of tenants and guests, as docs/control.md has it."""

import struct
import subprocess
from collections.abc import Iterable

BLOCK = struct.Struct("<IIIIQ")
RUN = struct.Struct("<II")
WORD = 8
_FACTOR = 0x9E3779B97F4A7C15
_MASK = 2**64 - 1


def checksum(before: int, content: bytes) -> int:
    """Go on with a checksum."""
    for (word,) in struct.iter_unpack("<Q", content):
        before = (before ^ word) * _FACTOR & _MASK
        before ^= before >> 32
    return before


def block(
    before: int, runs: Iterable[tuple[int, int]], stored: bytes, length: int | None = None
) -> bytes:
    """Return a block with the checksum that it should have behind one with the checksum `before`.

    What is stored are its bytes, or a zstd frame of `length` bytes.
    """
    table = b"".join(RUN.pack(*run) for run in runs)
    head = BLOCK.pack(
        len(table) // RUN.size, len(stored) if length is None else length, len(stored), 0, 0
    )
    body = table + stored + bytes(-len(stored) % WORD)
    return head[:-WORD] + checksum(before, head[:-WORD] + body).to_bytes(WORD, "little") + body


def checksum_of(made: bytes) -> int:
    """Return that of a block."""
    return int(BLOCK.unpack_from(made)[4])


def pack(content: bytes) -> bytes:
    """Return content as it may be in a file."""
    first = block(0, [(0, len(content))], content)
    return first + block(checksum_of(first), [], b"")


def unpack(packed: bytes, checked: bool = True) -> bytes:
    """Return the content; all of it has to be as it should, its checksums only if `checked`."""
    content = bytearray()
    place = before = 0
    while True:
        runs, length, stored, reserved, found = BLOCK.unpack_from(packed, place)
        head, place = packed[place : place + 16], place + BLOCK.size
        table = packed[place : place + runs * RUN.size]
        body = packed[place : place + len(table) + (stored + WORD - 1) // WORD * WORD]
        place += len(body)
        before = checksum(before, head + body) if checked else found
        assert (reserved, before) == (0, found)
        if runs == 0:
            assert place == len(packed)
            return bytes(content)
        text = body[len(table) : len(table) + stored]
        if stored < length:
            command = ["zstd", "-d", "--stdout"]
            text = subprocess.run(command, input=text, capture_output=True, check=True).stdout
        assert len(text) == length
        for zeros, count in RUN.iter_unpack(table):
            content += bytes(zeros) + text[:count]
            text = text[count:]
        assert text == b""
