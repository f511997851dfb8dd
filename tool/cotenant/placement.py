# SPDX-License-Identifier: BSD-2-Clause
"""Where each tenant's memory goes in the board's RAM.

The monitor takes the top. Tenants that name an address get it; the others are placed from the
bottom up, the largest first, at a multiple of their size where it is a power of two, so that one
PMP entry covers each.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cotenant.errors import Mistakes
from cotenant.ranges import Range
from cotenant.units import align_down, align_up, format_size, is_power_of_two

PAGE = 4096


@dataclass(frozen=True)
class Request:
    """Memory wanted by a tenant.

    `base`: asked for by the user. `linked`: where its image has to lie, if it cannot be moved.
    `alignment`: what the image needs. `key`: the place in the user's file.
    """

    name: str
    key: str
    size: int
    base: int | None = None
    linked: Range | None = None
    alignment: int = PAGE


@dataclass(frozen=True)
class Placement:
    """The result: `memory` by the name of the tenant."""

    ram: Range
    monitor: Range
    memory: dict[str, Range]


def place(
    ram: Range, monitor_size: int, requests: Sequence[Request], mistakes: Mistakes
) -> Placement:
    """Place the monitor and all tenants; what cannot be placed is noted and left out."""
    monitor = Range(align_down(ram.end - monitor_size, PAGE), align_up(monitor_size, PAGE))
    if monitor.base < ram.base:
        mistakes.add(
            "memory",
            f"{format_size(ram.size)} of RAM are too little for the monitor and the images",
            "give the machine more, for example: memory = "
            f'"{format_size(align_up(2 * monitor_size, 1 << 30))}"',
        )
        return Placement(ram, monitor, {})
    memory: dict[str, Range] = {}
    taken = {"the monitor": monitor}
    for request in requests:
        area = _fixed(request)
        if area is not None:
            memory[request.name] = area
            if _suits(request, area, ram, taken, mistakes):
                taken[f'tenant "{request.name}"'] = area
    free = [request for request in requests if request.name not in memory]
    for request in sorted(free, key=lambda each: -each.size):
        found = _find(request, ram, list(taken.values()))
        if found is None:
            mistakes.add(
                request.key,
                f"there is no room for {format_size(request.size)} in "
                f"{format_size(ram.size)} of RAM",
                "make it smaller, or give the machine more: memory = "
                f'"{format_size(2 * ram.size)}" at the top of the file',
            )
            continue
        memory[request.name] = found
        taken[f'tenant "{request.name}"'] = found
    return Placement(ram, monitor, memory)


def _fixed(request: Request) -> Range | None:
    """Return the range of a tenant whose place is given, by the user or by its image."""
    if request.base is not None:
        return Range(request.base, request.size)
    if request.linked is not None:
        natural = request.size if is_power_of_two(request.size) else PAGE
        base = align_down(request.linked.base, natural)
        if Range(base, request.size).contains(request.linked):
            return Range(base, request.size)
        return Range(align_down(request.linked.base, PAGE), request.size)
    return None


def _suits(
    request: Request, area: Range, ram: Range, taken: dict[str, Range], mistakes: Mistakes
) -> bool:
    if area.base % request.alignment:
        mistakes.add(
            request.key,
            f"the base {area.base:#x} is misaligned: the image has to begin at a multiple of "
            f"{format_size(request.alignment)}",
            f"choose for example {align_up(area.base, request.alignment):#x}",
        )
        return False
    if not ram.contains(area):
        mistakes.add(
            request.key,
            f"{area} is outside of the RAM at {ram}",
            'move it, or give the machine more RAM: memory = "..." at the top of the file',
        )
        return False
    for owner, other in taken.items():
        if other.overlaps(area):
            mistakes.add(
                request.key,
                f"{area} overlaps {owner} at {other}",
                "move one of them, or leave out the base",
            )
            return False
    return True


def _find(request: Request, ram: Range, taken: list[Range]) -> Range | None:
    """Return the lowest free place, naturally aligned if there is one."""
    alignments = [request.alignment]
    if is_power_of_two(request.size):
        alignments.insert(0, max(request.size, request.alignment))
    for alignment in alignments:
        starts = [ram.base, *(area.end for area in taken)]
        for start in sorted(align_up(start, alignment) for start in starts):
            area = Range(start, request.size)
            if ram.contains(area) and not any(area.overlaps(other) for other in taken):
                return area
    return None
