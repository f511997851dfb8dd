# SPDX-License-Identifier: BSD-2-Clause
"""The vharts of a system: where each runs, how interrupts reach it, and what it may touch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cotenant import devices, guests, interrupts
from cotenant.board import Board, BoardHart
from cotenant.channels import VirtualDevice
from cotenant.config import SystemConfig, TenantConfig
from cotenant.devices import Ownership
from cotenant.errors import Mistakes
from cotenant.interrupts import Interrupts
from cotenant.pmp.accessmap import AccessMap, for_vhart
from cotenant.pmp.compiler import HartPmp, PmpError, PmpSet, compile_hart
from cotenant.windows import Windows


@dataclass(frozen=True)
class VhartPlan:
    """One vhart. `id`: the hart id that its tenant sees, 0, 1..."""

    id: int
    hart: BoardHart
    interrupts: Interrupts
    access: AccessMap
    pmp: PmpSet


@dataclass(frozen=True)
class Vharts:
    """The vharts of each tenant, by its name and in the order of their ids; the PMP by hart id."""

    of: dict[str, tuple[VhartPlan, ...]]
    pmp: dict[int, HartPmp]


def _routes(
    config: SystemConfig,
    board: Board,
    owned: Ownership,
    virtual: Mapping[str, Sequence[VirtualDevice]],
) -> dict[str, dict[int, Interrupts]]:
    """Return how interrupts reach the vharts of each tenant, by its name and their harts' ids."""
    routes: dict[str, dict[int, Interrupts]] = {}
    for tenant in config.tenants:
        harts = [hart for hart in board.harts if hart.id in tenant.harts]
        single = [
            interrupts.decide(
                tenant,
                [other for other in config.tenants if hart.id in other.harts],
                hart,
                [*owned[tenant.name], *virtual[tenant.name]],
                board,
                config.group_of(tenant.name),
            )
            for hart in harts
        ]
        ids = (hart.id for hart in harts)
        routes[tenant.name] = dict(zip(ids, interrupts.agree(single), strict=True))
    return routes


def _kept_for_guests(sharing: Sequence[TenantConfig], board: Board) -> int:
    """Return the PMP entries of a hart that are kept free for guests of its tenants."""
    return guests.entries(board) if any(tenant.guests for tenant in sharing) else 0


def plan_vharts(
    config: SystemConfig,
    board: Board,
    windows: Windows,
    owned: Ownership,
    virtual: Mapping[str, Sequence[VirtualDevice]],
    mistakes: Mistakes,
) -> Vharts:
    """Decide all vharts; raises ConfigError if the PMP of a hart cannot keep them apart."""
    tenants = config.tenants
    decided = _routes(config, board, owned, virtual)
    compiled: dict[int, HartPmp] = {}
    planned: dict[tuple[str, int], VhartPlan] = {}
    for hart in board.harts:
        sharing = [tenant for tenant in tenants if hart.id in tenant.harts]
        if not sharing:
            continue
        routes = [decided[tenant.name][hart.id] for tenant in sharing]
        maps = [
            for_vhart(
                tenant.name,
                windows.memory[tenant.name],
                windows.shared[tenant.name],
                devices.reached(tenant, owned),
                board,
                hart if route.passthrough else None,
            )
            for tenant, route in zip(sharing, routes, strict=True)
        ]
        try:
            compiled[hart.id] = compile_hart(
                maps, board.pmp_entries, board.pmp_grain, _kept_for_guests(sharing, board)
            )
        except PmpError as error:
            mistakes.add(sharing[error.index].key, error.problem, " or ".join(error.remedies))
            continue
        for tenant, route, access, registers in zip(
            sharing, routes, maps, compiled[hart.id].sets, strict=True
        ):
            number = tenant.harts.index(hart.id)
            planned[tenant.name, hart.id] = VhartPlan(number, hart, route, access, registers)
    mistakes.stop_if_any()
    of = {
        tenant.name: tuple(planned[tenant.name, hart] for hart in tenant.harts)
        for tenant in tenants
    }
    return Vharts(of, compiled)
