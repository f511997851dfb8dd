# SPDX-License-Identifier: BSD-2-Clause
"""A board as data: what the tool and the monitor know of a machine."""

from collections.abc import Mapping
from dataclasses import dataclass

from cotenant.ranges import Range

# The ids that the bundle has room for: 0xffff means none.
HART_ID_HIGH = 0xFFFE
# Bytes of the configuration space of one PCI bus (PCI Express specification, section 7.2.2), and
# the lines that its cards have for interrupts.
PCI_BUS_SIZE = 1 << 20
PCI_INTERRUPTS = 4
# Of the registers of the virtual watchdog, in bytes.
VIRTUAL_WATCHDOG_SIZE = 0x20
# Harts for which the timer of a tenant in machine mode has registers: monitor/features/clint.
_TIMER_HARTS = 4095
_PAGE = 4096

PropertyValue = str | int | bool | tuple[str, ...] | tuple[int, ...]


@dataclass(frozen=True)
class BoardHart:
    """A physical hart: its mhartid and its PLIC contexts (None: it has no such context)."""

    id: int
    plic_m_context: int | None
    plic_s_context: int | None

    @property
    def has_s_mode(self) -> bool:
        """Whether tenants can run on it. S-mode has a context in the PLIC wherever it exists."""
        return self.plic_s_context is not None


@dataclass(frozen=True)
class Aclint:
    """The timer and software-interrupt device: addresses of its registers; `msip` 0: none."""

    range: Range
    mtime: int
    mtimecmp: int
    msip: int


@dataclass(frozen=True)
class Plic:
    """The interrupt controller. `sources`: the highest source number + 1."""

    range: Range
    sources: int
    compatible: tuple[str, ...]
    virtual_sources: tuple[int, ...]
    checks_completions: bool
    """it ignores a completion by a context that has not enabled the source"""

    def enable_words(self, context: int) -> Range:
        """Return the enable bits of a context (PLIC specification, chapter 5)."""
        return Range(self.range.base + 0x2000 + 0x80 * context, 0x80)

    def claim(self, context: int) -> Range:
        """Return the claim/complete register of a context (PLIC specification, chapter 7)."""
        return Range(self.range.base + 0x200000 + 0x1000 * context + 4, 4)


@dataclass(frozen=True)
class Uart:
    """The physical UART, which is the monitor's; tenants see a virtual 16550 at its address."""

    kind: int
    range: Range
    source: int
    register_shift: int
    divisor: int
    clock: int
    setup: tuple[tuple[int, int], ...] = ()
    """addresses and what is written there, 32 bits each, before it is used"""


@dataclass(frozen=True)
class Reset:
    """The device that powers the machine off; without one `range` is None."""

    kind: int
    range: Range | None


@dataclass(frozen=True)
class BusMaster:
    """What puts addresses on the bus and is no hart; a unit of the board knows it by a number."""

    name: str
    number: int
    entries: int
    """regions that the unit can let it reach"""


@dataclass(frozen=True)
class BusProtection:
    """The unit that confines bus masters: what it does not let them reach, they do not reach."""

    kind: int
    range: Range
    masters: Mapping[str, BusMaster]


@dataclass(frozen=True)
class PciWindows:
    """Where the cards on a PCI bus appear in the address space."""

    memory: Range
    """their registers and memory; the same addresses on the bus"""
    ports: Range
    """their I/O ports, which count from 0 on the bus"""


