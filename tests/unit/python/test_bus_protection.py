# SPDX-License-Identifier: BSD-2-Clause
"""A board's unit that confines bus masters: whose each is, and what its owner's device reaches."""

from io import StringIO
from pathlib import Path

import pytest
from made_images import Workshop, workshop
from rich.console import Console

from cotenant import abi, board_reader, explain, features, paths
from cotenant import system as systems
from cotenant.bundle_struct import Bundle
from cotenant.errors import ConfigError, Mistakes
from cotenant.units import align_up

__all__ = ["workshop"]

HEAD = 'board = "microchip-icicle"\n'
ENTRIES = {
    "fic0": 16, "fic1": 16, "fic2": 8, "crypto": 4, "gem0": 8,
    "gem1": 8, "usb": 4, "mmc": 4, "scb": 8, "trace": 2,
}  # fmt: skip


def tenant(name: str, *devices: str, memory: str = "4M", keys: str = "") -> str:
    return (
        f'[tenant.{name}]\npriority = 5\nhart = 1\nmemory = "{memory}"\nimage = "rtos"\n'
        f"devices = {list(devices)}\n{keys}\n"
    )


def mistakes_of(path: Path) -> list[tuple[str, str, str | None]]:
    with pytest.raises(ConfigError) as caught:
        systems.load(path)
    return [(each.key, each.problem, each.remedy) for each in caught.value.mistakes]


def reaches(system: systems.System) -> dict[str, dict[str, list[str]]]:
    """Return by master, of those that reach anything, the blocks of each tenant's memory."""
    return {
        plan.master.name: {name: list(map(str, areas)) for name, areas in plan.reaches.items()}
        for plan in system.masters
        if plan.reaches
    }


def test_a_device_reaches_its_tenants_memory_and_the_others_nothing(workshop: Workshop) -> None:
    text = HEAD + tenant("one", "mac0", "usb", memory="6M") + tenant("two", "mac1", memory="8M")
    system = systems.load(workshop.system(text))
    one = {"one": ["0x80800000..0x80bfffff", "0x80c00000..0x80dfffff"]}
    assert [plan.master.name for plan in system.masters] == list(ENTRIES)
    two = {"two": ["0x80000000..0x807fffff"]}
    assert reaches(system) == {"gem0": one, "gem1": two, "usb": one}
    assert not system.warnings


def test_the_bundle_names_all_masters(workshop: Workshop) -> None:
    group = "[group.desk]\nmembers = ['one', 'two']\ndevices = ['mmc']\n"
    text = HEAD + group + tenant("one") + tenant("two", "mac1")
    system = systems.load(workshop.system(text))
    built = systems.build(system, workshop.folder / "bundle.bin")
    monitor = align_up((workshop.folder / "monitor.bin").stat().st_size, 4096)
    board = Bundle.from_buffer_copy(built.bundle.read_bytes(), monitor).board
    assert (board.bus_kind, board.bus_base) == (abi.bundle("BUS_MPFS_MPU"), 0x2000_5000)
    assert board.master_count == len(ENTRIES)
    masters = [(each.number, each.entries, each.tenants) for each in board.masters]
    owners = {"gem1": 0b10, "mmc": 0b11}
    assert masters[: len(ENTRIES)] == [
        (number, entries, owners.get(name, 0))
        for number, (name, entries) in enumerate(ENTRIES.items())
    ]
    assert "bus_protection" in features.used(system)


def test_memory_that_takes_more_entries_than_there_are_is_refused(workshop: Workshop) -> None:
    systems.load(workshop.system(HEAD + tenant("one", "usb", memory="15M")))
    text = HEAD + tenant("one", "mac0", "usb", memory="31M")
    assert mistakes_of(workshop.system(text)) == [
        ("tenant.one.memory",
         "consists of 5 powers of two at multiples of themselves, and usb, bus master \"usb\", "
         "can be let reach 4",
         "make it 32M, at a multiple of that, which is one"),
    ]  # fmt: skip


