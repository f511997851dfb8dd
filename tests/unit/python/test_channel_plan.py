# SPDX-License-Identifier: BSD-2-Clause
"""Channels: what is decided about them, what the bundle says, and the mistakes one can make."""

from pathlib import Path

import fdt
import pytest
from made_boards import use_boards_of
from made_images import LINUX, RTOS, Workshop, workshop

from cotenant import abi, paths
from cotenant.bundle_struct import Bundle
from cotenant.errors import ConfigError
from cotenant.system import build, load

__all__ = ["workshop"]

MONITOR_SIZE = 12288
TALK = '[channel.talk]\nkind = "stream"\nends = ["linux", "rtos"]\n'
LAN = '[channel.lan]\nkind = "net"\nends = ["linux", "rtos"]\n'
SOCKET = '[channel.line]\nkind = "socket"\nends = ["rtos", "linux"]\n'
WINDOW = '[channel.shared]\nkind = "memory"\nends = ["rtos", "linux"]\nsize = "64K"\n'
MORE = '[channel.more]\nkind = "stream"\nends = ["rtos", "linux"]\n'


def header_of(workshop: Workshop, text: str) -> Bundle:
    built = build(load(workshop.system(text)), workshop.folder / "bundle.bin")
    return Bundle.from_buffer_copy(built.bundle.read_bytes(), MONITOR_SIZE)


def test_streams_are_ports_of_one_console_at_each_end(workshop: Workshop) -> None:
    header = header_of(workshop, LINUX + RTOS + TALK + MORE)
    assert (header.device_count, header.channel_count) == (2, 2)
    for index, tenant in enumerate(header.tenants[:2]):
        assert (tenant.device_first, tenant.device_count) == (index, 1)
        assert tenant.virtual_base == 0x1000_A000
        device = header.devices[index]
        assert device.tenant == index
        assert device.kind == abi.bundle("VIRTUAL_CONSOLE")
        assert device.source == 13
    ends = [
        [(end.device, end.port) for end in channel.ends[: channel.end_count]]
        for channel in header.channels[:2]
    ]
    assert ends == [[(0, 0), (1, 0)], [(1, 1), (0, 1)]]
    assert [channel.name for channel in header.channels[:3]] == [b"talk", b"more", b""]


def test_ends_are_told_so_often(workshop: Workshop) -> None:
    limited = 'events = "5/s"\nwake_ups = "2000/s"\n'
    header = header_of(
        workshop, LINUX + RTOS + LAN + TALK + limited + MORE + 'wake_ups = "700/s"\n'
    )
    events = [[end.events for end in channel.ends[:2]] for channel in header.channels[:3]]
    assert events == [[100, 100], [5, 5], [100, 100]]
    wake_ups = {device.kind: device.wake_ups for device in header.devices[:4]}
    assert wake_ups == {abi.bundle("VIRTUAL_NET"): 0, abi.bundle("VIRTUAL_CONSOLE"): 700}


@pytest.mark.parametrize("rate", ["0/s", "10001/s", "100", "100/ms", "-1/s", "1e3/s"])
def test_a_rate_out_of_range_is_refused(workshop: Workshop, rate: str) -> None:
    with pytest.raises(ConfigError, match=r"channel\.talk\.events"):
        load(workshop.system(LINUX + RTOS + TALK + f'events = "{rate}"\n'))


def test_a_tenant_finds_its_console_in_its_device_tree(workshop: Workshop) -> None:
    system = load(workshop.system(LINUX + RTOS + TALK))
    for tenant in system.tenants:
        [part] = [each for each in tenant.parts if each.what == "device tree"]
        tree = fdt.parse_dtb(part.data)
        node = "/soc/virtio_mmio@1000a000"
        assert tree.get_property("compatible", node).value == "virtio,mmio"
        assert tree.get_property("interrupts", node).value == 13
        assert list(tree.get_property("reg", node).data) == [0, 0x1000_A000, 0, 0x1000]


