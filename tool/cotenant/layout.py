# SPDX-License-Identifier: BSD-2-Clause
"""What lies where in a tenant's memory: the image first, device tree and initrd at the top."""

from dataclasses import dataclass

from cotenant.imagefile import Image
from cotenant.ranges import Range
from cotenant.units import align_down, align_up, format_size

PAGE = 4096
# Room for the device tree at the top of a tenant's memory.
DEVICETREE_ROOM = 16384


def devicetree_room(own: int) -> int:
    """Return the bytes kept for a device tree that is made of one of the board with `own` bytes."""
    return align_up(own, PAGE) + DEVICETREE_ROOM


class LayoutError(Exception):
    """The memory does not suit the image: the problem, and the remedy."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy


@dataclass(frozen=True)
class Part:
    """Bytes at a physical address, then zeros up to `memory_size`."""

    what: str
    destination: int
    data: bytes
    memory_size: int


@dataclass(frozen=True)
class Layout:
    """Parts of the image and initrd, and the place that is kept for the device tree."""

    parts: tuple[Part, ...]
    entry: int
    devicetree: Range
    initrd: Range | None


def needed(image: Image, initrd: bytes | None, room: int = DEVICETREE_ROOM) -> int:
    """Return the least size of a tenant's memory, its image at the start of it.

    `room`: bytes that are kept for the device tree.
    """
    low = 0 if image.relocatable else image.low
    size = align_up(image.high - low, PAGE) + room
    return size + align_up(len(initrd or b""), PAGE)


def lay_out(
    memory: Range,
    image: Image,
    initrd: bytes | None,
    top: int | None = None,
    room: int = DEVICETREE_ROOM,
) -> Layout:
    """Place everything; raises LayoutError if the memory is too small or in the wrong place.

    All but the device tree, for which `room` bytes are kept, goes below `top`, if it is given.
    """
    placed = image.at(memory.base)
    extent = Range(placed.low, placed.high - placed.low)
    if not image.relocatable and not memory.contains(Range(extent.base, 1)):
        raise LayoutError(
            f"the image is linked to {extent}, which is outside of {memory}",
            f"write memory = {{ base = {align_down(extent.base, PAGE):#x}, size = ... }}, "
            "or link it position independent",
        )
    devicetree = Range(align_down(memory.end, PAGE) - room, room)
    if devicetree.base < memory.base:
        raise LayoutError(
            f"{format_size(memory.size)} are too little for the device tree",
            f"give it at least {format_size(align_up(2 * room, 1 << 20))}",
        )
    limit = devicetree.base if top is None else top
    ramdisk = None
    if initrd is not None:
        ramdisk = Range(align_down(limit - len(initrd), PAGE), len(initrd))
        limit = ramdisk.base
    if extent.end > limit:
        least = needed(image, initrd, room) + (
            0 if image.relocatable else extent.base - memory.base
        )
        least += devicetree.base - (devicetree.base if top is None else top)
        raise LayoutError(
            f"{format_size(memory.size)} are too little for the image"
            + (" and the initrd" if initrd is not None else ""),
            f"give it at least {format_size(align_up(least, 1 << 20))}",
        )
    parts = [Part("image", each.address, each.data, each.memory_size) for each in placed.segments]
    if initrd is not None and ramdisk is not None:
        parts.append(Part("initrd", ramdisk.base, initrd, len(initrd)))
    return Layout(tuple(parts), placed.entry, devicetree, ramdisk)
