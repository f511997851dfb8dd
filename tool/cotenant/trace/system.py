# SPDX-License-Identifier: BSD-2-Clause
"""The system that a trace is of, as its bundle describes it."""

from ctypes import sizeof
from dataclasses import dataclass
from pathlib import Path

from cotenant.abi import bundle as constant
from cotenant.bundle_struct import Bundle, BundleTenant, MonitorHeader
from cotenant.errors import TraceError
from cotenant.units import align_up

PAGE = 4096


@dataclass(frozen=True)
class TracedTenant:
    """A tenant and its virtual devices: name and address of each."""

    name: str
    devices: tuple[tuple[str, int], ...]

    def device_at(self, address: int) -> tuple[str, int] | None:
        """Return the name of the device at a physical address and the offset in it."""
        below = [(name, base) for name, base in self.devices if base <= address]
        if not below:
            return None
        name, base = max(below, key=lambda device: device[1])
        return name, address - base


@dataclass(frozen=True)
class TracedSystem:
    """What the numbers in a trace mean, and where it is recorded."""

    tenants: tuple[TracedTenant, ...]
    vharts: tuple[tuple[int, int], ...]
    """of each vhart: index of its tenant, and the hart id that the tenant sees"""
    harts: tuple[int, ...]
    """mhartid of each hart"""
    timebase_hz: int
    base: int
    ring_size: int

    @property
    def size(self) -> int:
        """Bytes of all rings together."""
        return self.ring_size * len(self.harts)

    def vhart_name(self, index: int) -> str:
        """Return the tenant's name, with the hart id if the tenant has more than one."""
        tenant, hart_id = self.vharts[index]
        shared = sum(other == tenant for other, _ in self.vharts) > 1
        return self.tenants[tenant].name + (f" hart {hart_id}" if shared else "")

    def tenant_of(self, vhart: int) -> TracedTenant:
        """Return the tenant of a vhart."""
        return self.tenants[self.vharts[vhart][0]]


def _tenant(tenant: BundleTenant) -> TracedTenant:
    devices = []
    if tenant.flags & constant("TENANT_UART"):
        devices.append(("UART", tenant.uart_base))
    if tenant.plic_base:
        devices.append(("PLIC", tenant.plic_base))
    return TracedTenant(tenant.name.decode(), tuple(devices))


def read_bundle(path: Path) -> TracedSystem:
    """Return the system of a bundle file. Raises TraceError if it records nothing."""
    data = path.read_bytes()
    start = align_up(MonitorHeader.from_buffer_copy(data).image_size, PAGE)
    if len(data) < start + sizeof(Bundle):
        raise TraceError(f"{path} is not a bundle: it is too short")
    bundle = Bundle.from_buffer_copy(data, start)
    if bundle.magic != constant("BUNDLE_MAGIC"):
        raise TraceError(f"{path} is not a bundle")
    if not bundle.trace.ring_size:
        raise TraceError(f"{path} was built without room for a trace: build it with --trace 1M")
    board = bundle.board
    return TracedSystem(
        tenants=tuple(_tenant(each) for each in bundle.tenants[: bundle.tenant_count]),
        vharts=tuple((each.tenant, each.id) for each in bundle.vharts[: bundle.vhart_count]),
        harts=tuple(each.id for each in board.harts[: board.hart_count]),
        timebase_hz=board.timebase_hz,
        base=bundle.trace.base,
        ring_size=bundle.trace.ring_size,
    )