def test_networks_have_a_device_each_and_addresses(workshop: Workshop) -> None:
    lan = LAN + 'mac = { rtos = "52:54:00:12:34:56" }\n'
    header = header_of(workshop, LINUX + RTOS + lan + TALK + LAN.replace("lan", "wan"))
    net, console = abi.bundle("VIRTUAL_NET"), abi.bundle("VIRTUAL_CONSOLE")
    assert [device.kind for device in header.devices[:6]] == [console, net, net] * 2
    assert [device.source for device in header.devices[:3]] == [13, 14, 15]
    assert [channel.kind for channel in header.channels[:3]] == [2, 1, 2]
    ends = [
        [(end.device, end.port, bytes(end.mac).hex()) for end in channel.ends[:2]]
        for channel in header.channels[:3]
    ]
    assert ends[0] == [(1, 0, "02c07e000000"), (4, 0, "525400123456")]
    assert ends[1] == [(0, 0, "0" * 12), (3, 0, "0" * 12)]
    assert ends[2] == [(2, 0, "02c07e000200"), (5, 0, "02c07e000201")]


def test_sockets_have_a_device_at_each_end(workshop: Workshop) -> None:
    header = header_of(workshop, LINUX + RTOS + LAN + SOCKET + TALK)
    kinds = [abi.bundle(f"VIRTUAL_{name}") for name in ("CONSOLE", "NET", "SOCKET")]
    assert [device.kind for device in header.devices[:6]] == kinds * 2
    line = header.channels[1]
    assert line.kind == abi.bundle("CHANNEL_SOCKET")
    assert [(end.device, end.port) for end in line.ends[:2]] == [(5, 0), (2, 0)]


def test_a_window_lies_in_the_larger_ones_place_and_is_nobodys_memory(workshop: Workshop) -> None:
    more = WINDOW.replace("shared", "more").replace("64K", "256K")
    header = header_of(workshop, LINUX + RTOS + TALK + WINDOW + more)
    linux, rtos = header.tenants[:2]
    low, high = linux.memory[:2]
    windows = [channel.window for channel in header.channels[1:3]]
    # Below the device tree, the larger one first, each at a multiple of its size.
    assert (windows[1].base, windows[1].size) == (0x83F8_0000, 0x4_0000)
    assert (windows[0].base, windows[0].size) == (0x83F7_0000, 0x1_0000)
    assert (low.base, low.size) == (0x8000_0000, 0x3F7_0000)
    assert (high.base, high.size) == (0x83FC_0000, 0x4_0000)
    assert rtos.memory[1].size == 0
    assert [channel.kind for channel in header.channels[:3]] == [1, 4, 4]
    assert header.channels[0].window.size == 0
    assert all(tenant.flags & abi.bundle("TENANT_DOORBELLS") for tenant in (linux, rtos))
    ends = [[(end.device, end.port) for end in each.ends[:2]] for each in header.channels[1:3]]
    assert ends == [[(1, 1), (0, 1)], [(1, 2), (0, 2)]]


def test_a_tenant_finds_its_windows_in_its_device_tree(workshop: Workshop) -> None:
    system = load(workshop.system(LINUX + RTOS + TALK + WINDOW))
    for tenant, number in zip(system.tenants, (1, 0), strict=True):
        [part] = [each for each in tenant.parts if each.what == "device tree"]
        tree = fdt.parse_dtb(part.data)
        node = "/channels/shared@83fe0000"
        reg = [0, 0x83FE_0000, 0, 0x1_0000, 0, 0x1000_B004, 0, 4]
        assert list(tree.get_property("reg", node).data) == reg
        assert tree.get_property("label", node).value == "shared"
        assert tree.get_property("cotenant,end", node).value == number
        memory = [each.name for each in tree.root.nodes if each.name.startswith("memory@")]
        assert memory == (["memory@80000000", "memory@83ff0000"] if number else ["memory@84000000"])


def test_both_ends_may_touch_the_window_and_nobody_else(workshop: Workshop) -> None:
    other = RTOS.replace("rtos]", "other]")
    system = load(workshop.system(LINUX + RTOS + other + WINDOW))
    rights = {
        tenant.name: [
            str(region.rights)
            for region in tenant.vharts[0].access
            if region.what == "window shared"
        ]
        for tenant in system.tenants
    }
    assert rights == {"linux": ["rw-"], "rtos": ["rw-"], "other": []}


