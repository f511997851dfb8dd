# SPDX-License-Identifier: BSD-2-Clause
"""Who owns which device: by name or pattern, each device by one tenant, whole.

What a group owns belongs to each of its members, of which one runs at a time.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from cotenant.board import Board, Device
from cotenant.config import GroupConfig, SystemConfig, TenantConfig
from cotenant.errors import Mistakes
from cotenant.reader import suggestion

RESETS = {
    "virtio,mmio": "DEVICE_RESET_VIRTIO_MMIO",
    "google,goldfish-rtc": "DEVICE_RESET_GOLDFISH_RTC",
    "pci-host-ecam-generic": "DEVICE_RESET_PCI",
    "ns16550a": "DEVICE_RESET_NS16550",
}
"""what the monitor knows how to reset, by what it is compatible with, and how"""

Ownership = dict[str, tuple[Device, ...]]


def assign(
    board: Board,
    tenants: Sequence[TenantConfig],
    groups: Sequence[GroupConfig],
    mistakes: Mistakes,
) -> Ownership:
    """Return each tenant's devices in the order of their addresses."""
    owners: dict[str, str] = {}
    holders: list[GroupConfig | TenantConfig] = [*groups, *tenants]
    for holder in holders:
        key = f"{holder.key}.devices"
        names: set[str] = set()
        for pattern in holder.devices:
            names.update(_matches(board, key, pattern, mistakes))
        for name in sorted(names):
            if name in owners:
                kind, _, owner = owners[name].partition(".")
                mistakes.add(
                    key,
                    f'"{name}" already belongs to {kind} "{owner}"',
                    "leave it to one of the two: a device has one owner",
                )
            owners.setdefault(name, holder.key)
    owned: Ownership = {}
    for tenant in tenants:
        keys = {tenant.key, *(group.key for group in groups if tenant.name in group.members)}
        devices = [board.devices[name] for name, owner in owners.items() if owner in keys]
        owned[tenant.name] = tuple(sorted(devices, key=lambda device: device.range.base))
    return owned


def _matches(board: Board, key: str, pattern: str, mistakes: Mistakes) -> list[str]:
    """Return the names of the devices that a pattern means; none is a mistake."""
    found = [name for name in board.devices if fnmatchcase(name, pattern)]
    if found:
        return found
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


def is_guarded(tenant: TenantConfig, device: Device) -> bool:
    """Tell whether the monitor is between a tenant and its device: see features/guard."""
    return device.is_virtio and not tenant.trusted


def reached(tenant: TenantConfig, owned: Ownership) -> tuple[Device, ...]:
    """Return the devices of a tenant whose registers it touches itself."""
    return tuple(device for device in owned[tenant.name] if not is_guarded(tenant, device))


def confined_by(config: SystemConfig, tenant: TenantConfig, device: Device) -> str | None:
    """Tell what keeps a device of a tenant away from foreign memory; None: it reaches none."""
    if not device.dma or (device.qemu_bus is not None and device.name not in config.qemu_devices):
        return None
    if is_guarded(tenant, device):
        return "guard"
    return "nothing" if device.master is None else "unit"


def dma_warnings(config: SystemConfig, owned: Ownership) -> list[str]:
    """Say which tenants own devices that nothing holds back, and are not trusted with them."""
    warnings = []
    for tenant in config.tenants:
        names = [
            device.name
            for device in owned[tenant.name]
            if confined_by(config, tenant, device) == "nothing" and not tenant.trusted
        ]
        if names:
            warnings.append(
                f"tenant {tenant.name} owns {', '.join(names)}: nothing stops what such a device "
                "reads and writes in memory; if the tenant may have it, write trusted = true"
            )
    return warnings
