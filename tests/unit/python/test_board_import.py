# SPDX-License-Identifier: BSD-2-Clause
"""Board files out of device trees: what QEMU tells of its machines, and trees that are odd."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cotenant import abi, board_reader
from cotenant.board import Board
from cotenant.board_import import Imported, import_tree
from cotenant.board_import.survey import put_into, survey, table
from cotenant.board_import.tree import Tree, TreeError
from cotenant.cli import main
from cotenant.errors import CotenantError, Mistakes

MACHINES = {
    "qemu-virt": ("virt", "rv64,h=off", "8", "2G"),
    "sifive-unleashed": ("sifive_u", None, "5", "2G"),
}


def dumped(name: str, folder: Path) -> Path:
    """Return the device tree that QEMU makes for the machine of a board."""
    machine, cpu, harts, memory = MACHINES[name]
    file = folder / f"{name}.dtb"
    options = ["-M", f"{machine},dumpdtb={file}", "-smp", harts, "-m", memory]
    options += ["-cpu", cpu] if cpu else []
    subprocess.run(
        ["qemu-system-riscv64", *options, "-display", "none", "-bios", "none"],
        check=True,
        capture_output=True,
        timeout=60,
    )
    return file


def read_back(imported: Imported, folder: Path) -> Board:
    """Return an imported board as the tool reads it."""
    assert imported.text is not None, imported.problems
    (folder / "made.toml").write_text(imported.text)
    board = board_reader.load("made", Mistakes("test"), folder)
    assert board is not None
    return board


@pytest.mark.parametrize("name", MACHINES)
def test_the_trees_of_qemu_give_what_boards_have_by_hand(name: str, tmp_path: Path) -> None:
    ours = board_reader.load(name, Mistakes("test"))
    assert ours is not None
    made = read_back(import_tree(dumped(name, tmp_path)), tmp_path)
    for key in ("timebase", "compatible", "harts", "aclint", "reset", "envcfg", "sstc"):
        assert getattr(made, key) == getattr(ours, key), key
    assert made.all_harts == ours.all_harts
    assert (made.ram_base, made.ram_default) == (ours.ram_base, ours.ram_default)
    assert (made.pmp_entries, made.pmp_grain) == (ours.pmp_entries, ours.pmp_grain)
    assert made.plic.range == ours.plic.range
    # The tree of sifive_u leaves out the name of the very chip.
    assert set(made.plic.compatible) <= set(ours.plic.compatible)
    # QEMU's virt tells of one source more than its PLIC has.
    assert made.plic.sources - ours.plic.sources == (1 if name == "qemu-virt" else 0)
    assert made.uart == ours.uart
    # Carry-less multiplication is not in the list by hand.
    assert [each for each in made.isa if each != "zbc"] == list(ours.isa)
    for each in ours.devices.values():
        found = made.devices[each.name]
        assert (found.range, found.interrupts, found.dma) == (
            each.range, each.interrupts, each.dma
        )  # fmt: skip
        assert found.properties == each.properties
        assert found.node == each.node
        assert (found.pci is None) == (each.pci is None)
        if found.pci:
            assert found.pci == each.pci


TREE = """
/dts-v1/;
/ {
    #address-cells = <2>; #size-cells = <2>;
    model = "A \\"machine\\""; compatible = "made,machine";
    chosen { stdout-path = "serial0:115200n8"; };
    aliases { serial0 = "/soc/bus@10000000/serial@0"; serial1 = "/soc/serial@20000000"; };
    cpus {
        #address-cells = <1>; #size-cells = <0>; timebase-frequency = <1000000>;
        cpu@0 { device_type = "cpu"; reg = <0>; status = "disabled"; riscv,isa = "rv64imac";
            c0: interrupt-controller { #interrupt-cells = <1>; interrupt-controller;
                compatible = "riscv,cpu-intc"; }; };
        cpu@1 { device_type = "cpu"; reg = <1>; mmu-type = "riscv,sv48"; %(isa)s
            c1: interrupt-controller { #interrupt-cells = <1>; interrupt-controller;
                compatible = "riscv,cpu-intc"; }; };
    };
    memory@80000000 { device_type = "memory"; reg = <0 0x80000000 0 0x40000000>; };
    memory@1000000000 { device_type = "memory"; reg = <0x10 0 0 0x40000000>; };
    reserved-memory { #address-cells = <2>; #size-cells = <2>; ranges;
        mmode_resv@80000000 { reg = <0 0x80000000 0 0x80000>; };
        shared@b0000000 { reg = <0 0xb0000000 0 0x1000>; }; };
    soc { compatible = "simple-bus"; #address-cells = <2>; #size-cells = <2>; ranges;
        interrupt-parent = <&plic>;
        clint@2000000 { compatible = "sifive,clint0"; reg = <0 0x2000000 0 0xc000>; };
        plic: interrupt-controller@c000000 { compatible = "sifive,plic-1.0.0";
            #interrupt-cells = <1>; interrupt-controller; riscv,ndev = <30>;
            reg = <0 0xc000000 0 0x4000000>;
            interrupts-extended = <&c0 0xffffffff>, <&c1 0xffffffff>, <&c1 9>; };
        serial@20000000 { compatible = "sifive,uart0"; reg = <0 0x20000000 0 0x1000>;
            interrupts = <7>; };
        mmc@30000000 { compatible = "made,mmc"; reg = <0 0x30000000 0 0x1000>,
            <0 0x30002000 0 0x100>; interrupts = <8>, <9>; clocks = <&c0>; };
        rtc@30010000 { compatible = "made,rtc"; reg = <0 0x30010000 0 0x1000>;
            interrupts = <9>; };
        off@30020000 { compatible = "made,off"; reg = <0 0x30020000 0 0x1000>;
            interrupts = <10>; status = "disabled"; };
        dma@30000800 { compatible = "made,inside"; reg = <0 0x30000800 0 0x100>; };
        bus@10000000 { compatible = "simple-bus"; #address-cells = <1>; #size-cells = <1>;
            ranges = <0 0 0x10000000 0x100000>;
            serial@0 { compatible = "snps,dw-apb-uart"; reg = <0 0x100>; reg-shift = <2>;
                reg-io-width = <4>; interrupts = <5>; };
            i2c@1000 { compatible = "made,i2c"; reg = <0x1000 0x1000>; interrupts = <6>; }; };
    };
};
"""
PLAIN = 'riscv,isa = "rv64imafdc";'


def compiled(folder: Path, text: str) -> Path:
    """Return a device tree as a file of dtc's."""
    (folder / "made.dts").write_text(text)
    file = folder / "made.dtb"
    subprocess.run(
        ["dtc", "-q", "-I", "dts", "-O", "dtb", "-o", file, folder / "made.dts"], check=True
    )
    return file


