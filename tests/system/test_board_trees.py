# SPDX-License-Identifier: BSD-2-Clause
"""A board file out of a device tree boots; those of Debian's trees are as ours by hand."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from systems import LINUX_READY, Boot, freertos, linux

from cotenant import board_reader, paths
from cotenant.board_import import import_tree
from cotenant.board_import.survey import survey
from cotenant.errors import Mistakes
from cotenant.images import open_store
from cotenant.images.fetch import ensure
from cotenant.images.kernel_images import DEVICE_TREES, TREE_SUFFIX
from cotenant.run.results import parse_latency

# What QEMU is, no tree tells.
QEMU = """
[qemu]
machine = "virt"
cpu = "rv64,h=off"
"""


def test_a_board_out_of_its_tree_boots_linux_beside_freertos(boot: Boot, tmp_path: Path) -> None:
    tree = tmp_path / "virt.dtb"
    subprocess.run(
        ["qemu-system-riscv64", "-M", f"virt,dumpdtb={tree}", "-cpu", "rv64,h=off", "-m", "1G",
         "-display", "none", "-bios", "none"],
        check=True,
        capture_output=True,
    )  # fmt: skip
    text = import_tree(tree).text
    assert text is not None
    (tmp_path / "imported.toml").write_text(text + QEMU)
    head = 'board = "imported.toml"\n'
    session = boot(head + linux(devices=["rtc"]) + freertos(), icount=4)
    session.wait_ready("freertos")
    session.expect("linux", LINUX_READY)
    assert session.command("linux", "cat /proc/interrupts | grep -c rtc; hwclock -r")[0] == 0
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


def test_the_trees_of_debian() -> None:
    store = open_store()
    listed = ensure(DEVICE_TREES, store, paths.ROOT, lambda *_: None)
    trees = {each.file: each for each in survey(listed.parent.glob(f"*{TREE_SUFFIX}"))}
    assert len(trees) > 30
    good = {name for name, each in trees.items() if not each.reasons}
    for start in ("hifive-unleashed", "hifive-unmatched", "jh7110-", "mpfs-icicle"):
        assert any(name.startswith(start) for name in good), start
    # All that do not import say why by a problem of theirs: ours would be a mistake of the reader.
    assert not [each for each in trees.values() if each.reasons and not _problems(each.imported)]


def _problems(imported: object) -> list[str]:
    return list(getattr(imported, "problems", []))


@pytest.mark.parametrize(
    ("name", "tree"),
    [
        ("sifive-unmatched", "hifive-unmatched-a00"),
        ("starfive-visionfive2", "jh7110-starfive-visionfive-2-v1.3b"),
    ],
)
def test_our_files_of_boards_that_nobody_tried_are_what_their_trees_say(
    name: str, tree: str, tmp_path: Path
) -> None:
    listed = ensure(DEVICE_TREES, open_store(), paths.ROOT, lambda *_: None)
    text = import_tree(listed.with_name(f"{tree}{TREE_SUFFIX}")).text
    assert text is not None
    (tmp_path / f"{name}.toml").write_text(text)
    ours = board_reader.load(name, Mistakes("test"))
    theirs = board_reader.load(name, Mistakes("test"), tmp_path)
    # How it boots from a card, no tree tells; nor with how much RAM the product can be bought.
    assert ours is not None and ours.sd_card is not None and theirs is not None
    assert ours.ram_limit and theirs.ram_limit and ours.ram_limit >= theirs.ram_limit
    assert replace(ours, sd_card=None, ram_limit=theirs.ram_limit) == theirs
    assert [hart.has_s_mode for hart in ours.harts] == [False, True, True, True, True]


def test_the_icicle_kit_of_debian_is_ours_by_hand(tmp_path: Path) -> None:
    """QEMU makes no tree for this machine. Its console is another one than Linux' default."""
    listed = ensure(DEVICE_TREES, open_store(), paths.ROOT, lambda *_: None)
    imported = import_tree(listed.with_name("mpfs-icicle-kit.dtb"), "serial0")
    assert imported.text is not None
    (tmp_path / "made.toml").write_text(imported.text)
    made = board_reader.load("made", Mistakes("test"), tmp_path)
    ours = board_reader.load("microchip-icicle", Mistakes("test"))
    assert made is not None and ours is not None
    for key in (
        "timebase",
        "harts",
        "aclint",
        "reset",
        "envcfg",
        "sstc",
        "mmu",
        "isa",
        "all_harts",
    ):
        assert getattr(made, key) == getattr(ours, key), key
    assert made.plic.range == ours.plic.range and made.plic.sources == ours.plic.sources
    assert (made.pmp_entries, made.ram_base) == (ours.pmp_entries, ours.ram_base)
    for key in ("kind", "source", "register_shift"):
        assert getattr(made.uart, key) == getattr(ours.uart, key), key
    assert made.uart.range.base == ours.uart.range.base
