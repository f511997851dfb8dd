# SPDX-License-Identifier: BSD-2-Clause
"""Memory of a whole system: what tenants want, what the monitor keeps, what goes where."""

from cotenant import imagefile, paths
from cotenant.board import Board
from cotenant.bundle import header_size
from cotenant.config import SystemConfig
from cotenant.errors import Mistakes
from cotenant.inputs import TenantImages
from cotenant.layout import Layout, LayoutError, lay_out, needed
from cotenant.placement import Placement, Request, place
from cotenant.ranges import Range
from cotenant.units import align_up, format_size
from cotenant.windows import Windows

PAGE = 4096
# Kept for the monitor's own memory at the least: code, data, stacks.
MONITOR_LEAST = 1 << 20
MONITOR_ALIGNMENT = 2 << 20


def requests_of(
    config: SystemConfig, images: dict[str, TenantImages], mistakes: Mistakes
) -> list[Request]:
    """Return the memory wanted; memory too small for its image is noted."""
    wanted = []
    for tenant in config.tenants:
        if tenant.name not in images:
            continue
        image, initrd = images[tenant.name].image, images[tenant.name].initrd
        key = f"{tenant.key}.memory"
        least = needed(image, initrd, images[tenant.name].devicetree_room)
        if tenant.memory.size < least:
            what = f'image "{tenant.image}"'
            what += f' with initrd "{tenant.initrd}"' if tenant.initrd else ""
            mistakes.add(
                key,
                f"{format_size(tenant.memory.size)} are too little for {what}",
                f'give it at least "{format_size(_rounded(least))}"',
            )
            continue
        linked = None if image.relocatable else Range(image.low, image.high - image.low)
        wanted.append(
            Request(
                name=tenant.name,
                key=key,
                size=tenant.memory.size,
                base=tenant.memory.base,
                linked=linked,
                alignment=image.alignment,
            )
        )
    return wanted


def _rounded(size: int) -> int:
    """Round a size up to something that people write: whole MiB, or whole pages if it is small."""
    return align_up(size, 1 << 20 if size > 1 << 20 else PAGE)


def monitor_size(images: dict[str, TenantImages]) -> int:
    """Return the memory that the monitor keeps: its own, struct bundle, and the store of images."""
    own = MONITOR_LEAST
    if paths.MONITOR_ELF.is_file():
        own = max(own, imagefile.memory_span(paths.MONITOR_ELF))
    contents = {each.initrd for each in images.values() if each.initrd is not None}
    contents.update(part.data for each in images.values() for part in each.image.segments)
    stored = sum(align_up(len(content), PAGE) for content in contents)
    trees = sum(each.devicetree_room for each in images.values())
    return align_up(own + header_size() + stored + trees, MONITOR_ALIGNMENT)


def settle(
    config: SystemConfig,
    board: Board,
    requests: list[Request],
    images: dict[str, TenantImages],
    beside: int,
    mistakes: Mistakes,
) -> Placement:
    """Place the monitor and all tenants in the machine's RAM; mistakes are noted.

    `beside`: bytes that the monitor needs beside itself and the images.
    """
    ram = Range(board.ram_base, config.memory or board.ram_default)
    if board.ram_limit is not None and ram.size > board.ram_limit:
        most = format_size(board.ram_limit)
        mistakes.add(
            "memory",
            f"{format_size(ram.size)} are more than {board.id} has at {ram.base:#x}",
            f'write memory = "{most}", or less',
        )
        mistakes.stop_if_any()
    kept = monitor_size(images) + align_up(beside, MONITOR_ALIGNMENT)
    if 2 * kept > ram.size:
        # The file is loaded at the bottom and moves itself to the top: the two must not overlap.
        mistakes.add(
            "memory",
            f"{format_size(ram.size)} of RAM are too little for the monitor and the images",
            f'give the machine more: memory = "{format_size(align_up(2 * kept, 1 << 28))}"',
        )
        mistakes.stop_if_any()
    return place(ram, kept, requests, mistakes)


def lay_out_all(
    config: SystemConfig,
    placement: Placement,
    images: dict[str, TenantImages],
    shared: Windows,
    mistakes: Mistakes,
) -> dict[str, Layout]:
    """Lay out every tenant that was placed; memory that does not suit its image is noted."""
    layouts = {}
    for tenant in config.tenants:
        memory = placement.memory.get(tenant.name)
        if memory is None:
            continue
        own = images[tenant.name]
        parts = shared.memory[tenant.name]
        top = parts[0].end if len(parts) > 1 else None
        try:
            layouts[tenant.name] = lay_out(memory, own.image, own.initrd, top, own.devicetree_room)
        except LayoutError as error:
            mistakes.add(f"{tenant.key}.memory", error.problem, error.remedy)
    return layouts
