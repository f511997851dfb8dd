# SPDX-License-Identifier: BSD-2-Clause
"""The bundle file: what a monitor reads back from it is what the description said."""

import zlib
from ctypes import sizeof
from pathlib import Path

import fdt
import pytest
from made_images import LINUX, RTOS, Workshop, workshop

from cotenant import abi
from cotenant.bundle_struct import Bundle, BundlePart, MonitorHeader
from cotenant.errors import ConfigError
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


def test_a_uart_on_a_card_is_set_up_and_the_board_s_own_is_reset(workshop: Workshop) -> None:
    text = LINUX.replace("qemu-virt", "qemu-virt-uart").replace('"virtio*"', '"virtio*", "uart0"')
    _, data = built(workshop, text + RTOS)
    header = MonitorHeader.from_buffer_copy(data)
    assert header.uart_base == 0x0300_1000
    assert [(each.address, each.value) for each in header.uart_setup] == [
        (0x3000_8010, 0x1001),
        (0x3000_8004, 1),
    ]
    assert header_of(data).board.uart_source == 33
    uart = header_of(data).tenants[0].resets[1]  # behind that of the clock
    assert (uart.base, uart.kind) == (0x1000_0000, abi.bundle("DEVICE_RESET_NS16550"))
    assert (uart.register_shift, uart.divisor) == (0, 2)


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


def test_watch(workshop: Workshop) -> None:
    text = LINUX + RTOS + 'watch = { within = "50ms", policy = "restart", boot = "2s" }\n'
    _, data = built(workshop, text)
    linux, rtos = header_of(data).tenants[:2]
    assert rtos.watch_policy == abi.bundle("WATCH_RESTART")
    assert (rtos.watch_within_us, rtos.watch_boot_us) == (50_000, 2_000_000)
    assert rtos.watchdog_base == 0x0200_0000
    assert (linux.watch_policy, linux.watch_within_us, linux.watchdog_base) == (0, 0, 0)


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


def test_next_stage(workshop: Workshop) -> None:
    _, data = built(workshop, LINUX + RTOS)
    assert header_of(data).next_stage.size == 0
    image = 'image = { next-stage = "1M" }'
    text = (LINUX + RTOS).replace('image = "rtos"', image)
    assert image in text
    _, data = built(workshop, text)
    header = header_of(data)
    part = header.tenants[1].parts[0]
    assert header.next_stage.size == 1 << 20
    assert header.next_stage.store_offset == part.store_offset
    assert (part.file_size, part.memory_size) == (1 << 20, 1 << 20)
    assert part.destination == header.tenants[1].entry
    assert part.destination % (2 << 20) == 0


def test_next_stage_at_an_address(workshop: Workshop) -> None:
    image = 'image = { next-stage = "1M", address = 0x9021_0000 }'
    _, data = built(workshop, (LINUX + RTOS).replace('image = "rtos"', image))
    tenant = header_of(data).tenants[1]
    assert tenant.entry == tenant.parts[0].destination == 0x9021_0000
    assert tenant.memory[0].base <= 0x9021_0000


def test_there_is_one_next_stage(workshop: Workshop) -> None:
    def two(first: str, second: str) -> str:
        handed = [
            RTOS.replace('"rtos"', f'{{ next-stage = "{each}" }}') for each in (first, second)
        ]
        return LINUX + handed[0] + handed[1].replace("rtos]", "other]")

    _, data = built(workshop, two("1M", "1M"))
    header = header_of(data)
    offsets = {header.tenants[number].parts[0].store_offset for number in (1, 2)}
    assert offsets == {header.next_stage.store_offset}
    with pytest.raises(ConfigError) as error:
        load(workshop.system(two("1M", "2M")))
    assert [each.key for each in error.value.mistakes] == ["tenant.other.image.next-stage"]


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
    routes = [tenant.vharts[0].interrupts for tenant in system.tenants]
    assert [route.passthrough for route in routes] == passed
    assert [route.wfi_yields for route in routes] == yielding


def test_the_virtual_uart_has_the_number_of_the_boards(workshop: Workshop) -> None:
    """Not where the PLIC is passed through: its driver would trap at each look at its enables."""
    system = load(workshop.system(LINUX + RTOS))
    assert [tenant.uart_source for tenant in system.tenants] == [12, 10]
    trees = [fdt.parse_dtb(part.data) for part in system.tenants[1].parts if "tree" in part.what]
    assert trees[0].get_property("interrupts", "/soc/serial@10000000").data == [10]


SPANNING = LINUX.replace("priority = 1", "priority = 1\nharts = [2, 0, 1]")
SHARING = RTOS.replace("priority = 10", "priority = 10\nhart = 1")
ALONE = RTOS.replace("rtos]", "alone]").replace("priority = 10", "priority = 10\nharts = [4]")


def test_vharts_of_a_tenant_on_several_harts(workshop: Workshop) -> None:
    result, data = built(workshop, SPANNING + SHARING + ALONE)
    header = header_of(data)
    assert (header.tenant_count, header.vhart_count) == (3, 5)
    ranges = [(each.vhart_first, each.vhart_count) for each in header.tenants[:3]]
    assert ranges == [(0, 3), (3, 1), (4, 1)]
    vharts = header.vharts[:5]
    assert [(each.tenant, each.id) for each in vharts] == [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]
    assert [header.board.harts[each.hart].id for each in vharts] == [2, 0, 1, 1, 4]
    assert [each.priority for each in vharts] == [1, 1, 1, 10, 10]
    assert [each.plic_s_context for each in vharts] == [5, 1, 3, 3, 9]
    assert header.board.harts[header.board.boot_hart].id == 2
    assert header.board.hart_count == 5
    assert result.qemu is not None
    assert result.qemu.harts == 5


