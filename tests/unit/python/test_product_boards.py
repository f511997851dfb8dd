# SPDX-License-Identifier: BSD-2-Clause
"""Boards of products: all their harts, one of them without S-mode, and how QEMU starts them."""

from pathlib import Path

import pytest
from made_images import LINUX, RTOS, Workshop, workshop

from cotenant import abi, board_reader
from cotenant import system as systems
from cotenant.bundle_struct import Bundle
from cotenant.errors import ConfigError, Mistakes
from cotenant.run.qemu import Machine
from cotenant.units import align_up

__all__ = ["workshop"]

PRODUCTS = ["microchip-icicle", "sifive-unleashed"]


def text_for(board: str, **keys: str) -> str:
    """Return a system of Linux on harts 1 and 2 and an RTOS on hart 2 of a product."""
    text = LINUX.replace("qemu-virt", board).replace('devices = ["rtc", "virtio*"]', "")
    text = text.replace("priority", "harts = [1, 2]\npriority")
    head = "".join(f"{key} = {value}\n" for key, value in keys.items())
    return head + text + RTOS.replace("priority", "hart = 2\npriority")


def mistakes_of(path: Path) -> list[tuple[str, str, str | None]]:
    """Return what is wrong with a system, as (key, problem, remedy)."""
    with pytest.raises(ConfigError) as caught:
        systems.load(path)
    return [(each.key, each.problem, each.remedy) for each in caught.value.mistakes]


@pytest.mark.parametrize("name", PRODUCTS)
def test_harts_and_their_contexts(name: str) -> None:
    board = board_reader.load(name, Mistakes("test"))
    assert board is not None
    contexts = [(hart.plic_m_context, hart.plic_s_context) for hart in board.harts]
    assert contexts == [(0, None), (1, 2), (3, 4), (5, 6), (7, 8)]
    assert not board.sstc and not board.envcfg
    assert board.timebase == 1_000_000


@pytest.mark.parametrize("name", PRODUCTS)
def test_the_bundle_knows_all_harts_and_boots_on_one_with_s_mode(
    workshop: Workshop, name: str
) -> None:
    system = systems.load(workshop.system(text_for(name)))
    built = systems.build(system, workshop.folder / "bundle.bin")
    monitor = align_up((workshop.folder / "monitor.bin").stat().st_size, 4096)
    board = Bundle.from_buffer_copy(built.bundle.read_bytes(), monitor).board
    assert board.hart_count == 5
    assert board.boot_hart == 1
    assert board.harts[0].plic_s_context == abi.bundle("NONE")
    assert board.reset_kind == abi.bundle("RESET_NONE") and board.reset_base == 0


def test_the_unleashed_starts_what_bios_names(workshop: Workshop) -> None:
    system = systems.load(workshop.system(text_for("sifive-unleashed")))
    qemu = systems.qemu_parameters(system)
    assert qemu is not None
    assert (qemu.machine, qemu.cpu, qemu.harts) == ("sifive_u", None, 5)
    assert (qemu.start_address, qemu.powers_off) == (None, False)
    assert qemu.memory_bytes == 2 << 30
    machine = Machine(workshop.folder / "b.bin", cpu=qemu.cpu, harts=qemu.harts)
    arguments = machine.arguments()
    assert "-cpu" not in arguments
    assert arguments[arguments.index("-bios") + 1] == str(workshop.folder / "b.bin")


def test_the_harts_of_the_icicle_are_sent_to_the_bundle(workshop: Workshop) -> None:
    system = systems.load(workshop.system(text_for("microchip-icicle")))
    qemu = systems.qemu_parameters(system)
    assert qemu is not None
    assert system.ram.size == 1 << 30
    assert qemu.memory_bytes == 1537 << 20
    assert qemu.start_address == 0x8000_0000
    bundle = workshop.folder / "b.bin"
    arguments = Machine(bundle, harts=2, start_address=qemu.start_address).arguments()
    assert arguments[arguments.index("-bios") + 1] == "none"
    loaders = [each for each in arguments if each.startswith("loader,")]
    assert loaders == [
        f"loader,addr=0x80000000,file={bundle},force-raw=on",
        "loader,addr=0x80000000,cpu-num=0",
        "loader,addr=0x80000000,cpu-num=1",
    ]


def test_a_key_leaves_a_machine_that_cannot_switch_itself_off(workshop: Workshop) -> None:
    machine = Machine(workshop.folder / "b.bin", leave_by_key=True)
    assert "stdio,id=line,signal=off,mux=on" in machine.arguments()
    assert "stdio,id=line,signal=off" in Machine(workshop.folder / "b.bin").arguments()


def test_hart_0_runs_no_tenant(workshop: Workshop) -> None:
    text = text_for("sifive-unleashed").replace("hart = 2", "hart = 0")
    assert mistakes_of(workshop.system(text)) == [
        ("tenant.rtos.hart", "hart 0 of sifive-unleashed has no S-mode, in which tenants run",
         "choose from 1, 2, 3, 4"),
    ]  # fmt: skip


def test_a_tenant_without_a_hart_gets_the_first_that_runs_tenants(workshop: Workshop) -> None:
    text = text_for("sifive-unleashed").replace("hart = 2", "")
    system = systems.load(workshop.system(text))
    assert [tenant.config.harts for tenant in system.tenants] == [(1, 2), (1,)]


def test_the_number_of_harts_cannot_be_chosen(workshop: Workshop) -> None:
    systems.load(workshop.system(text_for("sifive-unleashed", harts="5")))
    assert mistakes_of(workshop.system(text_for("sifive-unleashed", harts="3"))) == [
        ("harts", "sifive-unleashed always has 5 harts", "leave the key out")
    ]


def test_more_ram_than_there_is(workshop: Workshop) -> None:
    systems.load(workshop.system(text_for("microchip-icicle", memory='"1G"')))
    assert mistakes_of(workshop.system(text_for("microchip-icicle", memory='"2G"'))) == [
        ("memory", "2G are more than microchip-icicle has at 0x80000000",
         'write memory = "1G", or less'),
    ]  # fmt: skip


def test_sstc_cannot_be_asked_for(workshop: Workshop) -> None:
    ((key, problem, _),) = mistakes_of(workshop.system(text_for("sifive-unleashed", sstc="true")))
    assert key == "sstc"
    assert "sifive-unleashed" in problem