def test_a_master_of_two_tenants_is_refused(workshop: Workshop) -> None:
    text = (paths.BOARDS / "microchip-icicle.toml").read_text()
    (workshop.folder / "fabric.toml").write_text(text.replace('master = "gem1"', 'master = "gem0"'))
    head = 'board = "fabric.toml"\n'
    both = tenant("one", "mac0") + tenant("two", "mac1")
    ((key, problem, remedy),) = mistakes_of(workshop.system(head + both))
    assert key == "tenant.two.devices"
    assert problem.startswith('mac0 and mac1 are one bus master, "gem0", ')
    assert remedy == "give them to one tenant, or to a group"
    group = "[group.desk]\nmembers = ['one', 'two']\n"
    found = reaches(systems.load(workshop.system(head + group + both)))
    assert set(found) == {"gem0"} and set(found["gem0"]) == {"one", "two"}
    systems.load(workshop.system(head + tenant("one", "mac0", "mac1") + tenant("two")))


def test_a_group_that_shares_what_is_not_reset_is_warned_of(workshop: Workshop) -> None:
    text = HEAD + tenant("one", "usb") + tenant("two")
    for devices, warned in ((["mac0"], True), ([], False)):
        group = f"[group.desk]\nmembers = ['one', 'two']\ndevices = {devices}\n"
        system = systems.load(workshop.system(text + group))
        said = [each for each in system.warnings if "does not know how to reset mac0" in each]
        assert bool(said) == warned
        assert not any("usb" in each for each in system.warnings)


def test_check_tells_what_confines_each_device(workshop: Workshop) -> None:
    for trusted, warned in (("false", True), ("true", False)):
        keys = f"trusted = {trusted}"
        text = HEAD + tenant("one", "mac0", "pdma", keys=keys) + tenant("two")
        system = systems.load(workshop.system(text))
        told = explain.as_dict(system)
        assert isinstance(told["tenants"], dict) and isinstance(told["bus_masters"], dict)
        assert told["tenants"]["one"]["confined_by"] == {"pdma": "nothing", "mac0": "unit"}
        assert told["bus_masters"]["gem0"] == {
            "entries": 8,
            "reaches": {"one": [{"base": 0x8000_0000, "size": 4 << 20}]},
        }
        assert told["bus_masters"]["scb"] == {"entries": 8, "reaches": {}}
        assert [each.split(":")[0] for each in system.warnings] == (
            ["tenant one owns pdma"] if warned else []
        )
    output = StringIO()
    explain.show(system, Console(file=output, width=200))
    rows = [[cell.strip() for cell in line.split("│")] for line in output.getvalue().splitlines()]
    assert ["", "gem0", "1 of 8", "one", "0x80000000..0x803fffff", ""] in rows
    assert ["", "scb", "0 of 8", "no tenant", "-", ""] in rows


def test_a_board_without_a_unit_has_no_masters(workshop: Workshop) -> None:
    system = systems.load(workshop.system('board = "qemu-virt"\n' + tenant("one")))
    assert system.masters == ()
    assert explain.as_dict(system)["bus_masters"] == {}
    assert "bus_protection" not in features.used(system)


def test_the_unit_is_the_monitors_own(workshop: Workshop) -> None:
    ((key, problem, _),) = mistakes_of(workshop.system(HEAD + tenant("one", "bus_protection")))
    assert key == "tenant.one.devices" and "the monitor's own" in problem


@pytest.mark.parametrize(
    ("old", "new", "key", "problem"),
    [
        ('master = "gem0"', 'master = "gem2"', "device.mac0.master", 'unknown master "gem2"'),
        ('dma = true\nmaster = "usb"', 'master = "usb"', "device.usb.master", "that do DMA"),
        ('"microchip,mpfs-musb"', '"virtio,mmio"', "device.usb.master", "rings of a guard"),
        ("number = 9", "number = 8", "bus_protection.master", "the same number"),
        ("entries = 2\n", "entries = 0\n", "bus_protection.master.trace.entries", "out of range"),
        ("mpfs-mpu", "iopmp", "bus_protection.kind", "unknown kind"),
        ("base = 0x2000_8000", "base = 0x2000_5000", "device.mmc", "overlaps bus_protection"),
    ],
)
def test_mistakes_of_a_board(tmp_path: Path, old: str, new: str, key: str, problem: str) -> None:
    text = (paths.BOARDS / "microchip-icicle.toml").read_text()
    assert old in text
    (tmp_path / "wrong.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(ConfigError) as caught:
        board_reader.load("wrong", Mistakes("test"), tmp_path)
    assert any(each.key == key and problem in each.problem for each in caught.value.mistakes), [
        str(each) for each in caught.value.mistakes
    ]
