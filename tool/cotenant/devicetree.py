# SPDX-License-Identifier: BSD-2-Clause
"""The device tree of each tenant: the machine as that tenant sees it, and nothing else.

Bindings are those of the Devicetree Specification v0.4 and of Linux' Documentation/devicetree.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import fdt

from cotenant import abi, flat_tree
from cotenant.board import PCI_INTERRUPTS, Board, Device, PciWindows, PropertyValue
from cotenant.channels import VirtualDevice, WindowEnd
from cotenant.ranges import Range
from cotenant.served import Client

PLIC_PHANDLE = 1
# "No interrupt": marks the PLIC contexts that are not the tenant's.
_NO_INTERRUPT = 0xFFFF_FFFF
_SUPERVISOR_EXTERNAL = 9
_MACHINE_SOFTWARE, _MACHINE_TIMER, _MACHINE_EXTERNAL = 3, 7, 11
_TEST_PHANDLE = 0x100
_TEST_OFF, _TEST_RESET = 0x5555, 0x7777
_FP_EXTENSIONS = ("f", "d")
_VECTOR = ("v", "zv")  # and what begins with it
_UART_SIZE = 0x100
# Kinds of addresses on a PCI bus, and what card number 1 is in them (IEEE Std 1275).
_PCI_PORTS = 0x0100_0000
_PCI_MEMORY = 0x0200_0000
_PCI_CARD = 1 << 11
WATCHDOG = "allwinner,sun6i-a31-wdt"
HOSTED = "cotenant,hosted"
CHANNEL = "cotenant,memory-channel"
SERVED = "cotenant,served"
"""what the virtual watchdog, the registers for guests and others, and a window are compatible with
"""
GUEST_MEMORY = "cotenant,guest-memory"
"""what the memory that a kernel leaves to guests is compatible with"""


@dataclass(frozen=True)
class TenantView:
    """What a tenant is told about its machine."""

    name: str
    memory: tuple[Range, ...]
    devices: Sequence[Device]
    virtual_devices: tuple[VirtualDevice, ...]
    windows: tuple[WindowEnd, ...]
    arguments: str
    initrd: Range | None
    fp: bool
    vector: bool
    sstc: bool
    uart_source: int | None
    """Source number of its virtual UART; None: it has none."""
    watchdog: Range | None
    """Where its virtual watchdog is; None: it has none."""
    guests: Range | None
    """Where its registers for guests are; None: it has none."""
    vharts: int
    """how many harts it has, with the ids 0, 1..."""
    plic_contexts: Sequence[int]
    """S-mode contexts of its harts in its PLIC, in the order of their ids; empty: it has no PLIC.
    M-mode contexts of a tenant in machine mode without S-mode."""
    random_seed: bytes
    """Random bytes, a multiple of 4 of them, for a kernel that has no other source yet."""
    clients: tuple[Client, ...] = ()
    """Whose devices it serves."""
    guest_window: Range | None = None
    """What of its memory its kernel leaves to guests."""
    machine: bool = False
    """Whether it sees machine mode."""
    s_mode: bool = False
    """With machine: whether it sees supervisor mode too."""
    machine_contexts: Sequence[int] = ()
    """With s_mode: M-mode contexts of its harts in its PLIC, beside the others."""

    @property
    def supervisor(self) -> bool:
        """Whether it sees supervisor mode."""
        return self.s_mode or not self.machine


def build(view: TenantView, board: Board) -> bytes:
    """Return the flattened device tree of a tenant."""
    tree = flat_tree.new()
    tree.header.version = 17
    tree.header.last_comp_version = 16
    tree.root = _root(view, board)
    blob: bytes = tree.to_dtb()
    return blob


def extensions(board: Board, fp: bool, vector: bool, sstc: bool) -> tuple[str, ...]:
    """Return the ISA extensions a tenant may use, in the order of the ISA string.

    H is never among them: its registers are kept apart, but nobody's guests are managed by it.
    """
    listed = tuple(
        each
        for each in board.isa
        if (fp or each not in _FP_EXTENSIONS)
        and (vector or not each.startswith(_VECTOR))
        and each != "h"
    )
    return (*listed, "sstc") if sstc else listed


def isa_string(names: Sequence[str]) -> str:
    """Return the form of `riscv,isa`, such as rv64imafdc_zicsr."""
    single = "".join(name for name in names if len(name) == 1)
    return "_".join(["rv64" + single, *(name for name in names if len(name) > 1)])


def _node(name: str, properties: dict[str, PropertyValue]) -> fdt.Node:
    node = fdt.Node(name)
    for key, value in properties.items():
        if isinstance(value, bool):
            if value:
                node.append(fdt.Property(key))
        elif isinstance(value, int):
            node.append(fdt.PropWords(key, value))
        elif isinstance(value, str):
            node.append(fdt.PropStrings(key, value))
        elif all(isinstance(each, str) for each in value):
            node.append(fdt.PropStrings(key, *value))
        else:
            node.append(fdt.PropWords(key, *value))
    return node


def _cells(value: int) -> tuple[int, int]:
    return value >> 32, value & 0xFFFF_FFFF


def _reg(area: Range) -> tuple[int, ...]:
    return (*_cells(area.base), *_cells(area.size))


def _root(view: TenantView, board: Board) -> fdt.Node:
    root = _node(
        "/",
        {
            "#address-cells": 2,
            "#size-cells": 2,
            "compatible": ("cotenant,tenant", board.compatible),
            "model": f"Cotenant tenant {view.name} on {board.name}",
        },
    )
    root.append(_chosen(view, board))
    root.append(_cpus(view, board))
    for area in view.memory:
        root.append(_node(f"memory@{area.base:x}", {"device_type": "memory", "reg": _reg(area)}))
    root.append(_soc(view, board))
    if view.guest_window is not None:
        root.append(_reserved(view.guest_window))
    if view.windows:
        root.append(_channels(view.windows))
    if view.clients:
        root.append(_served(view.clients))
    return root


def _chosen(view: TenantView, board: Board) -> fdt.Node:
    # Without it a Linux computes random numbers, of which each system call takes one, by its slow
    # way for minutes: until it has gathered randomness of its own.
    properties: dict[str, PropertyValue] = {
        "rng-seed": struct.unpack(f">{len(view.random_seed) // 4}I", view.random_seed)
    }
    if view.arguments:
        properties["bootargs"] = view.arguments
    if view.uart_source is not None:
        properties["stdout-path"] = f"/soc/serial@{board.uart.range.base:x}"
    else:
        own = [device for device in view.devices if device.node == "serial"]
        if own:
            properties["stdout-path"] = f"/soc/serial@{own[0].range.base:x}"
    if view.initrd is not None:
        properties["linux,initrd-start"] = _cells(view.initrd.base)
        properties["linux,initrd-end"] = _cells(view.initrd.end)
    return _node("chosen", properties)


def _cpus(view: TenantView, board: Board) -> fdt.Node:
    cpus = _node(
        "cpus",
        {"#address-cells": 1, "#size-cells": 0, "timebase-frequency": board.timebase},
    )
    for number in range(view.vharts):
        cpus.append(_cpu(number, view, board))
    if view.vharts > 1:
        cpus.append(_cpu_map(view.vharts))
    return cpus


def _cpu_phandle(number: int) -> int:
    return PLIC_PHANDLE + 1 + 2 * number


def _intc_phandle(number: int) -> int:
    return PLIC_PHANDLE + 2 + 2 * number


def _cpu(number: int, view: TenantView, board: Board) -> fdt.Node:
    names = extensions(board, view.fp, view.vector, view.sstc and view.supervisor)
    cpu = _node(
        f"cpu@{number:x}",
        {
            "device_type": "cpu",
            "reg": number,
            "status": "okay",
            "compatible": "riscv",
            "riscv,isa": isa_string(names),
            "riscv,isa-base": "rv64i",
            "riscv,isa-extensions": names,
            "mmu-type": board.mmu if view.supervisor else "riscv,none",
            "phandle": _cpu_phandle(number),
        },
    )
    cpu.append(
        _node(
            "interrupt-controller",
            {
                "#interrupt-cells": 1,
                "#address-cells": 0,
                "interrupt-controller": True,
                "compatible": "riscv,cpu-intc",
                "phandle": _intc_phandle(number),
            },
        )
    )
    return cpu


def _cpu_map(count: int) -> fdt.Node:
    """Return the topology: one cluster, in which each hart is a core of its own."""
    cluster = fdt.Node("cluster0")
    for number in range(count):
        cluster.append(_node(f"core{number}", {"cpu": _cpu_phandle(number)}))
    cpu_map = fdt.Node("cpu-map")
    cpu_map.append(cluster)
    return cpu_map


def uart_numbers(board: Board) -> dict[str, int]:
    """Return the properties of a virtual UART that say what it is like.

    A driver that reads them fills a FIFO of this size at each interrupt instead of a 16550A's.
    """
    return {
        "clock-frequency": board.uart.clock,
        "fifo-size": abi.limit("UART_TRANSMIT_FIFO"),
        "tx-threshold": 0,
    }


def _soc(view: TenantView, board: Board) -> fdt.Node:
    soc = _node(
        "soc",
        {"#address-cells": 2, "#size-cells": 2, "compatible": "simple-bus", "ranges": True},
    )
    if view.plic_contexts:
        soc.append(_plic(view, board))
    if view.machine:
        for node in _machine(view.vharts, board):
            soc.append(node)
    if view.uart_source is not None:
        base = board.uart.range.base
        properties: dict[str, PropertyValue] = {
            "compatible": "ns16550a",
            "reg": _reg(Range(base, _UART_SIZE)),
            **uart_numbers(board),
            **_interrupts((view.uart_source,)),
        }
        soc.append(_node(f"serial@{base:x}", properties))
    if view.watchdog is not None:
        soc.append(_watchdog(view.watchdog))
    if view.guests is not None:
        soc.append(_guests(view.guests))
    for device in view.devices:
        properties = {
            **device.properties,
            "reg": _reg(device.range),
            **_interrupts_of(device),
        }
        soc.append(_node(f"{device.node}@{device.range.base:x}", properties))
    for virtual in view.virtual_devices:
        properties = {
            "compatible": "virtio,mmio",
            "reg": _reg(virtual.range),
            **_interrupts((virtual.source,)),
        }
        soc.append(_node(f"virtio_mmio@{virtual.range.base:x}", properties))
    return soc


def _channels(windows: Sequence[WindowEnd]) -> fdt.Node:
    """Return the memory channels: no bus, so that no kernel looks for drivers."""
    channels = _node("channels", {"#address-cells": 2, "#size-cells": 2, "ranges": True})
    for each in windows:
        properties: dict[str, PropertyValue] = {
            "compatible": CHANNEL,
            "label": each.channel,
            "reg": (*_reg(each.window), *_reg(each.doorbell)),
            "cotenant,end": each.number,
        }
        channels.append(_node(f"{each.channel}@{each.window.base:x}", properties))
    return channels


def _served(clients: Sequence[Client]) -> fdt.Node:
    """Return the tenants that this one serves; no bus, as that of channels."""
    node = _node("served", {"#address-cells": 2, "#size-cells": 2, "ranges": True})
    for client in clients:
        areas = (client.registers, *client.memory)
        properties: dict[str, PropertyValue] = {
            "compatible": SERVED,
            "label": client.name,
            "reg": tuple(cell for area in areas for cell in _reg(area)),
            "cotenant,port": client.port,
        }
        node.append(_node(f"{client.name}@{client.registers.base:x}", properties))
    return node


def _watchdog(area: Range) -> fdt.Node:
    return _node(f"watchdog@{area.base:x}", {"compatible": WATCHDOG, "reg": _reg(area)})


def _guests(area: Range) -> fdt.Node:
    return _node(f"hosted@{area.base:x}", {"compatible": HOSTED, "reg": _reg(area)})


def _reserved(area: Range) -> fdt.Node:
    """Return the memory that the kernel is to leave alone (reserved-memory binding)."""
    reserved = _node("reserved-memory", {"#address-cells": 2, "#size-cells": 2, "ranges": True})
    properties: dict[str, PropertyValue] = {
        "compatible": GUEST_MEMORY,
        "reg": _reg(area),
        "no-map": True,
    }
    reserved.append(_node(f"guests@{area.base:x}", properties))
    return reserved


def _interrupts_of(device: Device) -> dict[str, PropertyValue]:
    if device.pci is None:
        return _interrupts(device.interrupts)
    return pci_properties(device.pci, device.interrupts, PLIC_PHANDLE)


def pci_properties(
    windows: PciWindows, sources: tuple[int, ...], plic: int, address_cells: int = 0
) -> dict[str, PropertyValue]:
    """Return what describes a PCI bus (IEEE Std 1275, PCI bus binding).

    The pins INTA to INTD of each card lead to the four sources, one further with each card, of the
    controller with the phandle `plic`, which has so many `#address-cells`.
    """
    routes: list[int] = []
    for card in range(PCI_INTERRUPTS):
        for pin in range(PCI_INTERRUPTS):
            source = sources[(card + pin) % PCI_INTERRUPTS]
            routes += [card * _PCI_CARD, 0, 0, pin + 1, plic, *(0,) * address_cells, source]
    return {
        "device_type": "pci",
        "#address-cells": 3,
        "#size-cells": 2,
        "#interrupt-cells": 1,
        "bus-range": (0, 0),
        "ranges": (
            *(_PCI_PORTS, 0, 0, *_reg(windows.ports)),
            *(_PCI_MEMORY, *_cells(windows.memory.base), *_reg(windows.memory)),
        ),
        "interrupt-map-mask": (_PCI_CARD * (PCI_INTERRUPTS - 1), 0, 0, 7),
        "interrupt-map": tuple(routes),
    }


def _interrupts(sources: tuple[int, ...]) -> dict[str, PropertyValue]:
    if not sources:
        return {}
    return {"interrupts": sources, "interrupt-parent": PLIC_PHANDLE}


def _machine(vharts: int, board: Board) -> list[fdt.Node]:
    """Return what only machine mode sees: the timer, and what ends or resets the tenant."""
    base = board.aclint.range.base
    nodes = [
        _node(
            f"clint@{base:x}",
            {
                "compatible": ("sifive,clint0", "riscv,clint0"),
                "reg": _reg(board.aclint.range),
                "interrupts-extended": tuple(
                    cell
                    for number in range(vharts)
                    for interrupt in (_MACHINE_SOFTWARE, _MACHINE_TIMER)
                    for cell in (_intc_phandle(number), interrupt)
                ),
            },
        )
    ]
    test = board.reset.range
    if test is None:
        return nodes
    nodes.append(
        _node(
            f"test@{test.base:x}",
            {
                "compatible": ("sifive,test1", "sifive,test0", "syscon"),
                "reg": _reg(test),
                "phandle": _TEST_PHANDLE,
            },
        )
    )
    for name, value in (("poweroff", _TEST_OFF), ("reboot", _TEST_RESET)):
        properties: dict[str, PropertyValue] = {
            "compatible": f"syscon-{name}",
            "regmap": _TEST_PHANDLE,
            "offset": 0,
            "value": value,
        }
        nodes.append(_node(name, properties))
    return nodes


def _plic(view: TenantView, board: Board) -> fdt.Node:
    """Return the PLIC; the position of an entry in interrupts-extended is its context number."""
    external = _SUPERVISOR_EXTERNAL if view.supervisor else _MACHINE_EXTERNAL
    entries = {
        context: (_intc_phandle(number), interrupt)
        for contexts, interrupt in (
            (view.plic_contexts, external),
            (view.machine_contexts, _MACHINE_EXTERNAL),
        )
        for number, context in enumerate(contexts)
    }
    parents: list[int] = []
    for context in range(max(entries) + 1):
        parents += entries.get(context, (_intc_phandle(0), _NO_INTERRUPT))
    return _node(
        f"plic@{board.plic.range.base:x}",
        {
            "compatible": board.plic.compatible,
            "reg": _reg(board.plic.range),
            "#interrupt-cells": 1,
            "#address-cells": 0,
            "interrupt-controller": True,
            "riscv,ndev": board.plic.sources - 1,
            "interrupts-extended": tuple(parents),
            "phandle": PLIC_PHANDLE,
        },
    )
