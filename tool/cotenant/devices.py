# SPDX-License-Identifier: BSD-2-Clause
"""Who owns which device: by name or pattern, each device by one tenant, whole."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from cotenant.board import Board, Device
from cotenant.config import TenantConfig
from cotenant.errors import Mistakes
from cotenant.reader import suggestion

Ownership = dict[str, tuple[Device, ...]]


def assign(board: Board, tenants: Sequence[TenantConfig], mistakes: Mistakes) -> Ownership:
    """Return each tenant's devices in the order of their addresses."""
    owners: dict[str, str] = {}
    owned: Ownership = {}
    for tenant in tenants:
        names: set[str] = set()
        for pattern in tenant.devices:
            names.update(_matches(board, tenant, pattern, mistakes))
        for name in sorted(names):
            if name in owners:
                mistakes.add(
                    f"{tenant.key}.devices",
                    f'"{name}" already belongs to tenant "{owners[name]}"',
                    "leave it to one of the two: a device has one owner",
                )
            owners.setdefault(name, tenant.name)
        devices = [board.devices[name] for name in names if owners[name] == tenant.name]
        owned[tenant.name] = tuple(sorted(devices, key=lambda device: device.range.base))
    return owned


def _matches(board: Board, tenant: TenantConfig, pattern: str, mistakes: Mistakes) -> list[str]:
    """Return the names of the devices that a pattern means; none is a mistake."""
    found = [name for name in board.devices if fnmatchcase(name, pattern)]
    if found:
        return found
    key = f"{tenant.key}.devices"
    if pattern in board.monitor_ranges:
        remedy = "remove it"
        if pattern == "uart":
            remedy += ": the tenant has a virtual one (uart = true)"
        mistakes.add(key, f'"{pattern}" is the monitor\'s own and cannot be given away', remedy)
    elif any(character in pattern for character in "*?["):
        mistakes.add(
            key, f'no device of {board.id} matches "{pattern}"', suggestion("", board.devices)
        )
    else:
        mistakes.add(key, f'unknown device "{pattern}"', suggestion(pattern, board.devices))
    return []


def dma_warnings(owned: Ownership) -> list[str]:
    """Say which tenants own devices that PMP cannot hold back."""
    warnings = []
    for tenant, devices in owned.items():
        names = [device.name for device in devices if device.dma]
        if names:
            warnings.append(
                f"tenant {tenant} owns {', '.join(names)}: these read and write memory by "
                "themselves, which PMP does not stop; give them to a trusted tenant only"
            )
    return warnings
