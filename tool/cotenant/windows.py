# SPDX-License-Identifier: BSD-2-Clause
"""Where the windows of memory channels are: memory that two tenants share.

A window lies in the place of one of its ends, and is neither's memory: the end's device tree leaves
it out. With harts that know page-based memory types (Svpbmt), a Linux maps it cached only if it is
below the end of its own memory. So it is the end that is lowest, below its device tree; a tenant
of much less memory is passed over, because it has none to spare and is no Linux.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cotenant import served
from cotenant.board import Board
from cotenant.config import ChannelConfig, SystemConfig
from cotenant.errors import Mistakes
from cotenant.imagefile import LINUX_KERNEL
from cotenant.inputs import TenantImages
from cotenant.ranges import Range
from cotenant.units import align_down, format_size

# A tenant with so many times less memory than the other end has no window in its place.
_MUCH_LESS = 4


@dataclass(frozen=True)
class Windows:
    """The windows of a system, and what is left to each tenant."""

    of: Mapping[str, Range]
    """by the name of the channel"""
    shared: Mapping[str, Mapping[str, Range]]
    """by the names of the tenant and of the channel"""
    memory: Mapping[str, tuple[Range, ...]]
    """the memory of each tenant without the windows in its place"""


def warnings(
    config: SystemConfig,
    board: Board,
    images: Mapping[str, TenantImages],
    memory: Mapping[str, Range],
    windows: Windows,
) -> list[str]:
    """Say which Linux does not map a window as cached memory, where harts know the difference."""
    return [
        f"channel {channel.name}: its window is above the memory of tenant {name}, whose kernel "
        "does not map it as cached memory on harts with Svpbmt; place that tenant above the other"
        for channel in config.channels
        for name in channel.ends
        if channel.name in windows.of
        and "svpbmt" in board.isa
        and images[name].image.kind == LINUX_KERNEL
        and windows.of[channel.name].base >= memory[name].end
    ]


def _hosted(config: SystemConfig, memory: Mapping[str, Range]) -> dict[str, list[ChannelConfig]]:
    """Return the channels whose windows are in a tenant's place, the largest first."""
    found: dict[str, list[ChannelConfig]] = {name: [] for name in memory}
    for channel in config.channels:
        ends = [name for name in channel.ends if name in memory]
        if channel.size is not None and ends:
            most = max(memory[name].size for name in ends)
            able = [name for name in ends if memory[name].size * _MUCH_LESS > most]
            found[min(able, key=lambda name: memory[name].base)].append(channel)
    return {
        name: sorted(channels, key=lambda each: -(each.size or 0))
        for name, channels in found.items()
    }


def _stack(place: Range, room: int, channels: Sequence[ChannelConfig]) -> dict[str, Range]:
    """Return windows, each at a multiple of its size, below a place's tree of `room` bytes."""
    found = {}
    base = place.end - room
    for channel in channels:
        assert channel.size is not None
        base = align_down(base - channel.size, channel.size)
        found[channel.name] = Range(base, channel.size)
    return found


def plan(
    config: SystemConfig,
    memory: Mapping[str, Range],
    images: Mapping[str, TenantImages],
    mistakes: Mistakes,
) -> Windows:
    """Place all windows in the `memory` of tenants; memory that is too small for them is noted."""
    of: dict[str, Range] = {}
    left: dict[str, tuple[Range, ...]] = {name: (place,) for name, place in memory.items()}
    for name, channels in _hosted(config, memory).items():
        place = memory[name]
        room = images[name].devicetree_room
        found = list(_stack(place, room, channels).values())
        if not found:
            continue
        base, end = found[-1].base, found[0].end
        if base <= place.base:
            mistakes.add(
                f"tenant.{name}.memory",
                f"{format_size(place.size)} are too little for the memory that it shares",
                "give it more, or its channels less",
            )
            continue
        of |= _stack(place, room, channels)
        left[name] = (Range(place.base, base - place.base), Range(end, place.end - end))
    shared = {
        name: {
            channel.name: of[channel.name]
            for channel in config.channels
            if channel.name in of and name in channel.ends
        }
        | served.opened(config, left, name)
        for name in memory
    }
    return Windows(of, shared, left)