def test_a_machine_with_buses_reserved_memory_and_hidden_contexts(tmp_path: Path) -> None:
    imported = import_tree(compiled(tmp_path, TREE % {"isa": PLAIN}))
    board = read_back(imported, tmp_path)
    assert board.name == 'A "machine"'
    assert [(h.id, h.plic_m_context, h.plic_s_context) for h in board.harts] == [
        (0, 0, None), (1, 1, 2)
    ]  # fmt: skip
    assert (board.ram_base, board.ram_default) == (0x8000_0000, 0x3000_0000)
    assert (board.uart.range.base, board.uart.source, board.uart.register_shift) == (
        0x1000_0000, 5, 2
    )  # fmt: skip
    assert board.uart.kind == abi.bundle("UART_NS16550_32")
    assert set(board.devices) == {"serial", "mmc", "mmc-1", "rtc", "i2c"}
    assert board.devices["i2c"].range.base == 0x1000_1000
    assert board.devices["mmc"].interrupts == (8, 9) and board.devices["mmc"].dma
    assert board.devices["rtc"].interrupts == () and not board.devices["rtc"].dma
    assert not {5, 6, 7, 8, 9, 10} & set(board.plic.virtual_sources)
    assert board.virtual_devices is not None and not board.virtual_devices.base % 0x10000
    told = " ".join(imported.notes)
    for words in (
        "RAM at 0x1000000000..0x103fffffff is not used",
        "RAM ends before shared at 0xb0000000..0xb0000fff, which is reserved",
        "The tree hides contexts",
        "rtc shares interrupt 9",
        "give mmc-1 to the same tenant",
        "overlaps mmc at",
        "mmc refer to clocks",
        "8 were taken",
    ):
        assert words in told
    assert all(sentence in " ".join(imported.text.replace("\n#", "").split())
               for sentence in imported.notes) if imported.text else False  # fmt: skip


def test_another_uart(tmp_path: Path) -> None:
    board = read_back(import_tree(compiled(tmp_path, TREE % {"isa": PLAIN}), "serial1"), tmp_path)
    assert (board.uart.range.base, board.uart.source) == (0x2000_0000, 7)
    assert board.devices["serial"].range.base == 0x1000_0000


