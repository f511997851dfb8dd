# SPDX-License-Identifier: BSD-2-Clause
"""A system that has been checked: every address, owner and PMP entry is decided."""

from dataclasses import dataclass
from pathlib import Path

from cotenant import abi, vectors
from cotenant.board import Board, BoardHart, Device
from cotenant.bus_protection import MasterPlan
from cotenant.channels import Channel, VirtualDevice
from cotenant.config import SystemConfig, TenantConfig
from cotenant.layout import Part
from cotenant.pmp.compiler import HartPmp
from cotenant.ranges import Range
from cotenant.vharts import VhartPlan


@dataclass(frozen=True)
class TenantPlan:
    """One tenant. `parts` holds its device tree too; `vharts` are in the order of their ids."""

    config: TenantConfig
    memory: Range
    """Its place, with the windows of channels that are in it."""
    own_memory: tuple[Range, ...]
    """The parts of its place that are its memory."""
    image_kind: str
    parts: tuple[Part, ...]
    entry: int
    devicetree: int
    devices: tuple[Device, ...]
    uart_source: int | None
    """Source number of its virtual UART; None: it has none."""
    watchdog: Range | None
    """Where it sees a virtual watchdog; None: it has none."""
    vharts: tuple[VhartPlan, ...]
    virtual_devices: tuple[VirtualDevice, ...]
    has_doorbells: bool
    cut: tuple[str, ...] = ()
    """What was cut of the board's own device tree, in sentences; none if its tree is a made one."""
    wanting: tuple[str, ...] = ()
    """What it keeps of that tree, and lacks something that was cut."""
    own_tree: bytes | None = None
    """That tree as the file has it."""
    tree_plan: bytes | None = None
    """How the monitor edits the one that is handed over at boot; None: the edited one is a part."""

    @property
    def name(self) -> str:
        """The tenant's name."""
        return self.config.name

    @property
    def image_base(self) -> int:
        """The lowest address of its image."""
        return min(part.destination for part in self.parts if part.what == "image")

    @property
    def has_plic(self) -> bool:
        """Whether it sees an interrupt controller."""
        return any(vhart.interrupts.plic_context is not None for vhart in self.vharts)


@dataclass(frozen=True)
class System:
    """A valid system, ready to be built."""

    config: SystemConfig
    board: Board
    sstc: bool
    console_mode: str
    trace_ring: int
    """Bytes in which the monitor records what happens on each hart; 0: not at all."""
    ram: Range
    monitor: Range
    harts: tuple[BoardHart, ...]
    """The harts of the machine that is asked for; those without a vhart are parked."""
    tenants: tuple[TenantPlan, ...]
    channels: tuple[Channel, ...]
    disks: dict[str, Path]
    """Files of the disks that QEMU plugs in, by slot."""
    pmp: dict[int, HartPmp]
    """By hart id; only harts that have vharts."""
    warnings: tuple[str, ...]
    masters: tuple[MasterPlan, ...] = ()
    """All that the board's unit confines, in the order of their numbers."""

    @property
    def path(self) -> Path:
        """The file that describes it."""
        return self.config.path

    @property
    def focus(self) -> int:
        """Index of the tenant that has the keyboard at boot."""
        names = [tenant.name for tenant in self.tenants]
        return names.index(self.config.console.focus) if self.config.console.focus else 0

    def group_number(self, tenant: TenantPlan) -> int | None:
        """Return the number of a tenant's group, in the order of the file; None: it has none."""
        group = self.config.group_of(tenant.name)
        return None if group is None else self.config.groups.index(group)

    def starts_at_boot(self, tenant: TenantPlan) -> bool:
        """Tell whether the monitor starts a tenant: of a group, one at most."""
        group = self.config.group_of(tenant.name)
        first = group is None or self.config.active_at_boot(group) == tenant.name
        return tenant.config.autostart and first and tenant.config.served_by is None

    @property
    def own_trees(self) -> tuple[bytes, ...]:
        """Return the board's own device trees that tenants name, as their files have them."""
        found = (tenant.own_tree for tenant in self.tenants)
        return tuple(tree for tree in found if tree is not None)

    @property
    def boot_hart(self) -> int:
        """Index into `harts` of the hart that boots the machine: the first tenant's first one."""
        return self.harts.index(self.tenants[0].vharts[0].hart)

    def sharing(self, hart: int) -> list[tuple[TenantPlan, VhartPlan]]:
        """Return the vharts of the hart with this id, with their tenants."""
        return [
            (tenant, vhart)
            for tenant in self.tenants
            for vhart in tenant.vharts
            if vhart.hart.id == hart
        ]

    @property
    def trace(self) -> Range:
        """Where the monitor records what happens: a ring for each hart, at its memory's end."""
        size = self.trace_ring * len(self.harts)
        return Range(self.monitor.end - size, size)

    @property
    def vector_size(self) -> int:
        """Bytes in which the monitor keeps a vhart's vector registers; 0: no tenant has any."""
        return vectors.size_of_each(self.config.tenants, self.board)

    @property
    def vector_area(self) -> Range:
        """Where the monitor keeps those of all vharts: before the trace."""
        size = vectors.size_of_all(self.config.tenants, self.board)
        return Range(self.trace.base - size, size)

    @property
    def board_flags(self) -> int:
        """COTENANT_BOARD_* of abi/bundle.h."""
        isa = self.board.isa
        present = {
            "BOARD_SSTC": self.sstc,
            "BOARD_ENVCFG": self.board.envcfg,
            "BOARD_FP": "f" in isa and "d" in isa,
            "BOARD_SVPBMT": "svpbmt" in isa,
            "BOARD_ZICBO": "zicbom" in isa and "zicboz" in isa,
            "BOARD_VECTOR": self.board.has_vectors,
            "BOARD_PLIC_CHECKED": self.board.plic.checks_completions,
        }
        return sum(abi.bundle(name) for name, set_ in present.items() if set_)
