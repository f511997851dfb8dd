# SPDX-License-Identifier: BSD-2-Clause
"""What bounds the loops of a system's monitor: there are as many tenants and vharts as it has."""

from cotenant.plan import System

_WORD_BITS = 32


def limits_of(system: System) -> dict[str, int]:
    """Return the limits of abi/limits.h that are lower in a system, and those of its own."""
    tenants = system.tenants
    guests = [each.config.guests for each in tenants if each.config.guests is not None]
    # Each vhart of a host can have one of a guest in its place, which is in the hart's lists too.
    vharts = [
        vhart.hart.id
        for tenant in tenants
        for vhart in tenant.vharts
        for _ in range(1 if tenant.config.guests is None else 2)
    ]
    ends = [each.ends for each in system.channels]
    own = [vhart.hart.id for tenant in tenants for vhart in tenant.vharts]
    # Mail for a guest's vhart stays where it was left when that moves to another hart.
    of_guests = sum(each.count * each.harts for each in guests)
    contexts = [len(each.vharts) * (1 + each.config.s_mode) for each in tenants]
    return {
        "MAX_TENANTS": len(tenants) + sum(each.count for each in guests),
        "MAX_HARTS": len(system.harts),
        "MAX_VHARTS": len(own) + of_guests,
        "MAX_MAIL": max(map(own.count, own)) + of_guests,
        "MAX_VHARTS_PER_HART": max(vharts.count(hart) for hart in set(vharts)),
        # Of the PLIC of a tenant, which has those of its machine mode, too, or of a guest.
        "MAX_CONTEXTS": max(*contexts, *(each.harts for each in guests), 1),
        "MAX_VIRTUAL_DEVICES": sum(len(each.virtual_devices) for each in tenants),
        # Of one tenant, the ports of one device, and the ends of one channel.
        "TENANT_VIRTUAL_DEVICES": max(len(each.virtual_devices) for each in tenants),
        "MAX_PORTS": max((1 + end.port for each in ends for end in each), default=0),
        "MAX_CHANNEL_ENDS": max((len(each) for each in ends), default=0),
        "OWN_SOURCES": max(
            sum(len(device.interrupts) for device in each.devices) for each in tenants
        ),
        "SOURCE_WORDS": system.board.plic.sources // _WORD_BITS + 1,
    }
