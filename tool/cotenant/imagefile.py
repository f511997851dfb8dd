# SPDX-License-Identifier: BSD-2-Clause
"""Reading the image of a tenant: ELF, RISC-V `Image` (a Linux kernel), or raw bytes."""

import io
import struct
from dataclasses import dataclass, replace
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from cotenant.abi import limit
from cotenant.errors import CotenantError
from cotenant.units import align_down, align_up

PAGE = 4096
LINUX_KERNEL = "Linux kernel"
RAW = "raw"
NEXT_STAGE = "next boot stage"
LINUX_ALIGNMENT = 2 << 20
NEXT_STAGE_MARK = b"the previous boot stage puts the next one here"
# Parts of a tenant beside its image: initrd and device tree.
OTHER_PARTS = 2

# Documentation/arch/riscv/boot-image-header.rst: code0, code1, text_offset, image_size, flags,
# version, res1, res2, magic, magic2, res3.
_LINUX_HEADER = struct.Struct("<IIQQQIIQQII")
_LINUX_MAGIC2 = 0x05435352
_ELF_MAGIC = b"\x7fELF"
_SEGMENT_GAP = 1 << 16
_PART_ALIGNMENT = 8


class ImageFileError(CotenantError):
    """The file is not an image that can be loaded."""


@dataclass(frozen=True)
class Segment:
    """Bytes to be loaded, then zeros up to `memory_size`.

    `address` counts from the start of the tenant's memory if the image is position independent,
    else it is physical.
    """

    address: int
    data: bytes
    memory_size: int

    @property
    def end(self) -> int:
        """The first address after it."""
        return self.address + self.memory_size


@dataclass(frozen=True)
class Image:
    """What is to be loaded. `entry` is of the same kind as the segments' addresses."""

    kind: str
    segments: tuple[Segment, ...]
    entry: int
    relocatable: bool
    alignment: int = PAGE

    @property
    def low(self) -> int:
        """The lowest address it occupies."""
        return min(segment.address for segment in self.segments)

    @property
    def high(self) -> int:
        """The first address after it."""
        return max(segment.end for segment in self.segments)

    def fixed_at(self, address: int) -> "Image":
        """Return the image as one that is linked to begin at a physical address."""
        return replace(self.at(address), alignment=PAGE)

    def at(self, base: int) -> "Image":
        """Return the image with physical addresses, for a tenant whose memory begins at `base`."""
        if not self.relocatable:
            return self
        moved = tuple(replace(each, address=base + each.address) for each in self.segments)
        return replace(self, segments=moved, entry=base + self.entry, relocatable=False)


def joined(first: Image, second: Image, offset: int) -> Image:
    """Return both as one that is entered at the first, the second `offset` bytes behind its start.

    Raises ImageFileError with a sentence about the second.
    """
    place = first.low + offset
    if not second.relocatable and (first.relocatable or second.low != place):
        raise ImageFileError(f"is linked to {second.low:#x}, and can be nowhere else")
    if first.high > place:
        size = first.high - first.low
        raise ImageFileError(f"would be in the firmware, which takes {size} bytes")
    moved = replace(second.at(place), relocatable=first.relocatable)
    alignment = max(first.alignment, second.alignment if first.relocatable else PAGE)
    return replace(first, segments=first.segments + moved.segments, alignment=alignment)


