# SPDX-License-Identifier: BSD-2-Clause
"""An SD card that starts a board: the first loader, the bundle, and what the loader brings besides.

    write(output, system, bundle, Parts(spl, next_stage, tree))

The boot ROM of a board finds U-Boot's SPL in a partition by its type, and SPL finds a FIT image
in the next one (U-Boot's board/sifive/unmatched.rst and board/starfive/visionfive2.rst tell where).
The bundle is what that image calls firmware, in the place of OpenSBI. The partition table is a GPT
(UEFI specification 2.10, chapter 5).
"""

import struct
import uuid
import zlib
from dataclasses import dataclass
from pathlib import Path

from cotenant import durable
from cotenant.board import SdCard
from cotenant.board_import.node import Node, flatten
from cotenant.errors import BuildError
from cotenant.plan import System
from cotenant.ranges import Range
from cotenant.units import align_up, format_size

SECTOR = 512
_TABLE_SECTORS = 32
_ENTRIES, _ENTRY_SIZE = 128, 128
_FIRST_USABLE = 2 + _TABLE_SECTORS
_REVISION = 0x0001_0000
_HEADER = struct.Struct("<8s4I4Q16sQ3I")
_ENTRY = struct.Struct("<16s16s3Q72s")
_NAMESPACE = uuid.UUID("7f3c0c52-6a2e-5d0b-9a55-c07e4a47ca4d")
# Where a FIT image keeps its contents: each at a sector, so that SPL reads no more than it needs.
_ALIGNMENT = SECTOR
# `j .`: what SPL is given to enter where no tenant has a next stage, as it looks for something.
_NOTHING = struct.pack("<I", 0x0000_006F)
_STEP = 2 << 20


@dataclass(frozen=True)
class Parts:
    """What a card has besides the bundle. `next_stage` None: nothing; `tree`: of the board."""

    spl: bytes
    next_stage: bytes | None
    tree: bytes


