# SPDX-License-Identifier: BSD-2-Clause
"""The bundle file: what a monitor reads back from it is what the description said."""

import zlib
from ctypes import sizeof
from pathlib import Path

import pytest
from made_images import LINUX, RTOS, Workshop, workshop

from cotenant import abi
from cotenant.bundle_struct import Bundle, BundlePart, MonitorHeader
from cotenant.system import BuiltSystem, build, load

__all__ = ["workshop"]

MONITOR_SIZE = 12288  # 10,000 bytes of monitor in whole pages
NONE = abi.bundle("NONE")


def built(workshop: Workshop, text: str, console_mode: str = "mux") -> tuple[BuiltSystem, bytes]:
    system = load(workshop.system(text), console_mode=console_mode)
    result = build(system, workshop.folder / "bundle.bin")
    return result, result.bundle.read_bytes()


def header_of(data: bytes) -> Bundle:
    return Bundle.from_buffer_copy(data, MONITOR_SIZE)


def bytes_of(data: bytes, part: BundlePart) -> bytes:
    start = MONITOR_SIZE + part.store_offset
    return data[start : start + part.file_size]


def test_header(workshop: Workshop) -> None:
    _, data = built(workshop, LINUX + RTOS)
    header = header_of(data)
    assert data[MONITOR_SIZE : MONITOR_SIZE + 8] == b"COTENANT"
    assert header.version == abi.bundle("BUNDLE_VERSION")
    assert header.size == sizeof(Bundle)
    assert header.total_size == len(data) - MONITOR_SIZE
    assert (header.tenant_count, header.vhart_count) == (2, 2)
    checksum, header.crc32 = header.crc32, 0
    assert checksum == zlib.crc32(bytes(header))


def test_monitor_header_names_the_early_console(workshop: Workshop) -> None:
    _, data = built(workshop, RTOS.join(['board = "qemu-virt"\n', ""]))
    header = MonitorHeader.from_buffer_copy(data)
    assert header.uart_base == 0x1000_0000
    assert header.uart_kind == abi.bundle("UART_NS16550")
    assert header.reset_base == 0x10_0000


def test_board(workshop: Workshop) -> None:
    _, data = built(workshop, LINUX + RTOS)
    board = header_of(data).board
    assert (board.ram_base, board.ram_size) == (0x8000_0000, 2 << 30)
    assert board.monitor_base + board.monitor_size == 0x1_0000_0000
    assert board.monitor_size >= len(data)
    assert (board.mtime_address, board.mtimecmp_base) == (0x0200_BFF8, 0x0200_4000)
    assert (board.plic_sources, board.uart_source, board.timebase_hz) == (96, 10, 10_000_000)
    flags = ("BOARD_SSTC", "BOARD_ENVCFG", "BOARD_FP")
    assert board.flags == sum(abi.bundle(name) for name in flags)
    assert (board.hart_count, board.boot_hart) == (1, 0)
    assert [board.harts[0].plic_m_context, board.harts[0].plic_s_context] == [0, 1]


def test_tenants(workshop: Workshop) -> None:
    text = LINUX + RTOS + 'start = "manual"\nfp = false\nuart = false\n'
    _, data = built(workshop, text)
    linux, rtos = header_of(data).tenants[:2]
    assert (linux.name, rtos.name) == (b"linux", b"rtos")
    flags = ("TENANT_AUTOSTART", "TENANT_FP", "TENANT_UART")
    assert linux.flags == sum(abi.bundle(name) for name in flags)
    assert rtos.flags == 0
    assert linux.sources[0] == 1 << 11 | 0b1_1111_1110
    assert list(rtos.sources) == [0] * 8
    assert (linux.uart_source, linux.uart_base, linux.plic_base) == (12, 0x1000_0000, 0x0C00_0000)
    assert (rtos.uart_base, rtos.plic_base) == (0, 0)
    assert (linux.memory[0].base, linux.memory[0].size) == (0x8000_0000, 64 << 20)
    assert linux.entry == 0x8000_0000
    assert rtos.entry == rtos.memory[0].base + 0x10


def test_parts_carry_the_images(workshop: Workshop) -> None:
    _, data = built(workshop, LINUX + RTOS)
    linux = header_of(data).tenants[0]
    kernel, initrd, tree = linux.parts[:3]
    assert bytes_of(data, kernel) == workshop.files["kernel"]
    assert kernel.memory_size == 4 << 20
    assert bytes_of(data, initrd) == workshop.files["initrd"]
    assert bytes_of(data, tree)[:4] == b"\xd0\x0d\xfe\xed"
    assert tree.destination == linux.devicetree
    for part in linux.parts:
        assert part.store_offset % 4096 == 0
        assert part.destination % 8 == 0
    assert linux.parts[3].memory_size == 0


