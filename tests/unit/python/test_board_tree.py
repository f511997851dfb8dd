# SPDX-License-Identifier: BSD-2-Clause
"""The board's own device tree, cut to what a tenant has of the board."""

import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import handed_tree
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_images import Workshop, workshop
from test_board_import import MACHINES, compiled, dumped, read_back

from cotenant import board_reader, board_tree
from cotenant import system as systems
from cotenant.board import Board
from cotenant.board_import import import_tree
from cotenant.board_import.node import flatten, parse
from cotenant.board_import.tree import Node, Tree, TreeError
from cotenant.board_tree import machine
from cotenant.cli import main
from cotenant.devicetree import TenantView
from cotenant.errors import ConfigError, Mistakes
from cotenant.plan import TenantPlan
from cotenant.pmp.widened import widened
from cotenant.ranges import Range

__all__ = ["workshop"]

# A machine of which nearly everything is somebody else's. PLIC contexts: hart 0's, then M and S.
TREE = """
/dts-v1/;
/memreserve/ 0x80001000 0x1000;
/memreserve/ 0xb0000000 0x1000;
/ {
    #address-cells = <2>; #size-cells = <2>;
    model = "made"; compatible = "made,machine";
    chosen { stdout-path = "serial0:115200n8"; bootargs = "of the vendor"; };
    aliases { serial0 = "/soc/serial@10000000"; boss = "/cpus/cpu@2"; };
    cpus {
        #address-cells = <1>; #size-cells = <0>; timebase-frequency = <1000000>;
        cpu-map { cluster0 { core0 { cpu = <&h1>; }; core1 { cpu = <&h2>; }; }; };
        cpu@0 { device_type = "cpu"; compatible = "made,small"; reg = <0>; status = "disabled";
            riscv,isa = "rv64imac"; c0: interrupt-controller { #interrupt-cells = <1>;
            interrupt-controller; compatible = "riscv,cpu-intc"; }; };
        h1: cpu@1 { device_type = "cpu"; compatible = "made,large"; reg = <1>;
            mmu-type = "riscv,sv48"; riscv,isa = "rv64imafdc_sstc"; clocks = <&clk 7>;
            c1: interrupt-controller { #interrupt-cells = <1>; interrupt-controller;
            compatible = "riscv,cpu-intc"; }; };
        h2: cpu@2 { device_type = "cpu"; compatible = "made,large"; reg = <2>;
            mmu-type = "riscv,sv48"; riscv,isa = "rv64imafdc_sstc"; clocks = <&clk 7>;
            c2: interrupt-controller { #interrupt-cells = <1>; interrupt-controller;
            compatible = "riscv,cpu-intc"; }; };
    };
    memory@80000000 { device_type = "memory"; reg = <0 0x80000000 0 0x40000000>; };
    reserved-memory { #address-cells = <2>; #size-cells = <2>; ranges;
        pool { compatible = "shared-dma-pool"; size = <0 0x100000>; };
        own@80100000 { reg = <0 0x80100000 0 0x1000>; };
        dsp: dsp@a0000000 { reg = <0 0xa0000000 0 0x1000>; };
    };
    soc { compatible = "simple-bus"; #address-cells = <2>; #size-cells = <2>; ranges;
        interrupt-parent = <&plic>;
        clint@2000000 { compatible = "sifive,clint0"; reg = <0 0x2000000 0 0xc000>;
            interrupts-extended = <&c0 3 &c0 7 &c1 3 &c1 7 &c2 3 &c2 7>; };
        plic: interrupt-controller@c000000 { compatible = "sifive,plic-1.0.0";
            #interrupt-cells = <1>; interrupt-controller; riscv,ndev = <30>;
            reg = <0 0xc000000 0 0x4000000>;
            interrupts-extended = <&c0 11>, <&c1 11>, <&c1 9>, <&c2 11>, <&c2 9>; };
        serial@10000000 { compatible = "snps,dw-apb-uart"; reg = <0 0x10000000 0 0x1000>;
            reg-shift = <2>; reg-io-width = <4>; interrupts = <5>; clocks = <&clk 1>;
            pinctrl-0 = <&pins>; };
        clk: clock-controller@10010000 { compatible = "made,clk"; #clock-cells = <1>;
            reg = <0 0x10010000 0 0x1000>; };
        pins: pinctrl@10020000 { compatible = "made,pins"; reg = <0 0x10020000 0 0x1000>; };
        mmc@10030000 { compatible = "made,mmc"; reg = <0 0x10030000 0 0x1000>; interrupts = <8>;
            clocks = <&clk 3>; pinctrl-0 = <&pins>; card-detect-delay = <200>; };
        ethernet@10040000 { compatible = "made,eth"; reg = <0 0x10040000 0 0x1000>,
            <0 0x10050000 0 0x1000>; interrupts = <9>; clocks = <&clk 4>;
            mdio { #address-cells = <1>; #size-cells = <0>; phy@3 { reg = <3>; }; }; };
        dsp@10060000 { compatible = "made,dsp"; reg = <0 0x10060000 0 0x1000>; interrupts = <10>;
            memory-region = <&dsp>; };
        off@10070000 { compatible = "made,off"; reg = <0 0x10070000 0 0x1000>;
            interrupts = <11>; status = "disabled"; };
        sys: syscon@10080000 { compatible = "made,sys", "syscon";
            reg = <0 0x10080000 0 0x1000>; };
    };
    reboot { compatible = "syscon-reboot"; regmap = <&sys>; offset = <0>; value = <1>; };
    keys { compatible = "gpio-restart"; };
    lamp { compatible = "made,lamp"; regmap = <&sys>; };
};
"""

