# SPDX-License-Identifier: BSD-2-Clause
"""Where the windows of memory channels are: memory that two tenants share.

A window lies in the place of one of its ends, and is neither's memory: the end's device tree leaves
it out. It is the end with the larger memory, below its device tree, because a Linux maps
physical memory cacheable only where it has memory nearby, below and above.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cotenant.board import Board
from cotenant.config import ChannelConfig, SystemConfig
from cotenant.imagefile import LINUX_KERNEL
from cotenant.inputs import TenantImages
from cotenant.layout import DEVICETREE_ROOM
from cotenant.ranges import Range
from cotenant.units import align_down


@dataclass(frozen=True)
class Windows:
    """The windows of a system, and what is left to each tenant."""

    of: Mapping[str, Range]
    """by the name of the channel"""
    shared: Mapping[str, Mapping[str, Range]]
    """by the names of the tenant and of the channel"""
    memory: Mapping[str, tuple[Range, ...]]
    """the memory of each tenant without the windows in its place"""


def hosted(config: SystemConfig) -> dict[str, list[ChannelConfig]]:
    """Return the channels whose windows are in a tenant's place, the largest first."""
    sizes = {tenant.name: tenant.memory.size for tenant in config.tenants}
    found: dict[str, list[ChannelConfig]] = {name: [] for name in sizes}
    for channel in config.channels:
        ends = [name for name in channel.ends if name in sizes]
        if channel.size is not None and ends:
            found[max(ends, key=sizes.__getitem__)].append(channel)
    return {
        name: sorted(channels, key=lambda each: -(each.size or 0))
        for name, channels in found.items()
    }


def room(channels: Sequence[ChannelConfig]) -> int:
    """Return the bytes that windows need at the most, the gap at the end included."""
    sizes = [channel.size or 0 for channel in channels]
    return sum(sizes) + max(sizes, default=0)


def warnings(config: SystemConfig, board: Board, images: Mapping[str, TenantImages]) -> list[str]:
    """Say which windows two kernels map in two ways, where harts tell the ways apart."""
    return [
        f"channel {channel.name} joins two Linuxes, of which only one maps the window as cached "
        "memory on harts with Svpbmt: what one writes, the other may not see"
        for channel in config.channels
        if channel.size is not None
        and "svpbmt" in board.isa
        and all(images[name].image.kind == LINUX_KERNEL for name in channel.ends)
    ]


def plan(config: SystemConfig, memory: Mapping[str, Range]) -> Windows:
    """Place all windows in the `memory` of tenants, each at a multiple of its size."""
    of: dict[str, Range] = {}
    left: dict[str, tuple[Range, ...]] = {}
    for name, channels in hosted(config).items():
        place = memory[name]
        end = base = place.end - DEVICETREE_ROOM
        for number, channel in enumerate(channels):
            assert channel.size is not None
            base = align_down(base - channel.size, channel.size)
            of[channel.name] = Range(base, channel.size)
            end = of[channel.name].end if number == 0 else end
        low = Range(place.base, base - place.base)
        left[name] = (low, Range(end, place.end - end)) if channels else (place,)
    shared = {
        name: {
            channel.name: of[channel.name]
            for channel in config.channels
            if channel.size is not None and name in channel.ends
        }
        for name in memory
    }
    return Windows(of, shared, left)
