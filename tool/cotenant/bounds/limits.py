# SPDX-License-Identifier: BSD-2-Clause
"""What bounds the loops of a system's monitor: there are as many tenants and vharts as it has."""

from cotenant.plan import System

_WORD_BITS = 32


def limits_of(system: System) -> dict[str, int]:
    """Return the limits of abi/limits.h that are lower in a system, and one that is its own."""
    vharts = [vhart.hart.id for tenant in system.tenants for vhart in tenant.vharts]
    return {
        "MAX_TENANTS": len(system.tenants),
        "MAX_HARTS": len(system.harts),
        "MAX_VHARTS": len(vharts),
        "MAX_VHARTS_PER_HART": max(vharts.count(hart) for hart in set(vharts)),
        # Of the PLIC of a tenant, which has those of its machine mode, too.
        "MAX_CONTEXTS": max(len(each.vharts) * (1 + each.config.s_mode) for each in system.tenants),
        "SOURCE_WORDS": system.board.plic.sources // _WORD_BITS + 1,
    }
