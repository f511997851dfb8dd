# SPDX-License-Identifier: BSD-2-Clause
"""What a tenant with guests has for them: registers, PMP entries and memory; see abi/hosted.h."""

from cotenant import abi
from cotenant.board import Board
from cotenant.config import TenantConfig
from cotenant.errors import Mistakes
from cotenant.layout import Layout
from cotenant.ranges import Range
from cotenant.units import align_down, format_size

# Of 8 entries, and of more.
_ENTRIES_OF_FEW = 2
_ENTRIES = 4
_FEW = 8


def entries(board: Board) -> int:
    """Return the PMP entries of each hart of such a tenant that are kept for the guests' memory."""
    return _ENTRIES if board.pmp_entries > _FEW else _ENTRIES_OF_FEW


def registers(tenant: TenantConfig, board: Board) -> Range | None:
    """Return where the tenant finds the registers: at the end of the board's virtual devices."""
    if tenant.guests is None or board.virtual_devices is None:
        return None
    pages = 1 + tenant.guests.count * abi.hosted("SLOT_PAGES")
    size = pages * abi.hosted("PAGE")
    return Range(board.virtual_devices.end - size, size)


def window(tenant: TenantConfig, memory: Range) -> Range | None:
    """Return the part of the tenant's memory that its kernel leaves to guests, if there is one.

    In the middle: the image is at one end, initrd and device tree are at the other. It depends on
    nothing else, so that a guest that was saved finds its memory in the same place again.
    """
    if tenant.guests is None or tenant.guests.window == 0:
        return None
    size = tenant.guests.window
    return Range(align_down(memory.base + (memory.size - size) // 2, abi.hosted("GRAIN")), size)


def check_window(
    tenant: TenantConfig, memory: Range, layout: Layout, own_tree: bool, mistakes: Mistakes
) -> None:
    """Note it if a tenant has no room for its window, or a device tree that does not tell of it."""
    wanted = window(tenant, memory)
    if wanted is None:
        return
    key = f"{tenant.key}.guest-window"
    parts = [Range(part.destination, part.memory_size) for part in layout.parts]
    if not memory.contains(wanted) or any(
        wanted.overlaps(each) for each in (*parts, layout.devicetree)
    ):
        mistakes.add(
            key,
            f"there are no {format_size(wanted.size)} between the tenant's image and its initrd",
            "give it more memory, or guests a smaller window",
        )
    if own_tree:
        mistakes.add(
            key, "the tenant's own device tree does not tell of it", "take one of the two out"
        )


def check(tenant: TenantConfig, board: Board, pages: int, mistakes: Mistakes) -> None:
    """Note it if the board has no room for the registers.

    `pages`: of the tenant's virtual devices and those that it serves.
    """
    area = board.virtual_devices
    wanted = registers(tenant, board)
    if tenant.guests is None:
        return
    if area is None or wanted is None or wanted.base < area.base + (pages + 1) * 0x1000:
        size = 0 if wanted is None else wanted.size
        mistakes.add(
            f"{tenant.key}.guests",
            f"needs {format_size(size)} of addresses, for which the board has no room",
            "give [virtual_devices] in the board's file a larger size, or have fewer guests",
        )
