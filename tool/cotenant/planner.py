# SPDX-License-Identifier: BSD-2-Clause
"""From a description to a plan: asks each module in turn and gathers the mistakes.

Mistakes of one stage are reported together; a later stage is tried only if what it builds on is
sound, so that one mistake does not cause a dozen sentences.
"""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from cotenant import (
    board_tree,
    bus_protection,
    channels,
    devices,
    devicetree,
    guests,
    interrupts,
    memory,
    qemu_devices,
    served,
    vectors,
    windows,
)
from cotenant.board import Board
from cotenant.channels import Channels
from cotenant.config import SystemConfig, TenantConfig
from cotenant.devices import Ownership
from cotenant.errors import BuildError, ConfigError, Mistakes
from cotenant.inputs import (
    TenantImages,
    harts_of,
    machine_mode_warnings,
    read_images,
    sstc_of,
    with_harts,
)
from cotenant.layout import Layout, Part, devicetree_room
from cotenant.placement import Placement
from cotenant.plan import System, TenantPlan
from cotenant.pmp.compiler import HartPmp
from cotenant.ranges import Range
from cotenant.vharts import Vharts, plan_vharts
from cotenant.windows import Windows

# As many bytes as Linux's generator has of state.
_RANDOM_SEED_SIZE = 32
# PMP entries of a hart that a tenant in machine mode needs for its own, and their grain:
# ENTRIES_NEEDED and confine_begin() of monitor/features/confine/confine.c.
_SPARE_ENTRIES = 4
_CONFINED_GRAIN = 4


@dataclass(frozen=True)
class _Decided:
    """What is decided about all tenants, by their names."""

    images: dict[str, TenantImages]
    owned: Ownership
    placement: Placement
    windows: Windows
    layouts: dict[str, Layout]
    vharts: Vharts
    channels: Channels


def plan(
    config: SystemConfig,
    board: Board | None,
    sstc: bool | None,
    console_mode: str,
    trace_ring: int,
    mistakes: Mistakes,
) -> System:
    """Return the plan of a system; raises ConfigError with the mistakes found.

    `mistakes` holds those found so far; `board` is None if that was one of them.
    """
    images = read_images(config, mistakes)
    if board is None:
        raise ConfigError(mistakes.found)
    config = with_harts(config, board)
    harts = harts_of(config, board, mistakes)
    owned = devices.assign(board, config.tenants, config.groups, mistakes)
    qemu_devices.check(config, board, owned, mistakes)
    disks = qemu_devices.find_disks(config, mistakes)
    _check_watchdogs(config, board, mistakes)
    use_sstc = sstc_of(config, board, sstc, mistakes)
    requests = memory.requests_of(config, images, mistakes)
    for tenant in config.tenants:
        vectors.check(tenant, board, mistakes)
    mistakes.stop_if_any()
    beside = trace_ring * len(harts) + vectors.size_of_all(config.tenants, board)
    placement = memory.settle(config, board, requests, images, beside, mistakes)
    mistakes.stop_if_any()
    shared = windows.plan(config, placement.memory, images, mistakes)
    mistakes.stop_if_any()
    layouts = memory.lay_out_all(config, placement, images, shared, mistakes)
    mistakes.stop_if_any()
    masters = bus_protection.plan(config, board, owned, shared.memory, mistakes)
    _check_trees(config, board, images, placement.ram, mistakes)
    joined = channels.plan(config, board, shared.of, mistakes)
    for tenant in config.tenants:
        pages = len(joined.devices[tenant.name]) + served.page_count(config, tenant.name)
        guests.check(tenant, board, pages, mistakes)
        guests.check_window(
            tenant,
            placement.memory[tenant.name],
            layouts[tenant.name],
            images[tenant.name].devicetree is not None,
            mistakes,
        )
    vharts = plan_vharts(config, board, shared, owned, joined.devices, mistakes)
    mistakes.stop_if_any()
    decided = _Decided(images, owned, placement, shared, layouts, vharts, joined)
    tenants = tuple(_tenant(each, config, use_sstc, board, decided) for each in config.tenants)
    return System(
        config=config,
        board=board,
        sstc=use_sstc,
        console_mode=console_mode,
        trace_ring=trace_ring,
        ram=placement.ram,
        monitor=placement.monitor,
        harts=harts,
        tenants=tenants,
        channels=joined.all,
        disks=disks,
        pmp=vharts.pmp,
        warnings=(
            *devices.dma_warnings(config, owned),
            *bus_protection.warnings(masters, owned),
            *machine_mode_warnings(config.tenants, images),
            *_machine_mode_warnings(config, vharts, board),
            *windows.warnings(config, board, images, placement.memory, shared),
            *_pmp_warnings(vharts.pmp),
            *_tree_warnings(tenants),
            *_widened_warnings(vharts.widened),
        ),
        masters=masters,
    )


