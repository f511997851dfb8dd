# SPDX-License-Identifier: BSD-2-Clause
"""The image of an SD card: where the boot ROM and SPL of a board look for what they load."""

import struct
import uuid
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from made_images import Workshop, workshop
from test_board_import import dumped

from cotenant import board_reader, paths, sdcard
from cotenant import system as systems
from cotenant.board import Board
from cotenant.board_import.tree import Tree
from cotenant.cli import main
from cotenant.errors import BuildError, ConfigError, Mistakes
from cotenant.sdcard import Parts

__all__ = ["workshop"]

SYSTEM = """
board = "{board}"
[tenant.next]
priority = 5
memory = "128M"
hart = 1
image = {image}
"""
NEXT = '{ next-stage = "1M", address = 0x%x }'
SPL = bytes(range(256)) * 400
FSBL, XBOOT = "5b193300-fc78-40cd-8002-e86c45580b47", "bc13c2ff-59e6-4262-a352-b275fd6f7172"
SECOND = "2e54b353-1271-4842-806f-e436d6af6985"
BOARDS = {
    "sifive-unmatched": (FSBL, 34, SECOND, 2082, 0x8020_0000),
    "sifive-unleashed": (FSBL, 34, SECOND, 2082, 0x8020_0000),
    "starfive-visionfive2": (SECOND, 4096, XBOOT, 8192, 0x4020_0000),
}


def planned(workshop: Workshop, board: str, image: str) -> systems.System:
    return systems.load(workshop.system(SYSTEM.format(board=board, image=image)))


def partitions(disk: bytes, at: int) -> list[tuple[str, int, int, str]]:
    """Return type, first and last sector, and name of each partition, by the table at a sector."""
    header = disk[at * 512 : at * 512 + 92]
    assert header[:8] == b"EFI PART"
    size, checksum = struct.unpack_from("<2I", header, 12)
    assert size == 92
    assert zlib.crc32(header[:16] + bytes(4) + header[20:]) == checksum
    own, other, first, last = struct.unpack_from("<4Q", header, 24)
    assert own == at and other == len(disk) // 512 - at
    table, count, width, of_table = struct.unpack_from("<Q3I", header, 72)
    entries = disk[table * 512 : table * 512 + count * width]
    assert zlib.crc32(entries) == of_table
    found = []
    for place in range(0, len(entries), width):
        kind, _, start, end, _, name = struct.unpack_from("<16s16s3Q72s", entries, place)
        if any(kind):
            assert first <= start <= end <= last
            text = name.decode("utf-16-le").rstrip("\0")
            found.append((str(uuid.UUID(bytes_le=kind)), start, end, text))
    return found


@pytest.mark.parametrize("board", BOARDS)
def test_everything_is_where_the_board_looks_for_it(board: str, workshop: Workshop) -> None:
    spl_type, spl, firmware_type, firmware, address = BOARDS[board]
    system = planned(workshop, board, NEXT % address)
    bundle, following, tree = b"B" * 70_000, b"N" * 5000, b"T" * 3000
    output = workshop.folder / "card.img"
    sdcard.write(output, system, bundle, Parts(SPL, following, tree))
    disk = output.read_bytes()
    sectors = len(disk) // 512
    assert len(disk) & (len(disk) - 1) == 0
    assert disk[510:512] == b"\x55\xaa" and disk[450] == 0xEE
    assert struct.unpack_from("<2I", disk, 454) == (1, sectors - 1)
    found = partitions(disk, 1)
    assert [each[:2] for each in found] == [(spl_type, spl), (firmware_type, firmware)]
    assert found == partitions(disk, sectors - 1)
    assert found[0][2] < firmware
    assert disk[spl * 512 : spl * 512 + len(SPL)] == SPL
    loaded = fit_of(disk[firmware * 512 : (found[1][2] + 1) * 512])
    assert loaded["monitor"] == (bundle, 0x9000_0000)
    assert loaded["next"] == (following, address)
    assert loaded["board"] == (tree, None)
    # The same from the same.
    sdcard.write(output, system, bundle, Parts(SPL, following, tree))
    assert output.read_bytes() == disk


