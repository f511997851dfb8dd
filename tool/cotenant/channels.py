# SPDX-License-Identifier: BSD-2-Clause
"""Channels between tenants, and the virtual devices by which each tenant reaches its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cotenant import abi, served
from cotenant.board import Board
from cotenant.config import ChannelConfig, SystemConfig, TenantConfig
from cotenant.errors import Mistakes
from cotenant.ranges import Range
from cotenant.reader import suggestion

CONTROL_PORT = "cotenant.control"
"""what a tenant finds its control port by; no channel of the user's can have the name"""

_PORTS = ("stream", "control", "memory", served.KIND)
"""kinds of channels whose ends are ports of a virtual console"""

DEVICE_SIZE = abi.bundle("VIRTUAL_DEVICE_SIZE")
_DOORBELL_SIZE = 4
# Of addresses that are not given: locally administered, then numbers of the channel and its end.
_MAC_PREFIX = (0x02, 0xC0, 0x7E, 0)


@dataclass(frozen=True)
class VirtualDevice:
    """A virtio device that the monitor makes for a tenant."""

    tenant: str
    kind: int
    """device id of virtio"""
    range: Range
    source: int
    """its interrupt in the tenant's PLIC"""


@dataclass(frozen=True)
class End:
    """Where a channel arrives: a device of a tenant."""

    device: VirtualDevice
    port: int
    """number of a stream's port there"""
    mac: bytes
    """address of a network device; empty: it is none"""
    doorbell: Range | None = None
    """where a store rings at the other end of a memory channel; None: it is none"""


@dataclass(frozen=True)
class Channel:
    """One [channel.NAME]; `ends` in the order of the file."""

    config: ChannelConfig
    ends: tuple[End, ...]
    window: Range | None
    """memory that the ends share; None: it is no memory channel"""


@dataclass(frozen=True)
class Channels:
    """All channels, and the virtual devices of each tenant by its name."""

    all: tuple[Channel, ...]
    devices: dict[str, tuple[VirtualDevice, ...]]

    @property
    def every_device(self) -> tuple[VirtualDevice, ...]:
        """The devices of all tenants, those of a tenant one after the other."""
        return tuple(device for devices in self.devices.values() for device in devices)

    def windows_of(self, tenant: str) -> tuple["WindowEnd", ...]:
        """Return the ends of memory channels at a tenant."""
        return tuple(
            WindowEnd(channel.config.name, number, channel.window, end.doorbell)
            for channel in self.all
            for number, end in enumerate(channel.ends)
            if end.device.tenant == tenant and channel.window and end.doorbell
        )


@dataclass(frozen=True)
class WindowEnd:
    """What a tenant is told of a memory channel. `number`: which of the two ends it is."""

    channel: str
    number: int
    window: Range
    doorbell: Range


def plan(
    config: SystemConfig, board: Board, windows: Mapping[str, Range], mistakes: Mistakes
) -> Channels:
    """Decide the virtual devices of all tenants, and which of them each channel joins.

    `windows`: those of memory channels, by their names.
    """
    names = [tenant.name for tenant in config.tenants]
    for channel in config.channels:
        _check_ends(channel, names, mistakes)
    served.check(config, mistakes)
    every = (*config.channels, *control_channels(config), *served.channels(config))
    devices = {
        tenant.name: _place(
            tenant,
            _kinds(tenant, config, every, board, mistakes),
            served.page_count(config, tenant.name),
            board,
            mistakes,
        )
        for tenant in config.tenants
    }
    _check_limits(config, devices, mistakes)
    mistakes.stop_if_any()
    joined = tuple(
        Channel(
            channel,
            _ends(channel, every, devices, config),
            windows.get(channel.name),
        )
        for channel in every
    )
    return Channels(joined, devices)


def _of(tenant: str, kinds: Sequence[str], every: Sequence[ChannelConfig]) -> list[ChannelConfig]:
    """Return the channels of these kinds that end at a tenant: in a port, if it is served."""
    return [
        each
        for each in every
        if each.kind in kinds
        and tenant in (each.ends[:1] if each.kind == served.KIND else each.ends)
    ]


def _kinds(
    tenant: TenantConfig,
    config: SystemConfig,
    every: Sequence[ChannelConfig],
    board: Board,
    mistakes: Mistakes,
) -> list[int]:
    """Return the kinds of a tenant's devices.

    These are one console for all ports, its networks, and the sleep key of a group's member.
    """
    streams = _of(tenant.name, _PORTS, every)
    if len(streams) > abi.limit("MAX_PORTS"):
        mistakes.add(
            tenant.key,
            f"it is an end of {len(streams)} streams, doorbells and a control port included",
            f"keep to {abi.limit('MAX_PORTS')}",
        )
    kinds = [abi.bundle("VIRTUAL_CONSOLE")] if streams else []
    kinds += [abi.bundle("VIRTUAL_NET")] * len(_of(tenant.name, ("net",), every))
    sockets = _of(tenant.name, ("socket",), every)
    if len(sockets) > 1:
        mistakes.add(
            tenant.key,
            f"it is an end of {len(sockets)} channels of sockets",
            "keep to one: a kernel serves one such device",
        )
    kinds += [abi.bundle("VIRTUAL_SOCKET")] * len(sockets)
    if config.group_of(tenant.name) is not None and board.virtual_devices is not None:
        kinds.append(abi.bundle("VIRTUAL_INPUT"))
    return kinds + [served.kind_of(device) for device in tenant.served]