@pytest.mark.parametrize(
    ("isa", "expected"),
    [
        ('riscv,isa-extensions = "i", "m", "a", "c", "zicsr", "sstc";', (True, True)),
        ('riscv,isa = "rv64imac_zicbom";', (True, False)),
        (PLAIN, (False, False)),
    ],
)
def test_what_harts_can_do(isa: str, expected: tuple[bool, bool], tmp_path: Path) -> None:
    board = read_back(import_tree(compiled(tmp_path, TREE % {"isa": isa})), tmp_path)
    assert (board.envcfg, board.sstc) == expected
    assert not {"sstc", "zicbom"} & set(board.isa)


@pytest.mark.parametrize(
    ("isa", "vlen"),
    [("rv64imafdcv", 1024), ("rv64imafdcv_zvl128b_zvl256b", 256), ("rv64imafdc", 0)],
)
def test_vector_registers(isa: str, vlen: int, tmp_path: Path) -> None:
    imported = import_tree(compiled(tmp_path, TREE % {"isa": f'riscv,isa = "{isa}";'}))
    board = read_back(imported, tmp_path)
    assert (board.vlen, "v" in board.isa) == (vlen, vlen > 0)
    assert imported.text and (("how long vector registers are" in imported.text) == (vlen == 1024))


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("riscv,sv48", "riscv,none", "None of its harts has S-mode"),
        ("sifive,clint0", "made,clint", "no CLINT, no ACLINT"),
        ("sifive,clint0", "thead,c900-clint", "no mtime register"),
        ("sifive,plic-1.0.0", "riscv,aplic", "riscv,aplic, is no PLIC"),
        ("snps,dw-apb-uart", "made,uart", "no driver for its UART, made,uart"),
        ("timebase-frequency", "made-frequency", "how fast the clock"),
        ('device_type = "memory"; reg', 'device_type = "memory"; made', "where RAM is"),
        (", <&c1 9>", "", "no context for it"),
    ],
)
def test_why_there_is_no_board(before: str, after: str, why: str, tmp_path: Path) -> None:
    text = TREE % {"isa": PLAIN}
    assert before in text
    imported = import_tree(compiled(tmp_path, text.replace(before, after)))
    assert imported.text is None
    assert any(why in each for each in imported.problems), imported.problems


def test_the_command(tmp_path: Path) -> None:
    file = compiled(tmp_path, TREE % {"isa": PLAIN})
    target = tmp_path / "boards" / "mine.toml"
    target.parent.mkdir()
    shown = CliRunner().invoke(main, ["board", "import", str(file), "-o", str(target)])
    assert shown.exit_code == 0, shown.output
    assert board_reader.load("mine", Mistakes("test"), target.parent) is not None
    # A system names it by its path.
    assert board_reader.load("boards/mine.toml", Mistakes("test"), beside=tmp_path) is not None
    found = Mistakes("test")
    assert board_reader.load("boards/yours.toml", found, beside=tmp_path) is None
    assert "there is no file" in str(found.found[0])
    shown = CliRunner().invoke(main, ["board", "import", str(file), "--json", "--uart", "serial9"])
    assert shown.exit_code == 1
    assert json.loads(shown.output)["problems"] == ["It has no UART serial9."]


def test_the_survey_sorts_trees_and_finds_its_place_in_a_document(tmp_path: Path) -> None:
    good = compiled(tmp_path, TREE % {"isa": PLAIN})
    shutil.copy(good, tmp_path / "same.dtb")
    (tmp_path / "none.dtb").write_bytes(b"nothing of the kind")
    text = table(survey(tmp_path.glob("*.dtb")), "a test")
    assert "Of 3 device trees in a test, 2 make a board file" in text
    assert "is no device tree" in text and "`none.dtb` |" in text
    document = "a\n<!-- survey of device trees -->\nold\n<!-- end of survey -->\nb\n"
    assert "old" not in put_into(document, text) and text in put_into(document, text)
    with pytest.raises(ValueError, match="no place"):
        put_into("a", text)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(places=st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), max_size=6))
def test_an_altered_tree_is_read_or_refused(
    places: list[tuple[float, int]], tmp_path: Path
) -> None:
    file = tmp_path / "good.dtb"
    if not file.exists():
        shutil.copy(compiled(tmp_path, TREE % {"isa": PLAIN}), file)
    data = bytearray(file.read_bytes())
    for place, value in places:
        data[int(place * len(data))] = value
    altered = tmp_path / "altered.dtb"
    altered.write_bytes(data)
    try:
        imported = import_tree(altered)
    except CotenantError:
        return
    if imported.text is not None:
        assert survey([altered])[0].imported is not None


def test_what_is_no_tree() -> None:
    for data in (b"", b"\xd0\x0d\xfe\xed", bytes(100)):
        with pytest.raises(TreeError, match="no device tree"):
            Tree(data)