ALL = ("clock-controller", "pinctrl", "mmc", "ethernet", "ethernet-1", "dsp", "syscon")


@pytest.fixture
def made(tmp_path: Path) -> tuple[Board, bytes]:
    file = compiled(tmp_path, TREE)
    return read_back(import_tree(file), tmp_path), file.read_bytes()


def view_of(board: Board, names: Sequence[str], **changes: object) -> TenantView:
    view = TenantView(
        name="linux",
        memory=(Range(0x8000_0000, 0x1000_0000),),
        devices=[board.devices[name] for name in names],
        virtual_devices=(),
        windows=(),
        arguments="console=ttyS0 clk_ignore_unused",
        initrd=Range(0x8FF0_0000, 0x1234),
        fp=True,
        vector=False,
        sstc=False,
        uart_source=12,
        watchdog=None,
        guests=None,
        vharts=1,
        plic_contexts=[4],
        random_seed=bytes(range(32)),
    )
    return replace(view, **changes)  # type: ignore[arg-type]


def edited(made: tuple[Board, bytes], names: Sequence[str], **changes: object) -> "Result":
    """Return the tree for a tenant on hart 2 that has these devices."""
    board, data = made
    harts = [hart for hart in board.harts if hart.id == 2]
    view = view_of(board, names, **changes)
    return Result(data, board_tree.edit(data, view, board, harts, {"dsp": "tenant control"}))


class Result:
    """An edited tree beside the vendor's."""

    def __init__(self, before: bytes, after: board_tree.Edited) -> None:
        self.before, self.after = Tree(before), Tree(after.blob)
        self.edited = after

    def at(self, path: str) -> Node:
        node = self.after.at(path)
        assert node is not None, path
        return node

    def told(self) -> str:
        return "\n".join((*self.edited.cut, *self.edited.wanting))


def warnings_of(data: bytes, folder: Path) -> set[str]:
    """Return what dtc has against a tree, without the names of files."""
    (folder / "tree.dtb").write_bytes(data)
    result = subprocess.run(
        ["dtc", "-I", "dtb", "-O", "dts", "-o", "/dev/null", folder / "tree.dtb"],
        check=True,
        capture_output=True,
        text=True,
    )
    return {line.partition(": ")[2] for line in result.stderr.splitlines()}


def assert_handles_are_kept(before: Tree, after: Tree) -> None:
    """Each phandle leads to the node that it led to."""
    assert len(before.by_handle) > 1
    for handle, node in before.by_handle.items():
        assert after.by_handle[handle].kind == node.kind


def test_the_bytes_of_a_tree_are_kept(tmp_path: Path) -> None:
    data = compiled(tmp_path, TREE.replace('"made";', '"a", "", "b", ""; odd = [00 41 00 80];'))
    root, reservations = parse(data.read_bytes())
    again, reserved = parse(flatten(root, reservations))
    assert reservations == reserved and len(reserved) == 2
    assert [(node.path, node.properties) for node in root.all()] == [
        (node.path, node.properties) for node in again.all()
    ]
    assert root.properties["model"] == b"a\0\0b\0\0"
    assert warnings_of(flatten(root), tmp_path) == warnings_of(data.read_bytes(), tmp_path)