def test_what_is_decided_for_each_hart(workshop: Workshop) -> None:
    _, data = built(workshop, SPANNING + SHARING + ALONE)
    vharts = header_of(data).vharts[:5]
    passed = abi.bundle("VHART_PLIC_PASSTHROUGH")
    yields = abi.bundle("VHART_WFI_YIELDS")
    assert [each.flags for each in vharts] == [passed, passed, passed, yields, passed]
    for vhart in vharts:
        claims = [
            vhart.pmp_address[entry]
            for entry in range(16)
            if vhart.pmp_config[entry] & 7 and vhart.pmp_config[entry] >> 3 == 2
        ]
        if vhart.flags & passed:
            claim = 0x0C20_0004 + 0x1000 * vhart.plic_s_context
            assert claims == [vhart.pmp_address[vhart.plic_claim_entry]] == [claim >> 2]
        else:
            assert claims == []
            assert vhart.plic_claim_entry == NONE
    # Those that share a hart have the same addresses; a hart of its own has fewer.
    assert list(vharts[2].pmp_address) == list(vharts[3].pmp_address)
    assert list(vharts[0].pmp_address) != list(vharts[2].pmp_address)


def test_sharing_is_judged_hart_by_hart(workshop: Workshop) -> None:
    second = RTOS.replace("priority = 10", "priority = 1\nharts = [1, 3]")
    system = load(workshop.system(SPANNING + second))
    linux, rtos = (
        [(each.interrupts.passthrough, each.interrupts.wfi_yields) for each in tenant.vharts]
        for tenant in system.tenants
    )
    # The interrupt controller is for all vharts of a tenant or for none.
    assert linux == [(False, False), (False, False), (False, True)]
    assert rtos == [(False, True), (False, False)]


def test_the_boot_hart_is_the_first_of_the_first_tenant(workshop: Workshop) -> None:
    head = 'board = "qemu-virt"\nharts = 8\n'
    text = head + RTOS.replace("priority = 10", "priority = 10\nharts = [6, 3]")
    for _ in range(2):
        system = load(workshop.system(text))
        assert (len(system.harts), system.boot_hart) == (8, 6)
    second = ALONE.replace("harts = [4]", "harts = [0]")
    assert load(workshop.system(text + second)).boot_hart == 6


def test_the_device_tree_has_the_harts(workshop: Workshop) -> None:
    system = load(workshop.system(SPANNING + SHARING))
    trees = [
        fdt.parse_dtb(part.data)
        for tenant in system.tenants
        for part in tenant.parts
        if part.what == "device tree"
    ]
    cpus = [[node.name for node in tree.get_node("/cpus").nodes] for tree in trees]
    assert cpus == [["cpu@0", "cpu@1", "cpu@2", "cpu-map"], ["cpu@0"]]
    entries = trees[0].get_property("interrupts-extended", "/soc/plic@c000000").data
    assert [context for context, each in enumerate(entries[1::2]) if each == 9] == [1, 3, 5]


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


GROUP = """
[group.desk]
members = ["linux", "rtos"]
devices = ["virtio0"]
patience = "3s"
refusal = "force"
"""


def test_a_group_shares_its_place_on_the_hart_and_its_devices(workshop: Workshop) -> None:
    text = LINUX.replace('["rtc", "virtio*"]', '["rtc"]')
    text += RTOS.replace("priority = 10", "priority = 1") + GROUP
    text += RTOS.replace("rtos]", "other]")
    result, data = built(workshop, text)
    linux, rtos, other = header_of(data).tenants[:3]
    assert (linux.group, rtos.group, other.group) == (0, 0, NONE)
    assert (rtos.refusal, rtos.patience_ms) == (abi.bundle("REFUSAL_FORCE"), 3000)
    assert (other.refusal, other.patience_ms) == (abi.bundle("REFUSAL_SAY"), 0)
    assert linux.sources[0] & ~rtos.sources[0] == 1 << 11
    assert rtos.sources[0] == 1 << 1
    virtio, rtc = abi.bundle("DEVICE_RESET_VIRTIO_MMIO"), abi.bundle("DEVICE_RESET_GOLDFISH_RTC")
    assert [(each.base, each.kind) for each in linux.resets[:3]] == [
        (0x10_1000, rtc),
        (0x1000_1000, virtio),
        (0, 0),
    ]
    assert [each.flags for each in header_of(data).vharts[:3]] == [
        abi.bundle("VHART_PLIC_PASSTHROUGH"),
        abi.bundle("VHART_PLIC_PASSTHROUGH"),
        abi.bundle("VHART_WFI_YIELDS"),
    ]
    assert [each.autostart for each in result.tenants] == [True, False, True]


def test_the_first_member_that_starts_by_itself_is_the_active_one(workshop: Workshop) -> None:
    text = LINUX.replace("priority = 1", 'priority = 1\nstart = "manual"')
    text += RTOS.replace("priority = 10", "priority = 1") + GROUP.replace('["virtio0"]', "[]")
    result, _ = built(workshop, text)
    assert [each.autostart for each in result.tenants] == [False, True]


def test_sstc_is_one_choice_for_all(workshop: Workshop) -> None:
    system = load(workshop.system(LINUX + RTOS), sstc=False)
    result = build(system, workshop.folder / "bundle.bin")
    assert result.qemu is not None and result.qemu.cpu is not None
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
