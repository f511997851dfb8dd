# SPDX-License-Identifier: BSD-2-Clause
"""How a tenant's interrupts reach it, and whether it gives its hart away while it waits."""

from collections.abc import Sequence
from dataclasses import dataclass

from cotenant.board import Board, BoardHart, Device
from cotenant.config import TenantConfig


@dataclass(frozen=True)
class Interrupts:
    """The interrupt side of a tenant's vhart."""

    uart_source: int | None
    """Source number of its virtual UART; None: it has none."""
    plic_context: int | None
    """Its S-mode context in its PLIC; None: it has no PLIC."""
    passthrough: bool
    wfi_yields: bool


def decide(
    tenant: TenantConfig,
    sharing: Sequence[TenantConfig],
    hart: BoardHart,
    owned: Sequence[Device],
    board: Board,
) -> Interrupts:
    """Decide for one of the tenants `sharing` a hart.

    The claim/complete register is passed through to the vhart of the lowest priority on its hart
    if there is just one, because all others are then more urgent than its interrupts; that vhart
    may idle natively too. It takes a PMP entry of 4 bytes. A vhart with a budget yields when it
    idles, so that its idle time is not charged, and a vhart that yields has an emulated PLIC.
    """
    lowest = min(each.priority for each in sharing)
    last = [each for each in sharing if each.priority == lowest] == [tenant]
    keeps_hart = last and tenant.budget is None
    context = hart.plic_s_context
    wanted = tenant.uart or any(device.interrupts for device in owned)
    plic_context = context if wanted else None
    return Interrupts(
        uart_source=board.plic.virtual_sources[0] if tenant.uart else None,
        plic_context=plic_context,
        passthrough=keeps_hart and plic_context is not None and board.pmp_grain == 4,
        wfi_yields=not keeps_hart,
    )