def test_a_tenant_with_all_devices_finds_them_as_the_vendor_wrote_them(
    made: tuple[Board, bytes], tmp_path: Path
) -> None:
    result = edited(made, ALL)
    for name in ("clock-controller@10010000", "pinctrl@10020000", "mmc@10030000", "off@10070000"):
        node = result.before.at(f"/soc/{name}")
        assert node is not None
        assert result.at(f"/soc/{name}").properties == node.properties
    assert result.at("/soc/ethernet@10040000/mdio/phy@3").enabled
    assert result.after.root.properties == result.before.root.properties
    assert_handles_are_kept(result.before, result.after)
    assert warnings_of(result.edited.blob, tmp_path) <= warnings_of(made[1], tmp_path)
    assert not result.edited.wanting


def test_harts_are_those_of_the_tenant_as_it_numbers_them(made: tuple[Board, bytes]) -> None:
    result = edited(made, ALL)
    cpu = result.at("/cpus/cpu@0")
    assert cpu.compatible == ("made,large",) and cpu.number("reg") == 0 and cpu.enabled
    assert cpu.text("riscv,isa") == "rv64imafdc_zicntr_zicsr_zifencei"
    assert "sstc" not in cpu.texts("riscv,isa-extensions")
    assert cpu.cells("clocks") == result.before.root.children[2].children[2].cells("clocks")
    assert [(n.name, n.number("reg"), n.enabled) for n in machine.harts(result.after).values()] == [
        ("cpu@1", 1, False), ("cpu@2", 2, False), ("cpu@0", 0, True)
    ]  # fmt: skip
    aliases = result.after.child("aliases")
    assert aliases and aliases.text("boss") == "/cpus/cpu@0"


def test_several_harts_in_the_order_of_the_tenant(made: tuple[Board, bytes]) -> None:
    board, data = made
    view = view_of(board, ALL, vharts=2, plic_contexts=[4, 2], fp=False)
    harts = [board.harts[2], board.harts[1]]
    tree = Tree(board_tree.edit(data, view, board, harts, {}).blob)
    nodes = machine.harts(tree)
    handles = [machine.handle(nodes[number].children[0]) for number in (0, 1)]
    plic = tree.at("/soc/interrupt-controller@c000000")
    assert plic is not None
    nothing = (handles[0], 0xFFFF_FFFF)
    assert plic.cells("interrupts-extended") == (
        *nothing, *nothing, handles[1], 9, *nothing, handles[0], 9
    )  # fmt: skip
    assert nodes[0].text("riscv,isa") == "rv64imac_zicntr_zicsr_zifencei"


def test_the_monitors_devices_are_replaced_or_disabled(made: tuple[Board, bytes]) -> None:
    result = edited(made, ALL, watchdog=made[0].virtual_watchdog)
    assert not result.at("/soc/clint@2000000").enabled
    plic = result.at("/soc/interrupt-controller@c000000")
    assert plic.enabled and plic.number("riscv,ndev") == made[0].plic.sources - 1
    uart = result.at("/soc/serial@10000000")
    assert uart.compatible == ("ns16550a",) and uart.cells("interrupts") == (12,)
    assert not {"clocks", "pinctrl-0", "reg-shift", "reg-io-width"} & set(uart.properties)
    assert result.at("/cotenant/watchdog@2000000").compatible == ("allwinner,sun6i-a31-wdt",)
    for name in ("reboot", "keys"):
        assert not result.at(f"/{name}").enabled
    assert "/keys is disabled: it ends or resets the whole machine" in result.told()
    without = edited(made, ALL, uart_source=None)
    assert not without.at("/soc/serial@10000000").enabled
    assert without.at("/chosen").text("stdout-path") is None
    assert not edited(made, (), uart_source=None, plic_contexts=()).at(plic.path).enabled


