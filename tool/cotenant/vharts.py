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
from cotenant.pmp.compiler import HartPmp, PmpError, PmpSet, compile_hart, surely_too_many
from cotenant.pmp.widened import widened
from cotenant.ranges import Range
from cotenant.windows import Windows

# More RAM than any board has, where its file does not tell of a limit.
_HIGHEST = 1 << 40


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
    widened: tuple[str, ...] = ()
    """tenants that also reach what is between their devices, for want of PMP entries"""


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


Registers = Mapping[str, list[tuple[str, Range]]]
"""by the name of the tenant: names of its devices, and where they are"""


def _registers(tenant: TenantConfig, owned: Ownership) -> list[tuple[str, Range]]:
    return [(each.name, area) for each in devices.reached(tenant, owned) for area in each.ranges]


def _maps(
    sharing: Sequence[TenantConfig],
    routes: Sequence[Interrupts],
    hart: BoardHart,
    board: Board,
    windows: Windows,
    registers: Registers,
) -> list[AccessMap]:
    """Return what each of the tenants of a hart may touch."""
    return [
        for_vhart(
            tenant.name,
            windows.memory[tenant.name],
            windows.shared[tenant.name],
            registers[tenant.name],
            board,
            hart if route.passthrough else None,
        )
        for tenant, route in zip(sharing, routes, strict=True)
    ]


def _fits(maps: Sequence[AccessMap], board: Board, kept: int) -> bool:
    if any(surely_too_many(each, board.pmp_entries - kept) for each in maps):
        return False
    try:
        compile_hart(maps, board.pmp_entries, board.pmp_grain, kept)
    except PmpError:
        return False
    return True


def _closed(
    tenant: TenantConfig, board: Board, owned: Ownership, virtual: Sequence[VirtualDevice]
) -> list[Range]:
    """Return all that has another owner, and where accesses have to trap."""
    reached = devices.reached(tenant, owned)
    closed = [Range(board.ram_base, board.ram_limit or _HIGHEST), *board.monitor_ranges.values()]
    closed += [
        area for each in board.devices.values() if each not in reached for area in each.ranges
    ]
    if board.virtual_devices is not None and (virtual or tenant.guests):
        closed.append(board.virtual_devices)
    return closed


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
    wide: set[str] = set()
    for hart in board.harts:
        sharing = [tenant for tenant in tenants if hart.id in tenant.harts]
        if not sharing:
            continue
        routes = [decided[tenant.name][hart.id] for tenant in sharing]
        kept = _kept_for_guests(sharing, board)
        registers = {tenant.name: _registers(tenant, owned) for tenant in sharing}
        may = [tenant for tenant in sharing if tenant.trusted and tenant.devicetree is not None]
        try:
            maps = _maps(sharing, routes, hart, board, windows, registers)
            if may and not _fits(maps, board, kept):
                for tenant in may:
                    closed = _closed(tenant, board, owned, virtual[tenant.name])
                    own = [area for _, area in registers[tenant.name]]
                    what = f"devices of {tenant.name}"
                    registers[tenant.name] = [(what, area) for area in widened(own, closed)]
                    wide.add(tenant.name)
                maps = _maps(sharing, routes, hart, board, windows, registers)
            compiled[hart.id] = compile_hart(maps, board.pmp_entries, board.pmp_grain, kept)
        except PmpError as error:
            mistakes.add(sharing[error.index].key, error.problem, " or ".join(error.remedies))
            continue
        for tenant, route, access, entries in zip(
            sharing, routes, maps, compiled[hart.id].sets, strict=True
        ):
            number = tenant.harts.index(hart.id)
            planned[tenant.name, hart.id] = VhartPlan(number, hart, route, access, entries)
    mistakes.stop_if_any()
    of = {
        tenant.name: tuple(planned[tenant.name, hart] for hart in tenant.harts)
        for tenant in tenants
    }
    return Vharts(of, compiled, tuple(each.name for each in tenants if each.name in wide))