@dataclass(frozen=True)
class Partition:
    """A partition: `type` and `start` are those that the board wants."""

    name: str
    type: str
    start: int
    """its first sector"""
    content: bytes

    @property
    def sectors(self) -> int:
        """Return how many sectors the content takes, at least one."""
        return max(1, -(-len(self.content) // SECTOR))


def write(output: Path, system: System, bundle: bytes, parts: Parts) -> None:
    """Write the image of a card; raises BuildError with a sentence if there can be none."""
    card = system.board.sd_card
    if card is None:
        raise BuildError(
            f"how {system.board.id} boots from a card is not known: its file has no [sd_card]"
        )
    spl = Partition("spl", card.spl_type, card.spl_sector, parts.spl)
    if spl.start + spl.sectors > card.firmware_sector:
        room = (card.firmware_sector - spl.start) * SECTOR
        raise BuildError(
            f"the SPL has {format_size(len(parts.spl))}, and {format_size(room)} are before what "
            "it loads; is it another file?"
        )
    fit = fit_image(system, bundle, parts, card)
    firmware = Partition("cotenant", card.firmware_type, card.firmware_sector, fit)
    try:
        with durable.replacing(output) as file:
            file.write(image([spl, firmware], system.board.id))
    except OSError as error:
        raise BuildError(
            f"{output} cannot be written ({error.strerror}); choose another place"
        ) from error


def fit_image(system: System, bundle: bytes, parts: Parts, card: SdCard) -> bytes:
    """Return what SPL loads, a FIT image (U-Boot's doc/usage/fit): contents behind the tree."""
    monitor = Range(card.bundle, len(bundle))
    wanted = [tenant.config.next_stage for tenant in system.tenants if tenant.config.next_stage]
    given = parts.next_stage
    if wanted and given is None:
        raise BuildError("a tenant boots the next stage: name its file with --next-stage")
    if not wanted and given is not None:
        raise BuildError('no tenant boots a next stage: write image = { next-stage = "2M" }')
    if wanted and given is not None and len(given) > wanted[0].size:
        raise BuildError(
            f"the next stage has {format_size(len(given))}, and the system takes "
            f"{format_size(wanted[0].size)} of it"
        )
    taken = wanted[0].size if wanted else len(_NOTHING)
    place = next((each.base for each in wanted if each.base is not None), None)
    after = Range(align_up(monitor.end, _STEP) if place is None else place, taken)
    _check_places(system, monitor, after)
    root = Node("", None, {})
    root.set_texts("description", f"Cotenant: {system.path.stem} for {system.board.name}")
    root.set_cells("#address-cells", 1)
    images, contents = root.add("images"), b""
    for name, data, kind, what, at in (
        ("next", given or _NOTHING, "standalone", "U-Boot", after.base),
        ("monitor", bundle, "firmware", "opensbi", monitor.base),
        ("board", parts.tree, "flat_dt", None, None),
    ):
        node = images.add(name)
        node.set_texts("description", name)
        node.set_texts("type", kind)
        node.set_texts("arch", "riscv")
        node.set_texts("compression", "none")
        if what is not None:
            node.set_texts("os", what)
        if at is not None:
            node.set_cells("load", at)
        if name == "monitor":
            node.set_cells("entry", monitor.base)
        node.set_cells("data-offset", len(contents))
        node.set_cells("data-size", len(data))
        contents += data.ljust(align_up(len(data), _ALIGNMENT), b"\0")
    configurations = root.add("configurations")
    configurations.set_texts("default", "all")
    everything = configurations.add("all")
    for role, name in {"firmware": "monitor", "loadables": "next", "fdt": "board"}.items():
        everything.set_texts(role, name)
    everything.set_texts("description", "all")
    header = flatten(root)
    return header.ljust(align_up(len(header), 4), b"\0") + contents


def _check_places(system: System, monitor: Range, after: Range) -> None:
    for what, area in (("the bundle", monitor), ("the next stage", after)):
        if not system.ram.contains(area) or area.end > 1 << 32:
            raise BuildError(
                f"{what} would be loaded to {area}, outside of the RAM in reach of SPL"
            )
        if area.overlaps(system.monitor):
            raise BuildError(
                f"{what} would be loaded to {area}, where the monitor moves to, {system.monitor}; "
                "give the system more memory"
            )
    if monitor.overlaps(after):
        raise BuildError(f"the next stage at {after} overlaps the bundle at {monitor}")


def image(partitions: list[Partition], seed: str) -> bytes:
    """Return a disk with a GPT and these partitions; `seed` decides the identities in it."""
    end = max(each.start + each.sectors for each in partitions)
    # Of a size that a card can have, which QEMU insists on.
    total = 1 << (end + _TABLE_SECTORS).bit_length()
    last_usable = total - _TABLE_SECTORS - 2
    disk = bytearray(total * SECTOR)
    entries = b"".join(
        _ENTRY.pack(
            uuid.UUID(each.type).bytes_le,
            uuid.uuid5(_NAMESPACE, f"{seed} {each.name}").bytes_le,
            each.start,
            each.start + each.sectors - 1,
            0,
            each.name.encode("utf-16-le"),
        )
        for each in partitions
    ).ljust(_ENTRIES * _ENTRY_SIZE, b"\0")
    for own, other, table in ((1, total - 1, 2), (total - 1, 1, total - 1 - _TABLE_SECTORS)):
        disk[table * SECTOR : table * SECTOR + len(entries)] = entries
        header = _gpt_header(own, other, table, last_usable, entries, seed)
        disk[own * SECTOR : own * SECTOR + len(header)] = header
    disk[:SECTOR] = _protective(total)
    for each in partitions:
        if each.start < _FIRST_USABLE:
            raise BuildError(f"sector {each.start} of a card is that of its partition table")
        disk[each.start * SECTOR : each.start * SECTOR + len(each.content)] = each.content
    return bytes(disk)


def _gpt_header(
    own: int, other: int, table: int, last_usable: int, entries: bytes, seed: str
) -> bytes:
    def packed(checksum: int) -> bytes:
        return _HEADER.pack(
            *(b"EFI PART", _REVISION, _HEADER.size, checksum, 0),
            *(own, other, _FIRST_USABLE, last_usable),
            uuid.uuid5(_NAMESPACE, seed).bytes_le,
            *(table, _ENTRIES, _ENTRY_SIZE, zlib.crc32(entries)),
        )

    return packed(zlib.crc32(packed(0)))


def _protective(total: int) -> bytes:
    """Return the MBR that tells old tools that all of the disk is in use."""
    entry = struct.pack("<8BII", 0, 0, 2, 0, 0xEE, 0xFF, 0xFF, 0xFF, 1, total - 1)
    return bytes(446) + entry + bytes(48) + b"\x55\xaa"
