# SPDX-License-Identifier: BSD-2-Clause
"""The keys `served-by` and `served`: who gets which devices, who may touch what, and mistakes."""

import fdt
import pytest
from made_images import LINUX, RTOS, Workshop, workshop
from test_channel_plan import TALK, header_of

from cotenant import abi
from cotenant.errors import ConfigError
from cotenant.pmp.accessmap import Rights
from cotenant.system import load

__all__ = ["workshop"]

SERVED = RTOS + 'served-by = "linux"\nserved = ["disk", "net"]\n'
OTHER = SERVED.replace("rtos]", "other]").replace('["disk", "net"]', '["rng"]')


def test_devices_are_ends_of_the_channel_with_the_server(workshop: Workshop) -> None:
    header = header_of(workshop, LINUX + TALK + SERVED)
    assert (header.device_count, header.channel_count) == (4, 2)
    channel = header.channels[1]
    assert channel.name == b"served.rtos"
    assert (channel.kind, channel.end_count) == (abi.bundle("CHANNEL_SERVED"), 3)
    ends = [(end.device, end.port) for end in channel.ends[:3]]
    assert ends == [(0, 1), (2, 0), (3, 0)]  # behind the consoles' ports of the stream
    kinds = [abi.bundle("VIRTUAL_SERVED_DISK"), abi.bundle("VIRTUAL_SERVED_NET")]
    assert [device.kind for device in header.devices[2:4]] == kinds
    assert [device.tenant for device in header.devices[:4]] == [0, 1, 1, 1]


def test_the_client_starts_when_the_server_says_so(workshop: Workshop) -> None:
    waits, auto = abi.bundle("TENANT_AWAITS_SERVER"), abi.bundle("TENANT_AUTOSTART")
    for text, flags in ((SERVED, waits), (SERVED + 'start = "manual"\n', 0), (RTOS, auto)):
        header = header_of(workshop, LINUX + text)
        assert header.tenants[1].flags & (waits | auto) == flags


def test_the_server_may_touch_its_clients_memory_alone(workshop: Workshop) -> None:
    system = load(workshop.system(LINUX + SERVED + OTHER + RTOS.replace("rtos]", "apart]")))
    opened = {tenant.name: tenant.memory for tenant in system.tenants}
    [server] = system.tenants[0].vharts
    windows = {region.range: region.rights for region in server.access if "served" in region.what}
    assert windows == {opened["rtos"]: Rights.RW, opened["other"]: Rights.RW}
    for tenant in system.tenants[1:]:
        for vhart in tenant.vharts:
            assert not any("served" in region.what for region in vhart.access)


def test_the_server_is_told_where_everything_is(workshop: Workshop) -> None:
    system = load(workshop.system(LINUX + SERVED + OTHER))
    [tree] = [part.data for part in system.tenants[0].parts if part.what == "device tree"]
    nodes = fdt.parse_dtb(tree).get_node("/served").nodes
    assert [node.get_property("label").value for node in nodes] == ["rtos", "other"]
    assert nodes[1].get_property("cotenant,port").value == "served.other"
    first, second = ([*node.get_property("reg")] for node in nodes)
    # Behind the server's console and its page of doorbells.
    assert system.board.virtual_devices is not None
    base = system.board.virtual_devices.base + 2 * abi.served("PAGE")
    assert first[:4] == [0, base, 0, 2 * abi.served("PAGE")]
    assert second[:4] == [0, base + 2 * abi.served("PAGE"), 0, abi.served("PAGE")]
    memory = system.tenants[1].memory
    assert first[4:] == [0, memory.base, 0, memory.size]


@pytest.mark.parametrize(
    ("text", "key", "problem"),
    [
        (SERVED.replace('"linux"', '"linus"'), "tenant.rtos.served-by", 'no tenant "linus"'),
        (SERVED.replace('"linux"', '"rtos"'), "tenant.rtos.served-by", "cannot serve itself"),
        (SERVED.replace('"disk"', '"disc"'), "tenant.rtos.served", '"disc" is no device'),
        (RTOS + 'served-by = "linux"\n', "tenant.rtos.served", "no devices are named"),
        (RTOS + 'served = ["disk"]\n', "tenant.rtos.served", "nobody serves"),
        (SERVED.replace('"net"', '"net", ' * 6 + '"net"'), "tenant.rtos.served", "8 devices"),
        (
            SERVED.replace("rtos]", f"{'r' * 26}]"),
            f"tenant.{'r' * 26}.served-by",
            "more than 24 characters",
        ),
    ],
)
def test_mistakes(workshop: Workshop, text: str, key: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(workshop.system(LINUX + text))
    assert [each.key for each in caught.value.mistakes] == [key]
    assert problem in str(caught.value)


def test_two_that_wait_for_each_other(workshop: Workshop) -> None:
    with pytest.raises(ConfigError) as caught:
        load(workshop.system(LINUX + 'served-by = "rtos"\nserved = ["disk"]\n' + SERVED))
    assert {each.key for each in caught.value.mistakes} == {
        "tenant.linux.served-by",
        "tenant.rtos.served-by",
    }