def _pmp_warnings(compiled: dict[int, HartPmp]) -> list[str]:
    return [
        f"the tenants of hart {hart} need {result.together} PMP entries together and it has "
        f"{result.available}: a world switch rewrites addresses, which takes longer; "
        "use memory sizes that are powers of two, and give adjacent devices to one tenant"
        for hart, result in compiled.items()
        if not result.shared
    ]


def _watchdog(tenant: TenantConfig, board: Board) -> Range | None:
    return board.virtual_watchdog_beside_timer if tenant.machine else board.virtual_watchdog


def _check_watchdogs(config: SystemConfig, board: Board, mistakes: Mistakes) -> None:
    for tenant in config.tenants:
        if tenant.watch is not None and _watchdog(tenant, board) is None:
            mistakes.add(
                f"{tenant.key}.watch",
                "a tenant in machine mode has none here: there is no room for a watchdog beside "
                f"the timer of board {board.name}; take it out",
            )


def _machine_mode_warnings(config: SystemConfig, vharts: Vharts, board: Board) -> list[str]:
    """Warn of those whose own PMP entries do nothing: monitor/features/confine/confine.c."""
    used: dict[int, int] = {}
    for each in (vhart for of_tenant in vharts.of.values() for vhart in of_tenant):
        pairs = zip(each.pmp.addresses, each.pmp.configs, strict=True)
        last = max((number for number, pair in enumerate(pairs, 1) if any(pair)), default=0)
        used[each.hart.id] = max(last, used.get(each.hart.id, 0))
    return [
        f"tenant {tenant.name} is in machine mode, and its own PMP entries confine nothing: {why}"
        for tenant in config.tenants
        for hart in tenant.harts
        for why in (_why_unconfined(config, board, hart, used[hart]),)
        if tenant.machine and why is not None
    ]


def _why_unconfined(config: SystemConfig, board: Board, hart: int, used: int) -> str | None:
    spare = board.pmp_entries - used
    if board.pmp_grain != _CONFINED_GRAIN:
        return (
            f"the PMP of board {board.name} has a grain of {board.pmp_grain} bytes, and that takes "
            f"{_CONFINED_GRAIN}"
        )
    for other in config.tenants:
        if other.guests is not None and hart in other.harts:
            return (
                f"the guests of tenant {other.name} take the spare entries of hart {hart}; put the "
                "two tenants on different harts"
            )
    if spare < _SPARE_ENTRIES:
        return (
            f"of the {board.pmp_entries} entries of hart {hart}, {spare} are spare, and that takes "
            f"{_SPARE_ENTRIES}; use memory sizes that are powers of two, fewer tenants on that "
            "hart, or adjacent devices"
        )
    return None


def _check_trees(
    config: SystemConfig,
    board: Board,
    images: dict[str, TenantImages],
    ram: Range,
    mistakes: Mistakes,
) -> None:
    for tenant in config.tenants:
        data = images[tenant.name].devicetree
        if data is not None:
            harts = [hart for hart in board.harts if hart.id in tenant.harts]
            complain = partial(mistakes.add, f"{tenant.key}.devicetree")
            board_tree.check(data, board, harts, ram, complain)


def _tree_warnings(tenants: Sequence[TenantPlan]) -> list[str]:
    return [
        f"in the device tree of tenant {tenant.name}, {sentence}"
        for tenant in tenants
        for sentence in tenant.wanting
    ]


def _widened_warnings(names: Sequence[str]) -> list[str]:
    return [
        f"tenant {name} reaches what is between its devices and nobody's, too: the harts have too "
        "few PMP entries for its devices alone"
        for name in names
    ]


