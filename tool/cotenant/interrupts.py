# SPDX-License-Identifier: BSD-2-Clause
"""How interrupts reach a vhart, and whether it gives its hart away while it waits."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cotenant import abi
from cotenant.board import Board, BoardHart, Device
from cotenant.channels import VirtualDevice
from cotenant.config import GroupConfig, TenantConfig


@dataclass(frozen=True)
class Interrupts:
    """The interrupt side of a vhart."""

    plic_context: int | None
    """Its S-mode context in its tenant's PLIC, which is that of its hart; None: there is no PLIC.
    A tenant in machine mode has the M-mode contexts of the board's first harts instead, in the
    order of its own, or if it has S-mode too, their S-mode contexts."""
    machine_context: int | None
    """Of a tenant with machine mode and S-mode: the M-mode context, beside the other one."""
    passthrough: bool
    wfi_yields: bool


def uart_source(tenant: TenantConfig, routes: Sequence[Interrupts], board: Board) -> int | None:
    """Return the source number of a tenant's virtual UART; None: it has none.

    It is the one of the board's UART, unless the PLIC is passed through to the tenant: the driver
    of Linux reads the enable words at each interrupt, which would trap, because that source must
    not be enabled in a tenant's own context. Such a tenant gets a source without a device, and the
    other one by enabling it, see routing_choose_uart_line() in monitor/features/plic/routing.c.
    """
    if not tenant.uart:
        return None
    if board.uart.source and not any(route.passthrough for route in routes):
        return board.uart.source
    return board.plic.virtual_sources[0]


def decide(
    tenant: TenantConfig,
    sharing: Sequence[TenantConfig],
    hart: BoardHart,
    owned: Sequence[Device | VirtualDevice],
    board: Board,
    group: GroupConfig | None = None,
) -> Interrupts:
    """Decide for the vhart on `hart` of one of the tenants `sharing` that hart; it owns `owned`.

    The claim/complete register is passed through to the vhart of the lowest priority on its hart
    if there is just one, because all others are then more urgent than its interrupts; that vhart
    may idle natively too. The members of a `group`, of which one runs at a time, count as one. It
    takes a PMP entry of 4 bytes. A vhart with a budget yields when it idles, so that its idle time
    is not charged, and a vhart that yields has an emulated PLIC, and so has one with guests: its
    interrupts have to end their turns, and one in machine mode, which has an M-mode context. So
    have then all vharts of its tenant: see agree().
    """
    lowest = min(each.priority for each in sharing)
    members = {tenant.name} if group is None else {tenant.name, *group.members}
    last = {each.name for each in sharing if each.priority == lowest} <= members
    last = last and tenant.priority == lowest
    keeps_hart = last and tenant.budget is None
    context = hart.plic_s_context
    seen = hart
    if tenant.machine:
        seen = board.harts[tenant.harts.index(hart.id)]
        context = seen.plic_s_context if tenant.s_mode else seen.plic_m_context
    wanted = tenant.uart or any(
        isinstance(device, VirtualDevice) or device.interrupts for device in owned
    )
    plic_context = context if wanted else None
    both = wanted and tenant.s_mode and 2 * len(tenant.harts) <= abi.limit("MAX_HARTS")
    return Interrupts(
        plic_context=plic_context,
        machine_context=seen.plic_m_context if both else None,
        passthrough=keeps_hart
        and plic_context is not None
        and board.pmp_grain == 4
        and tenant.guests is None
        and not tenant.machine,
        wfi_yields=not keeps_hart,
    )


def agree(routes: Sequence[Interrupts]) -> tuple[Interrupts, ...]:
    """Return the decisions for all vharts of a tenant, each of which decide() has made by itself.

    The PLIC is passed through to all or to none. A source that one hart's driver claims directly
    and another hart's monitor on its behalf would interrupt that hart, and who is above the tenant
    there, whenever the driver completes it. All or none have an M-mode context beside the other.
    """
    passthrough = all(route.passthrough for route in routes)
    both = all(route.machine_context is not None for route in routes)
    return tuple(
        replace(
            route,
            passthrough=passthrough,
            machine_context=route.machine_context if both else None,
        )
        for route in routes
    )