@dataclass(frozen=True)
class Device:
    """A device that a tenant can own: its registers and interrupts go together."""

    name: str
    range: Range
    interrupts: tuple[int, ...]
    dma: bool
    node: str
    properties: Mapping[str, PropertyValue]
    qemu_bus: str | None = None
    """the bus of QEMU that stands for it, if it is a slot for a device; None: it is no slot"""
    qemu_serial: int | None = None
    """the number of QEMU's serial line that it is at, if it is a UART"""
    pci: PciWindows | None = None
    """it is a PCI host bridge, whose registers are the configuration space of its only bus"""
    master: str | None = None
    """the bus master of the board's unit that its DMA comes from"""

    @property
    def compatible(self) -> tuple[str, ...]:
        """What it is compatible with."""
        value = self.properties.get("compatible", ())
        if isinstance(value, str):
            return (value,)
        return tuple(str(each) for each in value) if isinstance(value, tuple) else ()

    @property
    def is_virtio(self) -> bool:
        """Whether it is a virtio device behind the MMIO transport, which can be guarded."""
        return "virtio,mmio" in self.compatible

    @property
    def ranges(self) -> tuple[Range, ...]:
        """All that its owner can touch."""
        windows = () if self.pci is None else (self.pci.memory, self.pci.ports)
        return (self.range, *windows)


@dataclass(frozen=True)
class QemuOptions:
    """How QEMU emulates the board."""

    machine: str
    cpu: str | None
    """None: the machine has its own, which cannot be chosen"""
    memory: int | None
    """bytes that the machine is to be given where that is not the RAM at `ram_base` alone"""
    starts_bundle: bool
    """whether its harts come out of reset into what -bios names; otherwise they are sent there"""
    console: str | None = None
    """the device that is the board's UART; None: the machine has it, and its first serial line"""


@dataclass(frozen=True)
class SdCard:
    """How the board boots from a card: what its boot ROM, and then SPL, look for."""

    spl_type: str
    """the type of the partition that the boot ROM starts, a GUID"""
    spl_sector: int
    """its first sector of 512 bytes"""
    firmware_type: str
    firmware_sector: int
    """the same of what SPL loads"""
    bundle: int
    """where SPL puts the bundle: RAM that it does not use itself"""


@dataclass(frozen=True)
class Board:
    """All that the tool and the monitor know of a machine."""

    id: str
    name: str
    compatible: str
    timebase: int
    isa: tuple[str, ...]
    mmu: str
    envcfg: bool
    sstc: bool
    misaligned: bool
    """the harts make every misaligned load and store in RAM themselves"""
    ram_base: int
    ram_default: int
    ram_limit: int | None
    """the most RAM at `ram_base`; None: no limit is known"""
    vlen: int
    """the bits that a vector register has at most; 0: the harts have none"""
    pmp_entries: int
    pmp_grain: int
    harts: tuple[BoardHart, ...]
    all_harts: bool
    """whether every machine of this kind has all of them; otherwise a system has the first ones"""
    aclint: Aclint
    plic: Plic
    uart: Uart
    reset: Reset
    virtual_devices: Range | None
    """addresses with nothing behind them, for virtual devices; None: there can be none"""
    devices: Mapping[str, Device]
    qemu: QemuOptions | None
    bus_protection: BusProtection | None = None
    """None: no unit confines what its devices reach"""
    sd_card: SdCard | None = None
    """None: it is not known how the board boots from a card"""

    @property
    def has_vectors(self) -> bool:
        """Whether its harts have vector registers."""
        return self.vlen > 0

    @property
    def virtual_watchdog(self) -> Range:
        """Where tenants see a watchdog: in the place of the timer, which no tenant sees."""
        return Range(self.aclint.range.base, VIRTUAL_WATCHDOG_SIZE)

    @property
    def virtual_watchdog_beside_timer(self) -> Range | None:
        """Where those in machine mode do, who see the timer: on its last page, if that is free."""
        timer = self.aclint
        last = timer.range.end - _PAGE
        ends = (timer.mtime + 8, timer.mtimecmp + 8 * _TIMER_HARTS, timer.msip + 4 * _TIMER_HARTS)
        return Range(last, VIRTUAL_WATCHDOG_SIZE) if max(ends) <= last else None

    @property
    def monitor_ranges(self) -> dict[str, Range]:
        """The devices that only the monitor touches, by the names users know them by."""
        ranges = {
            "aclint": self.aclint.range,
            "plic": self.plic.range,
            "uart": self.uart.range,
        }
        if self.reset.range is not None:
            ranges["reset"] = self.reset.range
        if self.bus_protection is not None:
            ranges["bus_protection"] = self.bus_protection.range
        return ranges
