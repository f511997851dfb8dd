# SPDX-License-Identifier: BSD-2-Clause
"""A bundle as an ELF file, whose loader puts each thing where it belongs.

The monitor of a bundle that is loaded as one piece moves itself and its store to the top of RAM,
and copies each tenant's image. QEMU reads an ELF file without an instruction of the machine, so
nothing is left to move: see abi/bundle.h.
"""

import struct
from ctypes import sizeof
from dataclasses import dataclass
from pathlib import Path

from cotenant.abi import bundle as constant
from cotenant.bundle_struct import Bundle, MonitorHeader
from cotenant.units import align_up

PAGE = 4096
# The System V ABI's Elf64_Ehdr and Elf64_Phdr.
_HEADER = struct.Struct("<4s5B7xHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_CLASS_64, _LITTLE_ENDIAN, _VERSION, _EXECUTABLE, _RISCV = 2, 1, 1, 2, 243
_ENTRY = 9
_LOAD, _ALL_ACCESS = 1, 7


@dataclass(frozen=True)
class _Piece:
    """`size` bytes of the file to be loaded to an address."""

    offset: int
    address: int
    size: int


def encode(bundle: bytes) -> bytes:
    """Return the ELF file of a bundle file."""
    image, rest = _split(bundle)
    header = Bundle.from_buffer_copy(rest)
    padded = _with_bss(image)
    base = header.board.monitor_base
    pieces = [_Piece(PAGE, base, len(padded) + len(rest))]
    store = PAGE + len(padded)
    pieces += [
        _Piece(store + part.store_offset, part.destination, part.file_size)
        for tenant in header.tenants[: header.tenant_count]
        for part in tenant.parts
        if part.file_size
    ]
    return b"".join([_headers(base, pieces).ljust(PAGE, b"\0"), padded, rest])


def entry(path: Path) -> int:
    """Return where all harts start in such a file."""
    with path.open("rb") as file:
        return int(_HEADER.unpack(file.read(_HEADER.size))[_ENTRY])


def _split(bundle: bytes) -> tuple[bytes, bytes]:
    """Return the monitor image, and struct bundle with what follows it."""
    end = align_up(MonitorHeader.from_buffer_copy(bundle).image_size, PAGE)
    rest = bundle[end:]
    assert Bundle.from_buffer_copy(rest).magic == constant("BUNDLE_MAGIC")
    return bundle[:end], rest


def _with_bss(image: bytes) -> bytes:
    header = MonitorHeader.from_buffer_copy(image)
    header.image_size = header.memory_size
    return (bytes(header) + image[sizeof(header) :]).ljust(header.memory_size, b"\0")


def _headers(entry: int, pieces: list[_Piece]) -> bytes:
    kind = (b"\x7fELF", _CLASS_64, _LITTLE_ENDIAN, _VERSION, 0, 0, _EXECUTABLE, _RISCV, _VERSION)
    sizes = (_HEADER.size, _SEGMENT.size, len(pieces), 0, 0, 0)
    segments = (
        _SEGMENT.pack(_LOAD, _ALL_ACCESS, p.offset, p.address, p.address, p.size, p.size, PAGE)
        for p in pieces
    )
    return _HEADER.pack(*kind, entry, _HEADER.size, 0, 0, *sizes) + b"".join(segments)