def test_what_is_not_the_tenants_is_disabled_and_told(made: tuple[Board, bytes]) -> None:
    result = edited(made, ("mmc", "ethernet"))
    for name in ("clock-controller@10010000", "ethernet@10040000", "dsp@10060000"):
        assert not result.at(f"/soc/{name}").enabled, name
    assert not result.at("/soc/ethernet@10040000/mdio/phy@3").enabled
    # Who looks for compatible nodes and not at their status finds none either.
    gone = result.at("/soc/clock-controller@10010000")
    assert not gone.compatible and gone.texts("cotenant,compatible") == ("made,clk",)
    assert all(node.enabled or node.kind == "off" for node in result.after.nodes if node.compatible
               and "/cpus/" not in node.path)  # fmt: skip
    assert result.at("/soc/mmc@10030000").enabled
    told = result.told()
    for words in (
        "/soc/dsp@10060000 is disabled: dsp is that of tenant control",
        "/soc/ethernet@10040000 is disabled: ethernet-1 is given to nobody",
        "/lamp is disabled: it is nothing without /soc/syscon@10080000",
        "/soc/mmc@10030000 refers to /soc/clock-controller@10010000, /soc/pinctrl@10020000",
        "memory is 262144 KiB of 1048576 KiB",
    ):
        assert words in told
    assert "/soc/off@10070000" not in told
    assert_handles_are_kept(result.before, result.after)


def test_memory_is_the_tenants_share(made: tuple[Board, bytes]) -> None:
    two = (Range(0x8000_0000, 0x800_0000), Range(0x8C00_0000, 0x400_0000))
    result = edited(made, ALL, memory=two)
    assert machine.memory(result.after) == list(two)
    assert result.after.reservations == (Range(0x8000_1000, 0x1000),)
    assert result.at("/reserved-memory/own@80100000").enabled
    assert result.at("/reserved-memory/pool").enabled
    assert not result.at("/reserved-memory/dsp@a0000000").enabled
    # Its DMA would go to memory that is somebody else's.
    assert not result.at("/soc/dsp@10060000").enabled


def test_chosen_is_what_the_system_says(made: tuple[Board, bytes]) -> None:
    chosen = edited(made, ALL).at("/chosen")
    assert chosen.text("bootargs") == "console=ttyS0 clk_ignore_unused"
    assert chosen.text("stdout-path") == "serial0:115200n8"
    assert chosen.number("linux,initrd-start") == 0x8FF0_0000
    assert chosen.number("linux,initrd-end") == 0x8FF0_1234
    assert chosen.properties["rng-seed"] == bytes(range(32))
    bare = edited(made, ALL, arguments="", initrd=None)
    assert set(bare.at("/chosen").properties) == {"stdout-path", "rng-seed"}
    assert "a Linux switches off what nobody uses" in bare.told()


def test_a_tree_without_the_uart_gets_one(made: tuple[Board, bytes], tmp_path: Path) -> None:
    text = TREE.replace("serial@10000000", "odd@10090000").replace("0x10000000 0", "0x10090000 0")
    result = edited((made[0], compiled(tmp_path, text).read_bytes()), ALL)
    uart = result.at("/cotenant/serial@10000000")
    assert uart.compatible == ("ns16550a",) and result.after.ranges(uart)[0].base == 0x1000_0000
    assert result.at("/chosen").text("stdout-path") == uart.path


def complaints(board: Board, data: bytes) -> str:
    found: list[str] = []
    ram = Range(0x8000_0000, 0x4000_0000)
    harts = [hart for hart in board.harts if hart.id == 2]
    board_tree.check(data, board, harts, ram, lambda what, how: found.append(f"{what}; {how}"))
    return "\n".join(found)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("0x80000000 0 0x40000000", "0x80000000 0 0x10000000", 'memory = "256M" at the top'),
        ("0x80000000 0 0x40000000", "0x90000000 0 0x10000000", "it has RAM at 0x90000000.."),
        ("reg = <2>;", "reg = <9>;", "it has no hart 2, but 0, 1, 9"),
        ("<0 0xc000000 0 0x4000000>", "<0 0xd000000 0 0x4000000>", "no interrupt controller at"),
        ("timebase-frequency = <1000000>", "timebase-frequency = <4000000>", "count 4000000"),
    ],
)
def test_the_tree_of_another_machine(
    before: str, after: str, why: str, made: tuple[Board, bytes], tmp_path: Path
) -> None:
    assert before in TREE and not complaints(*made)
    assert why in complaints(made[0], compiled(tmp_path, TREE.replace(before, after)).read_bytes())


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(places=st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), max_size=6))
def test_an_altered_tree_is_edited_or_refused(
    places: list[tuple[float, int]], made: tuple[Board, bytes]
) -> None:
    data = bytearray(made[1])
    for place, value in places:
        data[int(place * len(data))] = value
    if not complaints(made[0], bytes(data)):
        Tree(edited((made[0], bytes(data)), ALL).edited.blob)