def test_equal_images_are_stored_once(workshop: Workshop) -> None:
    second = RTOS.replace("rtos]", "other]")
    _, data = built(workshop, LINUX + RTOS + second)
    first, other = header_of(data).tenants[1:3]
    assert first.parts[0].store_offset == other.parts[0].store_offset
    assert first.parts[0].destination != other.parts[0].destination


def test_vharts(workshop: Workshop) -> None:
    text = LINUX + RTOS + 'budget = "300us/1ms"\nslice = "2ms"\n'
    _, data = built(workshop, text)
    linux, rtos = header_of(data).vharts[:2]
    assert linux.flags == abi.bundle("VHART_PLIC_PASSTHROUGH")
    assert rtos.flags == abi.bundle("VHART_WFI_YIELDS")
    assert (linux.priority, rtos.priority) == (1, 10)
    assert (linux.budget_us, linux.period_us, linux.slice_us) == (0, 0, 10_000)
    assert (rtos.budget_us, rtos.period_us, rtos.slice_us) == (300, 1000, 2000)
    assert (linux.plic_m_context, linux.plic_s_context) == (NONE, 1)
    claim = linux.plic_claim_entry
    assert linux.pmp_address[claim] == (0x0C00_0000 + 0x200000 + 0x1000 + 4) >> 2
    assert rtos.plic_claim_entry == NONE
    assert list(linux.pmp_address) == list(rtos.pmp_address)
    assert all(config < 0x20 for config in linux.pmp_config)


@pytest.mark.parametrize(
    ("first", "second", "passed", "yielding"),
    [
        ("priority = 1", "priority = 10", [True, False], [False, True]),
        ("priority = 5", "priority = 5", [False, False], [True, True]),
        ('priority = 1\nbudget = "1ms/2ms"', "priority = 10", [False, False], [True, True]),
        ("priority = 1\nuart = false\ndevices = []", "priority = 2", [False, False], [False, True]),
    ],
)
def test_who_has_the_claim_register_and_who_yields(
    workshop: Workshop, first: str, second: str, passed: list[bool], yielding: list[bool]
) -> None:
    text = LINUX.replace("priority = 1", first) + RTOS.replace("priority = 10", second)
    if "devices = []" in first:
        text = text.replace('devices = ["rtc", "virtio*"]', "")
    system = load(workshop.system(text))
    assert [tenant.interrupts.passthrough for tenant in system.tenants] == passed
    assert [tenant.interrupts.wfi_yields for tenant in system.tenants] == yielding


def test_console(workshop: Workshop) -> None:
    _, data = built(workshop, LINUX + RTOS, console_mode="framed")
    console = header_of(data).console
    assert console.mode == abi.bundle("CONSOLE_FRAMED")
    assert (console.escape, console.focus) == (20, 0)
    text = LINUX.replace("[tenant.linux]", '[console]\nfocus = "rtos"\nescape = "ctrl-a"\n'
                         "[tenant.linux]")  # fmt: skip
    _, data = built(workshop, text + RTOS)
    console = header_of(data).console
    assert (console.mode, console.escape, console.focus) == (0, 1, 1)


def test_what_the_running_side_is_told(workshop: Workshop) -> None:
    text = LINUX + 'ready = "up"\n' + RTOS + 'start = "manual"\n'
    result, _ = built(workshop, text)
    assert [(each.name, each.index, each.ready, each.autostart) for each in result.tenants] == [
        ("linux", 0, "up", True),
        ("rtos", 1, None, False),
    ]
    assert result.qemu is not None
    assert result.qemu.machine == "virt"
    assert result.qemu.cpu == "rv64,h=off,sstc=on"
    assert (result.qemu.memory_bytes, result.qemu.harts) == (2 << 30, 1)


def test_sstc_is_one_choice_for_all(workshop: Workshop) -> None:
    system = load(workshop.system(LINUX + RTOS), sstc=False)
    result = build(system, workshop.folder / "bundle.bin")
    assert result.qemu is not None
    assert result.qemu.cpu.endswith("sstc=off")
    header = header_of(result.bundle.read_bytes())
    assert not header.board.flags & abi.bundle("BOARD_SSTC")
    trees = [part.data for each in system.tenants for part in each.parts if part.what[0] == "d"]
    assert not any(b"sstc" in tree for tree in trees)


def test_a_failed_write_leaves_nothing_behind(workshop: Workshop) -> None:
    from cotenant.errors import BuildError

    system = load(workshop.system(LINUX))
    (workshop.folder / "taken").mkdir()
    with pytest.raises(BuildError, match="cannot be written"):
        build(system, workshop.folder / "taken")
    assert not list(Path(workshop.folder).glob(".taken*"))