def _ends(
    channel: ChannelConfig,
    every: Sequence[ChannelConfig],
    devices: dict[str, tuple[VirtualDevice, ...]],
    config: SystemConfig,
) -> tuple[End, ...]:
    if channel.kind != served.KIND:
        return tuple(_end(channel, name, every, devices) for name in channel.ends)
    server, client = channel.ends
    [count] = (len(tenant.served) for tenant in config.tenants if tenant.name == client)
    return (
        _end(channel, server, every, devices),
        *(End(device, 0, b"") for device in devices[client][-count:]),
    )


def _end(
    channel: ChannelConfig,
    tenant: str,
    every: Sequence[ChannelConfig],
    devices: dict[str, tuple[VirtualDevice, ...]],
) -> End:
    kinds = _PORTS if channel.kind in _PORTS else (channel.kind,)
    place = _of(tenant, kinds, every).index(channel)
    if channel.kind in _PORTS:
        page = devices[tenant][-1].range.end
        doorbell = Range(page + _DOORBELL_SIZE * place, _DOORBELL_SIZE)
        return End(devices[tenant][0], place, b"", doorbell if channel.kind == "memory" else None)
    if channel.kind == "socket":
        socket = abi.bundle("VIRTUAL_SOCKET")
        return End(next(each for each in devices[tenant] if each.kind == socket), 0, b"")
    [*networks] = (each for each in devices[tenant] if each.kind == abi.bundle("VIRTUAL_NET"))
    number = (every.index(channel), channel.ends.index(tenant))
    return End(networks[place], 0, channel.macs.get(tenant, bytes([*_MAC_PREFIX, *number])))


def control_channels(config: SystemConfig) -> tuple[ChannelConfig, ...]:
    """Return the channels between tenants and the monitor."""
    return tuple(
        ChannelConfig(CONTROL_PORT, "control", (tenant.name,), {})
        for tenant in config.tenants
        if tenant.may_see is not None
    )


def _check_limits(
    config: SystemConfig, devices: dict[str, tuple[VirtualDevice, ...]], mistakes: Mistakes
) -> None:
    channels = sum(map(len, (config.channels, control_channels(config), served.channels(config))))
    if channels > abi.limit("MAX_CHANNELS"):
        mistakes.add(
            "channel",
            f"{channels} channels, control ports and served tenants included",
            f"keep to {abi.limit('MAX_CHANNELS')}",
        )
    count = sum(map(len, devices.values()))
    if count > abi.limit("MAX_VIRTUAL_DEVICES"):
        mistakes.add(
            "channel",
            f"the tenants need {count} virtual devices for their ends",
            f"keep to {abi.limit('MAX_VIRTUAL_DEVICES')}",
        )


def _check_ends(channel: ChannelConfig, names: Sequence[str], mistakes: Mistakes) -> None:
    for name in channel.ends:
        if name not in names:
            mistakes.add(
                f"{channel.key}.ends", f'there is no tenant "{name}"', suggestion(name, names)
            )
    most = abi.limit("MAX_CHANNEL_ENDS") if channel.kind == "net" else 2
    if not 2 <= len(channel.ends) <= most or len(set(channel.ends)) != len(channel.ends):
        mistakes.add(
            f"{channel.key}.ends",
            "does not name two different tenants" if most == 2 else f"are not 2 to {most} tenants",
            'write for example: ends = ["linux", "freertos"]',
        )


def _place(
    tenant: TenantConfig, kinds: Sequence[int], pages: int, board: Board, mistakes: Mistakes
) -> tuple[VirtualDevice, ...]:
    """Give each virtual device of a tenant its address and its interrupt.

    `pages`: of registers for devices of others, which it serves.
    """
    if not kinds:
        return ()
    area = board.virtual_devices
    sources = board.plic.virtual_sources[1:]
    # Behind the devices is the page of doorbells.
    if area is None or len(kinds) > min(area.size // DEVICE_SIZE - 1 - pages, len(sources)):
        mistakes.add(
            tenant.key,
            f"needs {len(kinds)} virtual devices, which the board has no room for",
            "give [virtual_devices] and virtual_sources in the board's file, or use fewer channels",
        )
        return ()
    return tuple(
        VirtualDevice(
            tenant.name, kind, Range(area.base + number * DEVICE_SIZE, DEVICE_SIZE), sources[number]
        )
        for number, kind in enumerate(kinds)
    )