def test_what_does_not_end_is_no_tree(made: tuple[Board, bytes]) -> None:
    for length in range(0, len(made[1]) - 1, 7):
        with pytest.raises(TreeError, match="no device tree"):
            Tree(made[1][:length])


SYSTEM = """
board = "{board}"
[tenant.linux]
priority = 1
memory = "64M"
image = "kernel"
harts = [{hart}]
devices = [{devices}]
devicetree = "{tree}"
trusted = true
arguments = "clk_ignore_unused"
"""


def planned(path: Path) -> TenantPlan:
    return systems.load(path).tenants[0]


@pytest.mark.parametrize("name", MACHINES)
def test_the_trees_of_qemu_are_edited(name: str, workshop: Workshop) -> None:
    before = dumped(name, workshop.folder).read_bytes()
    hart, devices = ("0", '"*"') if name == "qemu-virt" else ("1", "")
    text = SYSTEM.format(board=name, hart=hart, devices=devices, tree=f"{name}.dtb")
    tenant = planned(workshop.system(text))
    (after,) = (part.data for part in tenant.parts if part.what == "device tree")
    assert_handles_are_kept(Tree(before), Tree(after))
    assert warnings_of(after, workshop.folder) <= warnings_of(before, workshop.folder)
    tree = Tree(after)
    enabled = [node for node in tree.nodes if node.enabled and node.compatible]
    board = board_reader.load(name, Mistakes("test"))
    assert board is not None
    closed = [area for key, area in board.monitor_ranges.items() if key not in ("plic", "uart")]
    for node in enabled:
        assert not any(place.overlaps(area) for place in tree.ranges(node) for area in closed)
    if name == "qemu-virt":
        pci = next(node for node in enabled if node.text("device_type") == "pci")
        assert tree.ranges(pci) == [Range(0x3000_0000, 0x10_0000)]
        assert pci.cells("bus-range") == (0, 0)
        assert sum(node.is_a("virtio,mmio") for node in enabled) == 8
    assert not any(node.is_a("syscon-poweroff") for node in enabled)


def test_what_the_vendor_reserves_is_free_of_the_tenants_parts(workshop: Workshop) -> None:
    """At the start of its memory, where its image is, and beside it."""
    root, _ = parse(dumped("qemu-virt", workshop.folder).read_bytes())
    reserved = root.add("reserved-memory")
    reserved.set_cells("#address-cells", 2)
    reserved.set_cells("#size-cells", 2)
    reserved.properties["ranges"] = b""
    for name, base in (
        *(("hit", 0x8010_0000), ("free", 0x8200_0000), ("far", 0xB000_0000)),
        ("mmode_resv0", 0x8000_0000),  # OpenSBI's own
    ):
        reserved.add(f"{name}@{base:x}").set_cells("reg", 0, base, 0, 0x1000)
    (workshop.folder / "made.dtb").write_bytes(flatten(root))
    text = SYSTEM.format(board="qemu-virt", hart="0", devices="", tree="made.dtb")
    system = systems.load(workshop.system(text))
    told = [each for each in system.warnings if "reserves" in each]
    assert len(told) == 1 and "/reserved-memory/hit@80100000 reserves 0x80100000.." in told[0]
    assert "the tenant's image is in it" in told[0]
    (part,) = (part for part in system.tenants[0].parts if part.what == "device tree")
    kept = Tree(part.data).at("/reserved-memory")
    assert kept and [node.kind for node in kept.children if node.enabled] == ["hit", "free"]


