# SPDX-License-Identifier: BSD-2-Clause
"""Channels: what is decided about them, what the bundle says, and the mistakes one can make."""

from pathlib import Path

import fdt
import pytest
from made_images import LINUX, RTOS, Workshop, workshop

from cotenant import abi
from cotenant.bundle_struct import Bundle
from cotenant.errors import ConfigError
from cotenant.system import build, load

__all__ = ["workshop"]

MONITOR_SIZE = 12288
TALK = '[channel.talk]\nkind = "stream"\nends = ["linux", "rtos"]\n'
LAN = '[channel.lan]\nkind = "net"\nends = ["linux", "rtos"]\n'
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
    from cotenant import board_reader, paths

    text = (paths.BOARDS / "qemu-virt.toml").read_text()
    start = text.index("[virtual_devices]")
    end = text.index("[reset]")
    (tmp_path / "tested.toml").write_text(text[:start] + text[end:])
    monkeypatch.setattr(
        "cotenant.system.load_board",
        lambda name, mistakes: board_reader.load("tested", mistakes, tmp_path),
    )
    with pytest.raises(ConfigError, match="has no room for"):
        load(workshop.system(LINUX + RTOS + TALK))
