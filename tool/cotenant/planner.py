# SPDX-License-Identifier: BSD-2-Clause
"""From a description to a plan: asks each module in turn and gathers the mistakes.

Mistakes of one stage are reported together; a later stage is tried only if what it builds on is
sound, so that one mistake does not cause a dozen sentences.
"""

from dataclasses import dataclass

from cotenant import devices, devicetree, imagefile, paths, pmp
from cotenant.accessmap import AccessMap, for_vhart
from cotenant.board import Board, BoardHart
from cotenant.bundle import header_size
from cotenant.config import SystemConfig, TenantConfig
from cotenant.devices import Ownership
from cotenant.errors import BuildError, ConfigError, Mistakes
from cotenant.inputs import TenantImages, harts_of, read_images, sstc_of
from cotenant.layout import DEVICETREE_ROOM, Layout, LayoutError, Part, lay_out, needed
from cotenant.placement import Placement, Request, place
from cotenant.plan import System, TenantPlan
from cotenant.pmp import HartPmp, PmpError
from cotenant.ranges import Range
from cotenant.units import align_up, format_size

PAGE = 4096
# Kept for the monitor's own memory at the least: code, data, stacks.
MONITOR_LEAST = 1 << 20
MONITOR_ALIGNMENT = 2 << 20


@dataclass(frozen=True)
class _Interrupts:
    """How a vhart reaches its PLIC, and whether its WFI gives the hart away."""

    uart_source: int | None
    plic_context: int | None
    passthrough: bool
    wfi_yields: bool


def plan(
    config: SystemConfig,
    board: Board | None,
    sstc: bool | None,
    console_mode: str,
    mistakes: Mistakes,
) -> System:
    """Return the plan of a system; raises ConfigError with the mistakes found.

    `mistakes` holds those found so far; `board` is None if that was one of them.
    """
    images = read_images(config, mistakes)
    if board is None:
        raise ConfigError(mistakes.found)
    harts = harts_of(config, board, mistakes)
    owned = devices.assign(board, config.tenants, mistakes)
    use_sstc = sstc_of(config, board, sstc, mistakes)
    requests = _requests(config, images, mistakes)
    mistakes.stop_if_any()
    placement = _place(config, board, requests, images, mistakes)
    layouts = _lay_out(config, placement, images, mistakes)
    mistakes.stop_if_any()
    interrupts = {each.name: _interrupts(each, config, board, owned) for each in config.tenants}
    maps = _access_maps(config, board, placement, owned, interrupts)
    compiled = _compile(config, board, maps, mistakes)
    mistakes.stop_if_any()
    tenants = []
    for tenant in config.tenants:
        name = tenant.name
        own = interrupts[name]
        layout = layouts[name]
        view = devicetree.TenantView(
            name=name,
            memory=[placement.memory[name]],
            devices=owned[name],
            arguments=tenant.arguments,
            initrd=layout.initrd,
            fp=tenant.fp,
            sstc=use_sstc,
            uart_source=own.uart_source,
            plic_context=own.plic_context,
        )
        tenants.append(
            TenantPlan(
                config=tenant,
                memory=placement.memory[name],
                image_kind=images[name].image.kind,
                parts=(*layout.parts, _devicetree_part(layout, view, board)),
                entry=layout.entry,
                devicetree=layout.devicetree.base,
                devices=owned[name],
                hart=_hart(board, tenant),
                uart_source=own.uart_source,
                plic_context=own.plic_context,
                passthrough=own.passthrough,
                wfi_yields=own.wfi_yields,
                access=maps[name],
                pmp=compiled[tenant.hart].sets[_sharing(config, tenant).index(tenant)],
            )
        )
    return System(
        config=config,
        board=board,
        sstc=use_sstc,
        console_mode=console_mode,
        ram=placement.ram,
        monitor=placement.monitor,
        harts=harts,
        tenants=tuple(tenants),
        pmp=compiled,
        warnings=tuple(devices.dma_warnings(owned)),
    )


def _hart(board: Board, tenant: TenantConfig) -> BoardHart:
    return next(hart for hart in board.harts if hart.id == tenant.hart)


def _sharing(config: SystemConfig, tenant: TenantConfig) -> list[TenantConfig]:
    """Return the tenants of the hart that a tenant runs on, itself included."""
    return [each for each in config.tenants if each.hart == tenant.hart]