def mistake_of(path: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        systems.load(path)
    return "\n".join(map(str, caught.value.mistakes))


def test_files_that_are_no_tree_of_the_board(workshop: Workshop) -> None:
    def found(tree: str, change: Callable[[str], str] = lambda text: text) -> str:
        text = SYSTEM.format(board="qemu-virt", hart="0", devices="", tree=tree)
        return mistake_of(workshop.system(change(text)))

    assert "tenant.linux.devicetree: there is no file" in found("missing.dtb")
    (workshop.folder / "kernel.dtb").write_bytes(workshop.files["kernel"])
    assert "it is no device tree (it does not begin as one)" in found("kernel.dtb")
    dumped("qemu-virt", workshop.folder)
    more = found("qemu-virt.dtb", lambda text: f'memory = "4G"\n{text}')
    assert 'write memory = "2048M" at the top of the file' in more
    machine_mode = found("qemu-virt.dtb", lambda text: f'{text}mode = "machine"\n')
    assert "tenant.linux.devicetree: a tenant in machine mode has none" in machine_mode


def test_check_tells_what_was_cut(workshop: Workshop) -> None:
    dumped("qemu-virt", workshop.folder)
    text = SYSTEM.format(board="qemu-virt", hart="0", devices='"rtc"', tree="qemu-virt.dtb")
    path = workshop.system(text)
    shown = CliRunner().invoke(main, ["check", "-v", str(path)])
    assert shown.exit_code == 0, shown.output
    assert "Device tree of linux: qemu-virt.dtb" in shown.output
    assert "/soc/virtio_mmio@10001000 is disabled: virtio0 is given to nobody" in shown.output
    told = json.loads(CliRunner().invoke(main, ["check", "--json", str(path)]).output)
    tree = told["system"]["tenants"]["linux"]["devicetree"]
    assert tree["file"] == "qemu-virt.dtb"
    assert "/flash@20000000 is disabled: qemu-virt has no such device" in tree["cut"]


def test_a_larger_tree_has_room_below_windows(workshop: Workshop) -> None:
    """64 KiB of a property that no one reads."""
    tree = dumped("qemu-virt", workshop.folder)
    root, reservations = parse(tree.read_bytes())
    root.properties["made,large"] = bytes(65536)
    tree.write_bytes(flatten(root, reservations))
    text = SYSTEM.format(board="qemu-virt", hart="0", devices="", tree="qemu-virt.dtb")
    text += 'initrd = "initrd"\n[tenant.rtos]\npriority = 10\nmemory = "32M"\nimage = "rtos"\n'
    text += '[channel.shared]\nkind = "memory"\nends = ["linux", "rtos"]\nsize = "64K"\n'
    system = systems.load(workshop.system(text))
    for tenant in system.tenants:
        for part in tenant.parts:
            placed = Range(part.destination, part.memory_size)
            assert any(each.contains(placed) for each in tenant.own_memory), part.what
    (part,) = (part for part in system.tenants[0].parts if part.what == "device tree")
    assert len(part.data) > 65536 and part.destination > system.tenants[0].memory.base
    channels = Tree(part.data).at("/channels")
    assert channels and [node.text("label") for node in channels.children] == ["shared"]
    control = Tree(part.data).at("/cotenant")
    assert control is None or all(node.is_a("virtio,mmio") for node in control.children)


def test_few_pmp_entries_are_enough_for_a_trusted_owner(
    made: tuple[Board, bytes], workshop: Workshop
) -> None:
    """Devices at every other page: 8 entries do not do with each by itself."""
    soc = "".join(
        f'd{at}: odd@{0x3000_0000 + at * 0x2000:x} {{ compatible = "made,odd";'
        f" reg = <0 {0x3000_0000 + at * 0x2000:#x} 0 0x1000>; }};"
        for at in range(12)
    )
    text = TREE.replace("sys: syscon@", f"{soc} sys: syscon@")
    file = compiled(workshop.folder, text)
    read_back(import_tree(file), workshop.folder)
    describe = SYSTEM.format(board="made.toml", hart="2", devices='"*"', tree=file.name)
    rtos = '[tenant.rtos]\npriority = 9\nhart = 1\nmemory = "4M"\nimage = "rtos"\n'
    system = systems.load(workshop.system(describe + rtos))
    assert any("reaches what is between its devices" in each for each in system.warnings)
    assert system.pmp[2].used <= 8
    access = [region.range for region in system.tenants[0].vharts[0].access]
    for device in system.tenants[0].devices:
        assert any(area.contains(device.range) for area in access)
    own = system.board.monitor_ranges
    for area in (*[own[key] for key in ("aclint", "uart")], system.monitor):
        assert not any(each.overlaps(area) for each in access)
    alone = describe.replace("trusted = true\n", "")
    assert "PMP entries, but a hart has 8" in mistake_of(workshop.system(alone))


def test_widened_ranges_touch_nothing_closed() -> None:
    own = [Range(0x1000, 0x1000), Range(0x5000, 0x1000), Range(0x20000, 0x1000)]
    closed = [Range(0x8000, 0x8000)]
    assert widened(own, closed) == [Range(0, 0x8000), Range(0x20000, 0x1000)]
    # No block: all that is between.
    assert widened([Range(0x7000, 0x1000), Range(0x9000, 0x1000)], [Range(0x0, 0x1000)]) == [
        Range(0x1000, (1 << 56) - 0x1000)
    ]
    assert widened([Range(0x8000, 0x1000)], closed) == [Range(0x8000, 0x1000)]
    assert widened([], closed) == []


@pytest.fixture(scope="module")
def merge(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bytes, bytes], bytes | str]:
    """Return what the monitor does at boot: the tree that is handed over, and the tool's plan."""
    folder = tmp_path_factory.mktemp("merge")
    program = handed_tree.program(folder)
    return lambda handed, plan: handed_tree.merged(program, handed, plan, folder)


