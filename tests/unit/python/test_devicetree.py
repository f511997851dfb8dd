# SPDX-License-Identifier: BSD-2-Clause
"""The device trees: read back, and accepted by the device tree compiler."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import fdt
import pytest

from cotenant import flat_tree
from cotenant.board import Board
from cotenant.board_reader import load
from cotenant.devicetree import TenantView, build, extensions, isa_string
from cotenant.errors import Mistakes
from cotenant.ranges import Range


@pytest.fixture
def board() -> Board:
    found = load("qemu-virt", Mistakes("test"))
    assert found is not None
    return found


@pytest.fixture
def view(board: Board) -> TenantView:
    return TenantView(
        name="linux",
        memory=(Range(0x8000_0000, 0x2000_0000),),
        devices=[board.devices["rtc"], board.devices["virtio7"]],
        virtual_devices=(),
        windows=(),
        arguments="console=ttyS0 quiet",
        initrd=Range(0x9FF0_0000, 0x1234),
        fp=True,
        vector=False,
        sstc=True,
        uart_source=12,
        watchdog=None,
        guests=None,
        vharts=1,
        plic_contexts=[1],
        random_seed=bytes(range(32)),
    )


def cells(tree: fdt.FDT, path: str, name: str) -> list[int]:
    data: list[int] = tree.get_property(name, path).data
    return data


def texts(tree: fdt.FDT, path: str, name: str) -> list[str]:
    data: list[str] = tree.get_property(name, path).data
    return data


def test_a_watchdog_that_linux_has_a_driver_for(view: TenantView, board: Board) -> None:
    tree = fdt.parse_dtb(build(replace(view, watchdog=board.virtual_watchdog), board))
    assert texts(tree, "/soc/watchdog@2000000", "compatible") == ["allwinner,sun6i-a31-wdt"]
    assert cells(tree, "/soc/watchdog@2000000", "reg") == [0, 0x0200_0000, 0, 0x20]


def test_what_machine_mode_finds(view: TenantView, board: Board) -> None:
    tree = fdt.parse_dtb(build(replace(view, machine=True, plic_contexts=[0]), board))
    controller = cells(tree, "/cpus/cpu@0/interrupt-controller", "phandle")[0]
    assert cells(tree, "/soc/clint@2000000", "interrupts-extended") == [
        controller,
        3,
        controller,
        7,
    ]
    assert cells(tree, "/soc/plic@c000000", "interrupts-extended") == [controller, 11]
    assert cells(tree, "/soc/test@100000", "reg") == [0, 0x10_0000, 0, 0x1000]
    assert cells(tree, "/soc/poweroff", "value") == [0x5555]
    assert texts(tree, "/cpus/cpu@0", "mmu-type") == ["riscv,none"]
    assert "sstc" not in texts(tree, "/cpus/cpu@0", "riscv,isa")[0]


def test_what_machine_mode_finds_on_two_harts(view: TenantView, board: Board) -> None:
    whole = replace(view, machine=True, vharts=2, plic_contexts=[0, 2])
    tree = fdt.parse_dtb(build(whole, board))
    first, second = (
        cells(tree, f"/cpus/cpu@{number}/interrupt-controller", "phandle")[0] for number in (0, 1)
    )
    timer = cells(tree, "/soc/clint@2000000", "interrupts-extended")
    assert timer == [first, 3, first, 7, second, 3, second, 7]
    parents = cells(tree, "/soc/plic@c000000", "interrupts-extended")
    assert parents == [first, 11, first, 0xFFFF_FFFF, second, 11]


def test_what_machine_mode_finds_with_s_mode_below(view: TenantView, board: Board) -> None:
    whole = replace(view, machine=True, s_mode=True, plic_contexts=[1])
    tree = fdt.parse_dtb(build(whole, board))
    controller = cells(tree, "/cpus/cpu@0/interrupt-controller", "phandle")[0]
    parents = cells(tree, "/soc/plic@c000000", "interrupts-extended")
    assert parents == [controller, 0xFFFF_FFFF, controller, 9]
    both = fdt.parse_dtb(build(replace(whole, machine_contexts=[0]), board))
    parents = cells(both, "/soc/plic@c000000", "interrupts-extended")
    assert parents == [controller, 11, controller, 9]
    assert texts(tree, "/cpus/cpu@0", "mmu-type") == [board.mmu]
    for s_mode in (False, True):  # only S-mode has a stimecmp
        seen = replace(whole, s_mode=s_mode, sstc=True)
        isa = texts(fdt.parse_dtb(build(seen, board)), "/cpus/cpu@0", "riscv,isa")[0]
        assert ("sstc" in isa) == s_mode


def test_what_linux_reads(view: TenantView, board: Board) -> None:
    tree = fdt.parse_dtb(build(view, board))
    assert texts(tree, "/chosen", "bootargs") == ["console=ttyS0 quiet"]
    assert texts(tree, "/chosen", "stdout-path") == ["/soc/serial@10000000"]
    assert cells(tree, "/chosen", "linux,initrd-start") == [0, 0x9FF0_0000]
    assert cells(tree, "/chosen", "linux,initrd-end") == [0, 0x9FF0_1234]
    assert cells(tree, "/chosen", "rng-seed")[:2] == [0x00010203, 0x04050607]
    assert cells(tree, "/memory@80000000", "reg") == [0, 0x8000_0000, 0, 0x2000_0000]
    assert cells(tree, "/cpus", "timebase-frequency") == [10_000_000]
    isa = texts(tree, "/cpus/cpu@0", "riscv,isa")[0]
    assert isa.startswith("rv64imafdc_zicntr_")
    assert isa.endswith("_sstc")
    assert "sstc" in texts(tree, "/cpus/cpu@0", "riscv,isa-extensions")
    assert cells(tree, "/soc/serial@10000000", "interrupts") == [12]
    assert cells(tree, "/soc/rtc@101000", "interrupts") == [11]
    assert texts(tree, "/soc/virtio_mmio@10008000", "compatible") == ["virtio,mmio"]
    assert not tree.exist_node("/soc/virtio_mmio@10001000")


def test_a_pci_bus(view: TenantView, board: Board) -> None:
    tree = fdt.parse_dtb(build(replace(view, devices=[board.devices["pcie"]]), board))
    path = "/soc/pci@30000000"
    assert texts(tree, path, "compatible") == ["pci-host-ecam-generic"]
    assert cells(tree, path, "reg") == [0, 0x3000_0000, 0, 0x10_0000]
    assert cells(tree, path, "bus-range") == [0, 0]
    assert not tree.exist_property("interrupts", path)
    # The kind of address, the address on the bus, that of the machine, the size.
    ranges = cells(tree, path, "ranges")
    assert ranges[:7] == [0x0100_0000, 0, 0, 0, 0x0300_0000, 0, 0x1_0000]
    assert ranges[7:] == [0x0200_0000, 0, 0x4000_0000, 0, 0x4000_0000, 0, 0x4000_0000]
    routes = cells(tree, path, "interrupt-map")
    (plic,) = cells(tree, "/soc/plic@c000000", "phandle")
    for card in range(4):
        for pin in range(4):
            route, routes = routes[:6], routes[6:]
            assert route == [card << 11, 0, 0, pin + 1, plic, 32 + (card + pin) % 4]
    assert not routes


def test_only_its_own_plic_context_is_there(view: TenantView, board: Board) -> None:
    for context in (1, 5):
        tree = fdt.parse_dtb(build(replace(view, plic_contexts=[context]), board))
        entries = cells(tree, "/soc/plic@c000000", "interrupts-extended")
        assert entries[1::2] == [0xFFFF_FFFF] * context + [9]
        intc = cells(tree, "/cpus/cpu@0/interrupt-controller", "phandle")
        assert entries[0::2] == intc * (context + 1)


def test_several_harts(view: TenantView, board: Board) -> None:
    contexts = [3, 9, 1]
    tree = fdt.parse_dtb(build(replace(view, vharts=3, plic_contexts=contexts), board))
    names = [node.name for node in tree.get_node("/cpus").nodes]
    assert names == ["cpu@0", "cpu@1", "cpu@2", "cpu-map"]
    phandles = []
    for number in range(3):
        cpu = f"/cpus/cpu@{number}"
        assert cells(tree, cpu, "reg") == [number]
        assert texts(tree, cpu, "riscv,isa") == texts(tree, "/cpus/cpu@0", "riscv,isa")
        core = cells(tree, f"/cpus/cpu-map/cluster0/core{number}", "cpu")
        assert core == cells(tree, cpu, "phandle")
        phandles += core + cells(tree, f"{cpu}/interrupt-controller", "phandle")
    phandles += cells(tree, "/soc/plic@c000000", "phandle")
    assert len(set(phandles)) == 7
    entries = cells(tree, "/soc/plic@c000000", "interrupts-extended")
    found = {
        context: intc
        for context, (intc, interrupt) in enumerate(zip(entries[::2], entries[1::2], strict=True))
        if interrupt == 9
    }
    intcs = [
        cells(tree, f"/cpus/cpu@{number}/interrupt-controller", "phandle")[0] for number in range(3)
    ]
    assert found == dict(zip(contexts, intcs, strict=True))
    assert set(entries[1::2]) == {9, 0xFFFF_FFFF}
    assert len(entries) == 2 * 10


def test_one_hart_has_no_topology(view: TenantView, board: Board) -> None:
    tree = fdt.parse_dtb(build(view, board))
    assert not tree.exist_node("/cpus/cpu-map")


def test_a_tenant_without_uart_plic_and_arguments(view: TenantView, board: Board) -> None:
    bare = replace(view, devices=[], arguments="", initrd=None, uart_source=None, plic_contexts=[])
    tree = fdt.parse_dtb(build(bare, board))
    assert not tree.exist_property("bootargs", "/chosen")
    assert not tree.exist_property("stdout-path", "/chosen")
    assert not tree.exist_node("/soc/plic@c000000")
    assert not tree.exist_node("/soc/serial@10000000")


def test_isa(board: Board) -> None:
    assert isa_string(extensions(board, fp=True, vector=False, sstc=False)).startswith(
        "rv64imafdc_zicntr"
    )
    without = isa_string(extensions(board, fp=False, vector=False, sstc=True))
    assert without.startswith("rv64imac_zicntr")
    assert without.endswith("_sstc")


def test_properties_of_every_type(view: TenantView, board: Board) -> None:
    device = replace(
        board.devices["rtc"],
        properties={
            "compatible": ("a,b", "c"), "dma-coherent": True, "absent": False,
            "bus-width": 4, "some-cells": (1, 2, 3),
        },
    )  # fmt: skip
    tree = fdt.parse_dtb(build(replace(view, devices=[device]), board))
    path = "/soc/rtc@101000"
    assert texts(tree, path, "compatible") == ["a,b", "c"]
    assert tree.exist_property("dma-coherent", path)
    assert not tree.exist_property("absent", path)
    assert cells(tree, path, "bus-width") == [4]
    assert cells(tree, path, "some-cells") == [1, 2, 3]


def test_dtc_has_nothing_to_say(view: TenantView, board: Board, tmp_path: Path) -> None:
    dtc = shutil.which("dtc")
    if dtc is None:
        pytest.fail("dtc is not installed: install device-tree-compiler")
    bare = replace(view, devices=[], arguments="", initrd=None, plic_contexts=[], uart_source=None)
    many = replace(view, vharts=8, plic_contexts=range(1, 17, 2))
    with_pci = replace(view, devices=[board.devices["pcie"]])
    for each in (view, bare, many, with_pci):
        file = tmp_path / "tenant.dtb"
        file.write_bytes(build(each, board))
        result = subprocess.run(
            [dtc, "-I", "dtb", "-O", "dts", "-o", tmp_path / "tenant.dts", file],
            capture_output=True,
            text=True,
            check=True,
        )
        assert result.stderr == ""


def test_what_is_read_with_one_tree_is_not_written_with_another(
    view: TenantView, board: Board
) -> None:
    reserved = flat_tree.new()
    reserved.entries.append({"address": 0x8000_0000, "size": 0x1000})
    before = build(view, board)
    read = flat_tree.parse(reserved.to_dtb(version=17))
    assert read.entries == reserved.entries
    assert build(view, board) == before
    damaged = bytearray(reserved.to_dtb(version=17))
    del damaged[-8:]
    damaged[4:8] = len(damaged).to_bytes(4)
    with pytest.raises(Exception, match="out of range"):
        flat_tree.parse(bytes(damaged))
    assert build(view, board) == before