def test_a_window_is_below_the_end_of_each_kernels_memory(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = (paths.BOARDS / "qemu-virt.toml").read_text().replace('"zbs"', '"zbs", "svpbmt"')
    (tmp_path / "qemu-virt.toml").write_text(text)
    use_boards_of(tmp_path, monkeypatch)
    head, _, linux = LINUX.partition("[tenant.linux]\n")
    other = "[tenant.rtos]\n" + linux.replace('devices = ["rtc", "virtio*"]', "")

    def window(first: str, second: str) -> tuple[int, list[str]]:
        system = load(workshop.system(f"{head}[tenant.linux]\n{first}{second}{WINDOW}"))
        assert system.channels[0].window
        return system.channels[0].window.base, [
            each for each in system.warnings if "shared" in each
        ]

    # In the lower one's place, whichever is named first.
    assert window(linux, other) == (0x83FE_0000, [])
    high = linux.replace('"64M"', '{ base = 0x9000_0000, size = "128M" }')
    assert window(high, other) == (0x83FE_0000, [])
    # The lower one has nothing to spare, and is a kernel all the same.
    much = linux.replace('"64M"', '{ base = 0x9000_0000, size = "512M" }')
    base, warnings = window(much, other)
    assert base == 0xAFFE_0000
    assert len(warnings) == 1 and "tenant rtos" in warnings[0]


def test_nobody_else_pays_for_it(workshop: Workshop) -> None:
    header = header_of(workshop, LINUX + RTOS)
    assert (header.device_count, header.channel_count) == (0, 0)
    assert header.tenants[0].virtual_base == 0


@pytest.mark.parametrize(
    ("text", "key", "problem"),
    [
        (TALK.replace('"rtos"', '"rots"'), "channel.talk.ends", 'no tenant "rots"'),
        (TALK.replace('"rtos"', '"linux"'), "channel.talk.ends", "two different tenants"),
        (TALK.replace(', "rtos"', ""), "channel.talk.ends", "two different tenants"),
        (TALK.replace("stream", "steam"), "channel.talk.kind", "no kind of channel"),
        (LAN.replace(', "rtos"', ""), "channel.lan.ends", "not 2 to 8 tenants"),
        (LAN + 'mac = { rtos = "1:2" }', "channel.lan.mac.rtos", "not of the form"),
        (LAN + 'mac = { rtos = "01:00:00:00:00:00" }', "channel.lan.mac.rtos", "single device"),
        (LAN + 'mac = { rots = "02:00:00:00:00:01" }', "channel.lan.mac.rots", "unknown key"),
        (
            LAN + 'mac = { rtos = "02:00:00:00:00:01", linux = "02:00:00:00:00:01" }',
            "channel.lan.mac",
            "given twice",
        ),
        (TALK + 'mac = { rtos = "02:00:00:00:00:01" }', "channel.talk.mac", "unknown key"),
        (WINDOW.replace('"64K"', '"48K"'), "channel.shared.size", "no power of two from 4K"),
        (WINDOW.replace('"64K"', '"2K"'), "channel.shared.size", "no power of two from 4K"),
        (WINDOW.replace('size = "64K"', ""), "channel.shared.size", "missing"),
        (WINDOW.replace('"64K"', '"64M"'), "tenant.linux.memory", "too little"),
        (WINDOW.replace(', "linux"', ""), "channel.shared.ends", "two different tenants"),
        (TALK + 'size = "64K"', "channel.talk.size", "unknown key"),
        (SOCKET.replace(', "linux"', ""), "channel.line.ends", "two different tenants"),
        (SOCKET + SOCKET.replace("line", "more"), "tenant.linux", "2 channels of sockets"),
        (TALK.replace("kind", "knid"), "channel.talk.kind", "missing"),
        (TALK.replace("talk", "Talk"), "channel.Talk", "cannot be the name"),
        (TALK.replace("talk", "t" * 32), f"channel.{'t' * 32}", "cannot be the name"),
        (
            "".join(TALK.replace("talk", f"talk{number}") for number in range(9)),
            "tenant.linux",
            "9 streams",
        ),
    ],
)
def test_mistakes(workshop: Workshop, text: str, key: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(workshop.system(LINUX + RTOS + text))
    assert [each.key for each in caught.value.mistakes].count(key) == 1
    assert problem in str(caught.value)


def test_a_board_without_room_for_virtual_devices(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = (paths.BOARDS / "qemu-virt.toml").read_text()
    start = text.index("[virtual_devices]")
    end = text.index("[reset]")
    (tmp_path / "qemu-virt.toml").write_text(text[:start] + text[end:])
    use_boards_of(tmp_path, monkeypatch)
    with pytest.raises(ConfigError, match="has no room for"):
        load(workshop.system(LINUX + RTOS + TALK))