def fit_of(data: bytes) -> dict[str, tuple[bytes, int | None]]:
    """Return the contents of a FIT image, with the addresses they are loaded to."""
    tree = Tree(data)
    start = -(-int.from_bytes(data[4:8], "big") // 4) * 4
    chosen = tree.at("/configurations/all")
    assert chosen and chosen.text("firmware") == "monitor" and chosen.text("loadables") == "next"
    assert chosen.text("fdt") == "board"
    found = {}
    images = tree.at("/images")
    for node in images.children if images else ():
        offset, size = node.number("data-offset"), node.number("data-size")
        assert offset is not None and size is not None and offset % 512 == 0
        found[node.name] = (data[start + offset : start + offset + size], node.number("load"))
    monitor = tree.at("/images/monitor")
    assert monitor and monitor.number("entry") == monitor.number("load")
    assert monitor.text("os") == "opensbi" and monitor.text("type") == "firmware"
    return found


def test_without_a_next_stage_spl_finds_something_to_name(workshop: Workshop) -> None:
    system = planned(workshop, "sifive-unleashed", '"kernel"')
    card = system.board.sd_card
    assert card is not None
    loaded = fit_of(sdcard.fit_image(system, b"B" * (3 << 20), Parts(SPL, None, b"T"), card))
    # `j .`, behind the bundle.
    assert loaded["next"] == (b"\x6f\0\0\0", 0x9040_0000)


def test_what_cannot_be_on_a_card(workshop: Workshop) -> None:
    system = planned(workshop, "sifive-unleashed", NEXT % 0x8020_0000)
    bundle, good = b"B" * 5000, Parts(SPL, b"next", b"tree")
    output = workshop.folder / "card.img"

    def refused(words: str, system: systems.System, bundle: bytes, parts: Parts) -> None:
        with pytest.raises(BuildError, match=words):
            sdcard.write(output, system, bundle, parts)
        assert not output.exists()

    refused("is it another file", system, bundle, replace(good, spl=bytes(2 << 20)))
    refused("name its file with --next-stage", system, bundle, replace(good, next_stage=None))
    refused("takes 1M of it", system, bundle, replace(good, next_stage=bytes(1 << 21)))
    for memory, words in (("256M", "outside of the RAM"), ("258M", "where the monitor moves to")):
        text = SYSTEM.format(board="sifive-unleashed", image=NEXT % 0x8020_0000)
        small = systems.load(workshop.system(f'memory = "{memory}"\n{text}'))
        refused(words, small, bundle, good)
    unknown = replace(system, board=replace(system.board, sd_card=None))
    refused("its file has no .sd_card.", unknown, bundle, good)
    near = planned(workshop, "sifive-unleashed", NEXT % 0x9000_0000)
    refused("overlaps the bundle", near, bundle, good)
    without = planned(workshop, "sifive-unleashed", '"kernel"')
    refused("no tenant boots a next stage", without, bundle, good)


def test_the_command(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = workshop.folder
    monkeypatch.setattr("cotenant.bundle_check.check", lambda *_: None)
    (folder / "spl.bin").write_bytes(SPL)
    (folder / "next.bin").write_bytes(b"next")
    text = SYSTEM.format(board="sifive-unleashed", image=NEXT % 0x8020_0000)
    path = str(workshop.system(text))

    def run(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(main, ["build", path, "-o", "bundle.bin", *arguments])
        return result.exit_code, result.output

    spl, following = ("--spl", "spl.bin"), ("--next-stage", "next.bin")
    assert "--sdcard needs U-Boot's SPL" in run("--sdcard", "card.img")[1]
    assert "--spl is for --sdcard alone" in run(*spl)[1]
    code, told = run("--sdcard", "card.img", *spl, *following)
    assert code == 1 and "name it with --tree" in told
    tree = dumped("sifive-unleashed", folder)
    code, told = run("--sdcard", "card.img", *spl, *following, "--tree", tree.name)
    assert code == 0 and "not tried on the board itself" in told
    # A tenant names the tree as well.
    workshop.system(f'{text}devicetree = "{tree.name}"\n')
    assert run("--sdcard", "other.img", *spl, *following)[0] == 0
    disk = (folder / "other.img").read_bytes()
    assert fit_of(disk[2082 * 512 :])["board"][0] == tree.read_bytes()
    assert fit_of(disk[2082 * 512 :])["monitor"][0] == (folder / "bundle.bin").read_bytes()


def read_board(folder: Path, before: str, after: str) -> Board | None:
    text = (paths.BOARDS / "sifive-unmatched.toml").read_text()
    assert before in text
    (folder / "made.toml").write_text(text.replace(before, after))
    return board_reader.load("made", Mistakes("test"), folder)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (FSBL, "5b19", "is no GUID"),
        ("spl_sector = 34", "spl_sector = 33", "34"),
        ("firmware_sector = 2082", "firmware_sector = 34", "not behind the SPL"),
        ("bundle = 0x9000_0000", "bundle = 0x9000_0100", "not a multiple of 4096"),
    ],
)
def test_a_card_that_no_board_can_have(before: str, after: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=why):
        read_board(tmp_path, before, after)
