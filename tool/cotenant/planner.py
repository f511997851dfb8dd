# SPDX-License-Identifier: BSD-2-Clause
"""From a description to a plan: asks each module in turn and gathers the mistakes.

Mistakes of one stage are reported together; a later stage is tried only if what it builds on is
sound, so that one mistake does not cause a dozen sentences.
"""

import hashlib
import secrets
from dataclasses import dataclass

from cotenant import devices, devicetree, interrupts, memory, pmp, qemu_devices
from cotenant.accessmap import AccessMap, for_vhart
from cotenant.board import Board, BoardHart
from cotenant.config import SystemConfig, TenantConfig
from cotenant.devices import Ownership
from cotenant.errors import BuildError, ConfigError, Mistakes
from cotenant.inputs import TenantImages, harts_of, read_images, sstc_of
from cotenant.interrupts import Interrupts
from cotenant.layout import Layout, Part
from cotenant.placement import Placement
from cotenant.plan import System, TenantPlan
from cotenant.pmp import HartPmp, PmpError, PmpSet

# As many bytes as Linux's generator has of state.
_RANDOM_SEED_SIZE = 32


@dataclass(frozen=True)
class _Decided:
    """What is decided about all tenants, by their names."""

    images: dict[str, TenantImages]
    owned: Ownership
    placement: Placement
    layouts: dict[str, Layout]
    interrupts: dict[str, Interrupts]
    maps: dict[str, AccessMap]
    registers: dict[str, PmpSet]


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
    harts = harts_of(config, board, mistakes)
    owned = devices.assign(board, config.tenants, mistakes)
    qemu_devices.check(config, board, owned, mistakes)
    use_sstc = sstc_of(config, board, sstc, mistakes)
    requests = memory.requests_of(config, images, mistakes)
    mistakes.stop_if_any()
    placement = memory.settle(config, board, requests, images, trace_ring * len(harts), mistakes)
    layouts = memory.lay_out_all(config, placement, images, mistakes)
    mistakes.stop_if_any()
    routes = _routes(config, board, owned)
    maps = _access_maps(config, board, placement, owned, routes)
    compiled = _compile(config, board, maps, mistakes)
    mistakes.stop_if_any()
    registers = {
        tenant.name: compiled[hart].sets[index]
        for hart, sharing in _by_hart(config).items()
        for index, tenant in enumerate(sharing)
    }
    decided = _Decided(images, owned, placement, layouts, routes, maps, registers)
    return System(
        config=config,
        board=board,
        sstc=use_sstc,
        console_mode=console_mode,
        trace_ring=trace_ring,
        ram=placement.ram,
        monitor=placement.monitor,
        harts=harts,
        tenants=tuple(
            _tenant(each, board, use_sstc, decided, _random_seed(config.seed, each.name))
            for each in config.tenants
        ),
        pmp=compiled,
        warnings=(*devices.dma_warnings(owned), *_pmp_warnings(compiled)),
    )


def _hart(board: Board, tenant: TenantConfig) -> BoardHart:
    return next(hart for hart in board.harts if hart.id == tenant.hart)


def _by_hart(config: SystemConfig) -> dict[int, list[TenantConfig]]:
    """Return the tenants of each hart that has any, by hart id."""
    harts = sorted({tenant.hart for tenant in config.tenants})
    return {hart: [each for each in config.tenants if each.hart == hart] for hart in harts}


def _routes(config: SystemConfig, board: Board, owned: Ownership) -> dict[str, Interrupts]:
    return {
        tenant.name: interrupts.decide(
            tenant, sharing, _hart(board, tenant), owned[tenant.name], board
        )
        for sharing in _by_hart(config).values()
        for tenant in sharing
    }


def _access_maps(
    config: SystemConfig,
    board: Board,
    placement: Placement,
    owned: Ownership,
    routes: dict[str, Interrupts],
) -> dict[str, AccessMap]:
    return {
        tenant.name: for_vhart(
            tenant.name,
            [placement.memory[tenant.name]],
            owned[tenant.name],
            board,
            _hart(board, tenant) if routes[tenant.name].passthrough else None,
        )
        for tenant in config.tenants
    }


def _compile(
    config: SystemConfig, board: Board, maps: dict[str, AccessMap], mistakes: Mistakes
) -> dict[int, HartPmp]:
    """Return the PMP registers by hart id."""
    compiled = {}
    for hart, sharing in _by_hart(config).items():
        try:
            compiled[hart] = pmp.compile_hart(
                [maps[tenant.name] for tenant in sharing], board.pmp_entries, board.pmp_grain
            )
        except PmpError as error:
            mistakes.add(sharing[error.index].key, error.problem, " or ".join(error.remedies))
    return compiled


def _pmp_warnings(compiled: dict[int, HartPmp]) -> list[str]:
    return [
        f"the tenants of hart {hart} need {result.together} PMP entries together and it has "
        f"{result.available}: a world switch rewrites addresses, which takes longer; "
        "use memory sizes that are powers of two, and give adjacent devices to one tenant"
        for hart, result in compiled.items()
        if not result.shared
    ]


def _random_seed(seed: int | None, tenant: str) -> bytes:
    """Return where a tenant's random numbers start: the same from the same `seed`."""
    if seed is None:
        return secrets.token_bytes(_RANDOM_SEED_SIZE)
    return hashlib.sha256(f"{seed} {tenant}".encode()).digest()


def _tenant(
    tenant: TenantConfig, board: Board, sstc: bool, decided: _Decided, random_seed: bytes
) -> TenantPlan:
    name = tenant.name
    layout = decided.layouts[name]
    route = decided.interrupts[name]
    view = devicetree.TenantView(
        name=name,
        memory=[decided.placement.memory[name]],
        devices=decided.owned[name],
        arguments=tenant.arguments,
        initrd=layout.initrd,
        fp=tenant.fp,
        sstc=sstc,
        uart_source=route.uart_source,
        vharts=1,
        plic_contexts=[] if route.plic_context is None else [route.plic_context],
        random_seed=random_seed,
    )
    return TenantPlan(
        config=tenant,
        memory=decided.placement.memory[name],
        image_kind=decided.images[name].image.kind,
        parts=(*layout.parts, _devicetree_part(layout, view, board)),
        entry=layout.entry,
        devicetree=layout.devicetree.base,
        devices=decided.owned[name],
        hart=_hart(board, tenant),
        interrupts=route,
        access=decided.maps[name],
        pmp=decided.registers[name],
    )


def _devicetree_part(layout: Layout, view: devicetree.TenantView, board: Board) -> Part:
    tree = devicetree.build(view, board)
    if len(tree) > layout.devicetree.size:
        raise BuildError(
            f"the device tree of tenant {view.name} takes {len(tree)} bytes, "
            f"and {layout.devicetree.size} are kept for it; shorten its arguments"
        )
    return Part("device tree", layout.devicetree.base, tree, len(tree))