def _requests(
    config: SystemConfig, images: dict[str, TenantImages], mistakes: Mistakes
) -> list[Request]:
    """Return the memory wanted; memory too small for its image is noted."""
    requests = []
    for tenant in config.tenants:
        if tenant.name not in images:
            continue
        image, initrd = images[tenant.name].image, images[tenant.name].initrd
        key = f"{tenant.key}.memory"
        least = needed(image, initrd)
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
        requests.append(
            Request(
                name=tenant.name,
                key=key,
                size=tenant.memory.size,
                base=tenant.memory.base,
                linked=linked,
                alignment=image.alignment,
            )
        )
    return requests


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
    trees = DEVICETREE_ROOM * len(images)
    return align_up(own + header_size() + stored + trees, MONITOR_ALIGNMENT)


def _place(
    config: SystemConfig,
    board: Board,
    requests: list[Request],
    images: dict[str, TenantImages],
    mistakes: Mistakes,
) -> Placement:
    ram = Range(board.ram_base, config.memory or board.ram_default)
    kept = monitor_size(images)
    if 2 * kept > ram.size:
        # The file is loaded at the bottom and moves itself to the top: the two must not overlap.
        mistakes.add(
            "memory",
            f"{format_size(ram.size)} of RAM are too little for the monitor and the images",
            f'give the machine more: memory = "{format_size(align_up(2 * kept, 1 << 28))}"',
        )
        mistakes.stop_if_any()
    return place(ram, kept, requests, mistakes)


def _lay_out(
    config: SystemConfig,
    placement: Placement,
    images: dict[str, TenantImages],
    mistakes: Mistakes,
) -> dict[str, Layout]:
    layouts = {}
    for tenant in config.tenants:
        memory = placement.memory.get(tenant.name)
        if memory is None:
            continue
        own = images[tenant.name]
        try:
            layouts[tenant.name] = lay_out(memory, own.image, own.initrd)
        except LayoutError as error:
            mistakes.add(f"{tenant.key}.memory", error.problem, error.remedy)
    return layouts


def _interrupts(
    tenant: TenantConfig, config: SystemConfig, board: Board, owned: Ownership
) -> _Interrupts:
    """Decide how interrupts reach a tenant.

    The claim/complete register is passed through to the vhart of the lowest priority on its hart
    if there is just one, because all others are then more urgent than its interrupts; that vhart
    may idle natively too. It takes a PMP entry of 4 bytes. A vhart with a budget yields when it
    idles, so that its idle time is not charged, and a vhart that yields has an emulated PLIC.
    """
    sharing = _sharing(config, tenant)
    lowest = min(each.priority for each in sharing)
    last = [each for each in sharing if each.priority == lowest] == [tenant]
    keeps_hart = last and tenant.budget is None
    context = _hart(board, tenant).plic_s_context
    wanted = tenant.uart or any(device.interrupts for device in owned[tenant.name])
    plic_context = context if wanted else None
    return _Interrupts(
        uart_source=board.plic.virtual_sources[0] if tenant.uart else None,
        plic_context=plic_context,
        passthrough=keeps_hart and plic_context is not None and board.pmp_grain == 4,
        wfi_yields=not keeps_hart,
    )


def _access_maps(
    config: SystemConfig,
    board: Board,
    placement: Placement,
    owned: Ownership,
    interrupts: dict[str, _Interrupts],
) -> dict[str, AccessMap]:
    return {
        tenant.name: for_vhart(
            tenant.name,
            [placement.memory[tenant.name]],
            owned[tenant.name],
            board,
            _hart(board, tenant) if interrupts[tenant.name].passthrough else None,
        )
        for tenant in config.tenants
    }


def _compile(
    config: SystemConfig, board: Board, maps: dict[str, AccessMap], mistakes: Mistakes
) -> dict[int, HartPmp]:
    """Return the PMP registers by hart id."""
    compiled = {}
    for hart in sorted({tenant.hart for tenant in config.tenants}):
        sharing = [tenant for tenant in config.tenants if tenant.hart == hart]
        try:
            compiled[hart] = pmp.compile_hart(
                [maps[tenant.name] for tenant in sharing], board.pmp_entries, board.pmp_grain
            )
        except PmpError as error:
            mistakes.add(sharing[error.index].key, error.problem, " or ".join(error.remedies))
    return compiled


def _devicetree_part(layout: Layout, view: devicetree.TenantView, board: Board) -> Part:
    tree = devicetree.build(view, board)
    if len(tree) > layout.devicetree.size:
        raise BuildError(
            f"the device tree of tenant {view.name} takes {len(tree)} bytes, "
            f"and {layout.devicetree.size} are kept for it; shorten its arguments"
        )
    return Part("device tree", layout.devicetree.base, tree, len(tree))