def read(path: Path) -> Image:
    """Read an image; raises ImageFileError with a sentence that does not name the path."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ImageFileError(f"cannot be read ({(error.strerror or 'error').lower()})") from error
    if not data:
        raise ImageFileError("is empty")
    if data.startswith(_ELF_MAGIC):
        return _read_elf(data)
    if len(data) >= _LINUX_HEADER.size and _LINUX_HEADER.unpack_from(data)[9] == _LINUX_MAGIC2:
        return _read_linux(data)
    return Image(RAW, (Segment(0, data, len(data)),), 0, relocatable=True)


def next_stage(size: int, address: int | None) -> Image:
    """Return the image that stands for one that the previous boot stage brings, `size` bytes.

    Without an address it is placed like a kernel, for it may be one.
    """
    relocatable = address is None
    segment = Segment(address or 0, NEXT_STAGE_MARK.ljust(size, b"\0"), size)
    alignment = LINUX_ALIGNMENT if relocatable else PAGE
    return Image(NEXT_STAGE, (segment,), segment.address, relocatable, alignment)


def _read_linux(data: bytes) -> Image:
    image_size = _LINUX_HEADER.unpack_from(data)[3]
    if not len(data) <= image_size <= len(data) + (1 << 30):
        raise ImageFileError(f"says in its header that it takes {image_size} bytes, which is wrong")
    segment = Segment(0, data, image_size)
    return Image(LINUX_KERNEL, (segment,), 0, relocatable=True, alignment=LINUX_ALIGNMENT)


def _read_elf(data: bytes) -> Image:
    try:
        return _image_of_elf(ELFFile(io.BytesIO(data)), data)
    except (ELFError, struct.error, ValueError, KeyError, OverflowError) as error:
        raise ImageFileError(f"is a damaged ELF file ({error})") from error


def _image_of_elf(elf: ELFFile, data: bytes) -> Image:
    if elf["e_machine"] != "EM_RISCV" or not elf.little_endian:
        raise ImageFileError("is not an ELF file for 64-bit RISC-V")
    if elf.elfclass != 64:
        raise ImageFileError(
            "is a 32-bit program (ELF32), and tenants run on 64-bit harts: it has to be built "
            "for rv64 (-march=rv64gc -mabi=lp64d, or without F and D)"
        )
    relocatable = elf["e_type"] == "ET_DYN"
    if elf["e_type"] not in ("ET_DYN", "ET_EXEC"):
        raise ImageFileError(f"is not a linked program ({elf['e_type']})")
    headers = list(elf.iter_segments())
    if any(each["p_type"] == "PT_INTERP" for each in headers):
        raise ImageFileError("needs a dynamic loader: link it with -static-pie or -static")
    loads = [each for each in headers if each["p_type"] == "PT_LOAD" and each["p_memsz"]]
    if not loads:
        raise ImageFileError("has nothing to load")
    field = "p_vaddr" if relocatable else "p_paddr"
    low = align_down(min(each[field] for each in loads), PAGE) if relocatable else 0
    segments = []
    for each in loads:
        content = data[each["p_offset"] : each["p_offset"] + each["p_filesz"]]
        if len(content) != each["p_filesz"] or each["p_filesz"] > each["p_memsz"]:
            raise ImageFileError("is cut off: a segment has fewer bytes than its header says")
        segments.append(Segment(each[field] - low, content, each["p_memsz"]))
    alignment = max([PAGE, *(each["p_align"] for each in loads if relocatable)])
    entry = _entry(
        elf["e_entry"], [(each["p_vaddr"], each[field], each["p_memsz"]) for each in loads]
    )
    kind = "position-independent ELF" if relocatable else "ELF"
    return Image(kind, _joined(segments), entry - low, relocatable, alignment)


def load_offset(elf: ELFFile, base: int) -> int:
    """Return what is added to the addresses of symbols when the image is loaded to `base`."""
    if elf["e_type"] != "ET_DYN":
        return 0
    loads = [each["p_vaddr"] for each in elf.iter_segments() if each["p_type"] == "PT_LOAD"]
    return base - align_down(min(loads, default=0), PAGE)


def _entry(entry: int, segments: list[tuple[int, int, int]]) -> int:
    """Return the address at which the entry point, a virtual address, is loaded."""
    for virtual, loaded, size in segments:
        if virtual <= entry < virtual + size:
            return entry - virtual + loaded
    raise ImageFileError(f"has its entry point {entry:#x} outside of what is loaded")


def _joined(segments: list[Segment]) -> tuple[Segment, ...]:
    """Join segments that are close together, and begin each at a multiple of 8 bytes."""
    joined: list[Segment] = []
    for segment in sorted(segments, key=lambda each: each.address):
        before = joined[-1] if joined else None
        if before is not None and segment.address < before.end:
            raise ImageFileError("has segments that overlap")
        if before is not None and _near(before, segment):
            joined[-1] = _join(before, segment)
        else:
            start = align_down(segment.address, _PART_ALIGNMENT)
            padding = bytes(segment.address - start) if segment.data else b""
            joined.append(Segment(start, padding + segment.data, segment.end - start))
    most = limit("MAX_IMAGE_PARTS") - OTHER_PARTS
    if len(joined) > most:
        raise ImageFileError(f"has {len(joined)} segments far apart, and {most} can be loaded")
    return tuple(joined)


def _near(before: Segment, segment: Segment) -> bool:
    """Return whether the zeros between two segments' bytes are few enough to be stored."""
    stored_end = before.address + len(before.data) if segment.data else before.end
    return segment.address - stored_end <= _SEGMENT_GAP


def _join(before: Segment, segment: Segment) -> Segment:
    data = before.data
    if segment.data:
        data = data.ljust(segment.address - before.address, b"\0") + segment.data
    return Segment(before.address, data, segment.end - before.address)


def memory_span(path: Path) -> int:
    """Return how many bytes of memory an ELF file's segments span, zeroed memory included."""
    image = read(path)
    return align_up(image.high - image.low, PAGE)
