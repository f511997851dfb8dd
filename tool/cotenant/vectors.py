# SPDX-License-Identifier: BSD-2-Clause
"""Vector registers: which tenants may use them, and the memory in which the monitor keeps them."""

from collections.abc import Sequence

from cotenant import abi
from cotenant.board import Board
from cotenant.config import PAGE, TenantConfig
from cotenant.errors import Mistakes
from cotenant.units import align_up

_REGISTERS = 32


def are_kept(tenant: TenantConfig, board: Board) -> bool:
    """Tell whether a tenant's vector registers are its own: it has not promised to leave them."""
    return board.has_vectors and tenant.fp and tenant.vector is not False


def are_shown(tenant: TenantConfig, board: Board) -> bool:
    """Tell whether its device tree lists them: a tenant in machine mode cannot turn them on."""
    return are_kept(tenant, board) and not tenant.machine


def check(tenant: TenantConfig, board: Board, mistakes: Mistakes) -> None:
    """Note a key that asks for what there is not."""
    key = f"{tenant.key}.vector"
    if tenant.vector and not board.has_vectors:
        mistakes.add(key, f"{board.id} has no vector registers", "take it out")
    elif tenant.vector and tenant.machine:
        mistakes.add(key, "machine mode has none", "take it out")


def size_of_each(tenants: Sequence[TenantConfig], board: Board) -> int:
    """Return the bytes for the registers of each vhart; 0: no tenant has any."""
    if not any(are_kept(tenant, board) for tenant in tenants):
        return 0
    return abi.bundle("VECTORS_HEAD") + _REGISTERS * board.vlen // 8


def size_of_all(tenants: Sequence[TenantConfig], board: Board) -> int:
    """Return the bytes, whole pages, for those of all vharts: the tenants', then their guests'."""
    vharts = sum(len(tenant.harts) for tenant in tenants)
    vharts += sum(each.guests.count * each.guests.harts for each in tenants if each.guests)
    return align_up(vharts * size_of_each(tenants, board), PAGE)