def _random_seed(seed: int | None, tenant: str) -> bytes:
    """Return where a tenant's random numbers start: the same from the same `seed`."""
    if seed is None:
        return secrets.token_bytes(_RANDOM_SEED_SIZE)
    return hashlib.sha256(f"{seed} {tenant}".encode()).digest()


def _tenant(
    tenant: TenantConfig, config: SystemConfig, sstc: bool, board: Board, decided: _Decided
) -> TenantPlan:
    name = tenant.name
    layout = decided.layouts[name]
    vharts = decided.vharts.of[name]
    contexts = [vhart.interrupts.plic_context for vhart in vharts]
    machine_contexts = [vhart.interrupts.machine_context for vhart in vharts]
    view = devicetree.TenantView(
        name=name,
        memory=decided.windows.memory[name],
        devices=decided.owned[name],
        virtual_devices=decided.channels.devices[name],
        windows=decided.channels.windows_of(name),
        arguments=tenant.arguments,
        initrd=layout.initrd,
        fp=tenant.fp,
        vector=vectors.are_shown(tenant, board),
        sstc=sstc,
        uart_source=interrupts.uart_source(tenant, [vhart.interrupts for vhart in vharts], board),
        watchdog=None if tenant.watch is None else _watchdog(tenant, board),
        guests=guests.registers(tenant, board),
        guest_window=guests.window(tenant, decided.placement.memory[name]),
        clients=served.view(
            config, decided.windows.memory, name, board, len(decided.channels.devices[name])
        ),
        vharts=len(vharts),
        plic_contexts=tuple(context for context in contexts if context is not None),
        machine_contexts=tuple(context for context in machine_contexts if context is not None),
        random_seed=_random_seed(config.seed, name),
        machine=tenant.machine,
        s_mode=tenant.s_mode,
    )
    made = _made_tree(tenant, view, board, decided)
    tree_plan = made.plan if tenant.tree_is_handed_over else None
    parts = (*layout.parts, _devicetree_part(layout, name, made.blob, tree_plan is not None))
    return TenantPlan(
        config=tenant,
        memory=decided.placement.memory[name],
        own_memory=view.memory,
        image_kind=decided.images[name].image.kind,
        parts=parts,
        entry=layout.entry,
        devicetree=layout.devicetree.base,
        devices=decided.owned[name],
        uart_source=view.uart_source,
        watchdog=view.watchdog,
        vharts=vharts,
        virtual_devices=view.virtual_devices,
        has_doorbells=bool(view.windows),
        cut=made.cut,
        wanting=(*made.wanting, *_hit(made, parts)),
        own_tree=decided.images[name].devicetree,
        tree_plan=tree_plan,
    )


def _made_tree(
    tenant: TenantConfig, view: devicetree.TenantView, board: Board, decided: _Decided
) -> board_tree.Edited:
    """Return the device tree of a tenant: made, or the board's own."""
    data = decided.images[tenant.name].devicetree
    if data is None:
        return board_tree.Edited(devicetree.build(view, board), (), ())
    foreign = {
        device.name: f"tenant {name}"
        for name, devices_of in decided.owned.items()
        for device in devices_of
        if name != tenant.name
    }
    harts = [vhart.hart for vhart in decided.vharts.of[tenant.name]]
    return board_tree.edit(data, view, board, harts, foreign)


def _hit(made: board_tree.Edited, parts: Sequence[Part]) -> list[str]:
    """Say what of a tenant's parts lies where the vendor has reserved memory."""
    return [
        f"{path} reserves {area}, and the tenant's {part.what} is in it: give its memory another "
        "size or base"
        for path, area in made.reserved
        for part in parts
        if area.overlaps(Range(part.destination, part.memory_size))
    ]


def _devicetree_part(layout: Layout, name: str, tree: bytes, is_handed_over: bool) -> Part:
    """Return the tree, or the room for one like it that is handed over."""
    if len(tree) > layout.devicetree.size:
        raise BuildError(
            f"the device tree of tenant {name} takes {len(tree)} bytes, "
            f"and {layout.devicetree.size} are kept for it; shorten its arguments"
        )
    size = len(tree)
    if is_handed_over:
        size = min(layout.devicetree.size, devicetree_room(size))
    return Part("device tree", layout.devicetree.base, tree.ljust(size, b"\0"), size)
