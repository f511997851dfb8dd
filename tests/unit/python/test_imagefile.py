# SPDX-License-Identifier: BSD-2-Clause
"""Images: what is read from each kind of file, and what is refused."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_images import (
    EM_X86_64,
    ET_EXEC,
    ET_REL,
    MIB,
    PT_INTERP,
    ElfSegment,
    elf,
    linux_image,
    rtos_image,
)

from cotenant.imagefile import Image, ImageFileError, memory_span, read
from cotenant.layout import DEVICETREE_ROOM, LayoutError, lay_out, needed
from cotenant.ranges import Range


def image_of(data: bytes, folder: Path) -> Image:
    path = folder / "image"
    path.write_bytes(data)
    return read(path)


def test_linux_takes_the_size_its_header_says(tmp_path: Path) -> None:
    image = image_of(linux_image(3 * MIB, 4 * MIB), tmp_path)
    assert (image.kind, image.alignment) == ("Linux kernel", 2 * MIB)
    placed = image.at(0x9000_0000)
    assert (placed.low, placed.high, placed.entry) == (0x9000_0000, 0x9040_0000, 0x9000_0000)
    assert len(placed.segments[0].data) == 3 * MIB


def test_a_linux_header_that_lies_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImageFileError, match="which is wrong"):
        image_of(linux_image(3 * MIB, 2 * MIB), tmp_path)


def test_position_independent_elf_moves(tmp_path: Path) -> None:
    image = image_of(rtos_image(), tmp_path)
    assert image.relocatable
    placed = image.at(0x8040_0000)
    assert placed.entry == 0x8040_0010
    assert (placed.low, placed.high) == (0x8040_0000, 0x8041_0000)


def test_linked_elf_stays_and_its_entry_becomes_physical(tmp_path: Path) -> None:
    high_half = 0xFFFF_FFFF_8000_0000
    segment = ElfSegment(0x8020_0000, b"x" * 100, 4096, virtual=high_half)
    image = image_of(elf([segment], ET_EXEC, entry=high_half + 8), tmp_path)
    assert not image.relocatable
    assert image.at(0x9000_0000) == image
    assert (image.low, image.entry) == (0x8020_0000, 0x8020_0008)


def test_near_segments_become_one_part_and_far_ones_two(tmp_path: Path) -> None:
    near = [ElfSegment(0, b"a" * 10), ElfSegment(0x1003, b"b" * 5), ElfSegment(0x2000, b"", 64)]
    (segment,) = image_of(elf(near), tmp_path).segments
    assert segment.data == b"a" * 10 + bytes(0x1003 - 10) + b"b" * 5
    assert segment.memory_size == 0x2040
    far = [ElfSegment(0, b"a" * 10), ElfSegment(0x100003, b"b" * 5)]
    first, second = image_of(elf(far), tmp_path).segments
    assert first.memory_size == 10
    assert (second.address, second.data) == (0x100000, b"\0\0\0bbbbb")


def test_a_segment_behind_much_zeroed_memory_is_a_part_of_its_own(tmp_path: Path) -> None:
    huge = [ElfSegment(0, b"a" * 10, 1 << 40), ElfSegment((1 << 40) + 8, b"b")]
    first, second = image_of(elf(huge), tmp_path).segments
    assert len(first.data) + len(second.data) == 11


def test_raw_is_loaded_as_it_is(tmp_path: Path) -> None:
    image = image_of(b"anything", tmp_path)
    assert (image.kind, image.entry, image.high) == ("raw", 0, 8)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "is empty"),
        (b"\x7fELF", "damaged"),
        (elf([ElfSegment(0, b"x")], machine=EM_X86_64), "not an ELF file for 64-bit RISC-V"),
        (elf([ElfSegment(0, b"x")], kind=ET_REL), "not a linked program"),
        (elf([ElfSegment(0, b"x"), ElfSegment(0, b"/lib", kind=PT_INTERP)]), "dynamic loader"),
        (elf([]), "nothing to load"),
        (elf([ElfSegment(0, b"x" * 64)], entry=64), "entry point 0x40 outside"),
        (elf([ElfSegment(0, b"x" * 64), ElfSegment(32, b"y" * 64)]), "overlap"),
        (elf([ElfSegment(0, b"x" * 64)])[:-1], "cut off"),
        (elf([ElfSegment(n << 20, b"x" * 64) for n in range(11)]), "11 segments far apart"),
    ],
)
def test_what_cannot_be_loaded_is_refused(tmp_path: Path, data: bytes, problem: str) -> None:
    with pytest.raises(ImageFileError, match=problem):
        image_of(data, tmp_path)


@settings(deadline=None, max_examples=300)
@given(st.integers(0, len(rtos_image()) - 1), st.binary(min_size=1, max_size=8))
def test_a_damaged_elf_is_refused_or_read_but_never_an_accident(
    tmp_path_factory: pytest.TempPathFactory, place: int, noise: bytes
) -> None:
    data = bytearray(rtos_image())
    data[place % 120 : place % 120 + len(noise)] = noise
    with contextlib.suppress(ImageFileError):
        image_of(bytes(data), tmp_path_factory.getbasetemp())


def test_memory_span_counts_zeroed_memory(tmp_path: Path) -> None:
    path = tmp_path / "monitor.elf"
    path.write_bytes(elf([ElfSegment(0, b"x" * 100, 20000)]))
    assert memory_span(path) == 20480


def test_layout_of_image_initrd_and_device_tree(tmp_path: Path) -> None:
    image = image_of(linux_image(), tmp_path)
    memory = Range(0x8000_0000, 64 * MIB)
    layout = lay_out(memory, image, b"r" * 5000)
    assert [part.what for part in layout.parts] == ["image", "initrd"]
    assert layout.devicetree == Range(memory.end - DEVICETREE_ROOM, DEVICETREE_ROOM)
    assert layout.initrd == Range(layout.devicetree.base - 8192, 5000)
    assert layout.entry == memory.base


def test_needed_memory_is_just_enough(tmp_path: Path) -> None:
    image, initrd = image_of(linux_image(), tmp_path), b"r" * 5000
    least = needed(image, initrd)
    lay_out(Range(0x8000_0000, least), image, initrd)
    with pytest.raises(LayoutError, match="too little for the image and the initrd"):
        lay_out(Range(0x8000_0000, least - 4096), image, initrd)
