# SPDX-License-Identifier: BSD-2-Clause
"""Boards: the shipped ones are sound, and mistakes in a board are told like any other."""

from pathlib import Path

import pytest

from cotenant import board_reader, paths
from cotenant.config import load as load_config
from cotenant.errors import ConfigError, Mistakes


@pytest.mark.parametrize("name", board_reader.names())
def test_shipped_boards_are_sound(name: str) -> None:
    mistakes = Mistakes("test")
    assert board_reader.load(name, mistakes) is not None
    assert not mistakes.found


def test_qemu_virt() -> None:
    board = board_reader.load("qemu-virt", Mistakes("test"))
    assert board is not None
    assert board.devices["virtio3"].range.base == 0x1000_4000
    assert board.devices["virtio3"].interrupts == (4,)
    assert [(hart.plic_m_context, hart.plic_s_context) for hart in board.harts[:2]] == [
        (0, 1), (2, 3)
    ]  # fmt: skip
    assert str(board.plic.enable_words(1)) == "0xc002080..0xc0020ff"
    assert str(board.plic.claim(1)) == "0xc201004..0xc201007"


def test_a_board_can_be_based_on_another_one(tmp_path: Path) -> None:
    (tmp_path / "below.toml").write_text((paths.BOARDS / "qemu-virt.toml").read_text())
    (tmp_path / "above.toml").write_text(
        'based_on = "below"\nwithout = ["pcie"]\nname = "Another"\n[uart]\nclock = 1000\n'
        "[device.rtc]\nsize = 0x2000\n"
    )
    below = board_reader.load("below", Mistakes("test"), tmp_path)
    above = board_reader.load("above", Mistakes("test"), tmp_path)
    assert below is not None and above is not None
    assert (above.name, above.uart.clock, above.uart.range) == ("Another", 1000, below.uart.range)
    assert above.devices["rtc"].range.size == 0x2000
    assert above.devices["rtc"].interrupts == below.devices["rtc"].interrupts
    assert above.harts == below.harts
    assert set(below.devices) - set(above.devices) == {"pcie"}


@pytest.mark.parametrize(
    ("old", "new", "key", "problem"),
    [
        ("base = 0x0010_1000", "base = 0x1000_1800", "device.virtio0", "overlaps rtc"),
        ("base = 0x0010_1000", "base = 0x1000_0000", "device.rtc", "overlaps uart"),
        ("interrupts = [11]", "interrupts = [1]", "device.virtio0", "is that of device.rtc"),
        ("interrupts = [11]", "interrupts = [12]", "device.rtc", "plic.virtual_sources"),
        ("interrupts = [11]", "interrupts = [100]", "device.rtc", "not of this PLIC"),
        ("base = 0x0010_1000", "base = 0x0010_1002", "device.rtc", "PMP grain"),
        ("grain = 4", "grain = 5", "pmp.grain", "power of two"),
        ("clock = ", "register_width = 2\nclock = ", "uart.register_width", "2 bytes"),
        ("base = 0x0300_0000", "base = 0x1000_0000", "device.pcie", "overlaps uart"),
        ("size = 0x10_0000", "size = 0x20_0000", "device.pcie.size", "not one bus"),
        ("[32, 33, 34, 35]", "[32]", "device.pcie.interrupts", "INTA to INTD"),
        ("ports = {", "port = {", "device.pcie.pci.ports", "missing"),
        ('kind = "ns16550"', 'kind = "pl011"', "uart.kind", "unknown kind"),
        ("envcfg = true", "envcfg = false", "sstc", "menvcfg"),
        ("timebase", "timbase", "timbase", "unknown key"),
        ("[ram]", "[rom]", "ram", "missing"),
        ("id = 7", 'id = "7"', "hart[7].id", "a string"),
        ("timebase", 'based_on = "qemu-vrt"\ntimebase', "based_on", "is no board"),
        (
            "[reset]",
            "[[uart.setup]]\naddress = 6\nvalue = 1\n[reset]",
            "uart.setup[0].address",
            "not a multiple of 4",
        ),
        (
            "[reset]",
            "[[uart.setup]]\naddress = 8\nvalue = 1\n" * 3 + "[reset]",
            "uart.setup",
            "3 writes",
        ),
    ],
)
def test_mistakes_in_a_board(tmp_path: Path, old: str, new: str, key: str, problem: str) -> None:
    text = (paths.BOARDS / "qemu-virt.toml").read_text()
    assert old in text
    (tmp_path / "wrong.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(ConfigError) as caught:
        board_reader.load("wrong", Mistakes("system.toml"), tmp_path)
    found = [(each.key, each.problem) for each in caught.value.mistakes]
    assert any(each_key == key and problem in text for each_key, text in found), found


@pytest.mark.parametrize("path", sorted((paths.ROOT / "examples").glob("*.toml")), ids=str)
def test_shipped_examples_are_read_without_a_mistake(path: Path) -> None:
    mistakes = Mistakes(path)
    config = load_config(path, mistakes)
    assert config is not None
    assert not mistakes.found
    assert config.board in board_reader.names()
    assert len(config.tenants) >= 2