Merge = Callable[[bytes, bytes], bytes | str]


def merged_tree(merge: Merge, handed: bytes, plan: bytes) -> Tree:
    blob = merge(handed, plan)
    assert isinstance(blob, bytes), blob
    return Tree(blob)


@pytest.mark.parametrize(
    ("names", "changes"),
    [(ALL, {}), (("mmc", "ethernet"), {}), ((), {"uart_source": None, "plic_contexts": ()})],
)
def test_the_monitor_makes_the_same_of_the_tree_as_the_tool(
    names: Sequence[str], changes: dict[str, object], made: tuple[Board, bytes], merge: Merge
) -> None:
    result = edited(made, names, **changes)
    tree = merged_tree(merge, made[1], result.edited.plan)
    assert handed_tree.content(tree.root) == handed_tree.content(result.after.root)
    assert tree.reservations == result.after.reservations


def handing_over(change: str, to: str, tmp_path: Path) -> bytes:
    assert change in TREE
    return compiled(tmp_path, TREE.replace(change, to)).read_bytes()


def test_what_the_previous_stage_has_found_out_reaches_the_tenant(
    made: tuple[Board, bytes], merge: Merge, tmp_path: Path
) -> None:
    plan = edited(made, ("mmc", "ethernet")).edited.plan
    own = "local-mac-address = [02 00 00 00 00 07]; mdio {"
    tree = merged_tree(merge, handing_over("mdio {", own, tmp_path), plan)
    ethernet = next(node for node in tree.nodes if node.kind == "ethernet")
    assert ethernet.properties["local-mac-address"] == bytes([2, 0, 0, 0, 0, 7])
    # It has this device switched off, another one that we do not know, and less memory.
    off = 'compatible = "made,eth"; status = "disabled";'
    tree = merged_tree(merge, handing_over('compatible = "made,eth";', off, tmp_path), plan)
    assert not any(node.enabled for node in tree.nodes if node.is_a("made,eth"))
    new = 'stranger@10099000 { compatible = "made,new"; reg = <0 0x10099000 0 4>; }; mmc@10030000'
    tree = merged_tree(merge, handing_over("mmc@10030000", new, tmp_path), plan)
    assert not any(node.is_a("made,new") for node in tree.nodes)
    # What was off in the file is not the tenant's to use because it is on now.
    on = handing_over('interrupts = <11>; status = "disabled";', "interrupts = <11>;", tmp_path)
    tree = merged_tree(merge, on, plan)
    assert not next(node for node in tree.nodes if node.kind == "off").enabled


@pytest.mark.parametrize(
    ("change", "to", "why"),
    [
        ('"made,machine"', '"made,other"', "differs from the planned one: / compatible"),
        ("mmc@10030000 {", "mmc@10030000 { ranges;", None),
        ("<0 0x10030000 0 0x1000>", "<0 0x10031000 0 0x1000>", "mmc@10030000 reg"),
        ("h2: cpu@2", "h2: cpu@5", "lacks a node of the planned one: cpu@2"),
        ("serial@10000000 {", "serial@10000002 {", "planned one: serial@10000000"),
        ("plic: interrupt-controller@c000000", "plic: intc@c000000", "interrupt-controller@c00"),
    ],
)
def test_the_tree_of_another_board_is_refused_at_boot(
    change: str, to: str, why: str | None, made: tuple[Board, bytes], merge: Merge, tmp_path: Path
) -> None:
    plan = edited(made, ("mmc",)).edited.plan
    text = TREE.replace("/soc/serial@10000000", "/soc/serial")
    result = merge(compiled(tmp_path, text.replace(change, to)).read_bytes(), plan)
    assert isinstance(result, bytes) if why is None else why in result
