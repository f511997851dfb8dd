# SPDX-License-Identifier: BSD-2-Clause
"""What the monitor offers and no board has: virtual devices, windows of channels, registers."""

from typing import TYPE_CHECKING

from cotenant import devicetree
from cotenant.board_import.tree import Node, cell_counts
from cotenant.ranges import Range

if TYPE_CHECKING:
    from cotenant.board_tree.edit import Edit

_BUS = "cotenant"
# As in a made tree: no bus, so that no kernel looks for drivers.
_CHANNELS = "channels"
_SERVED = "served"


def reg(bus: Node, *areas: Range) -> bytes:
    """Return `reg` of a node below a bus whose addresses are physical ones."""
    address, size = cell_counts(bus)
    return b"".join(
        part
        for area in areas
        for part in (area.base.to_bytes(4 * address, "big"), area.size.to_bytes(4 * size, "big"))
    )


def add(it: "Edit", plic: int, with_uart: bool) -> Node | None:
    """Add the tenant's virtual devices below a bus of their own; return its virtual UART, if made.

    `plic`: the phandle of the interrupt controller. `with_uart`: the tree has no node for the UART.
    """
    view, root = it.view, it.tree.root
    made: Node | None = None
    bus = _bus(root, _BUS)
    bus.set_texts("compatible", "simple-bus")
    if with_uart and view.uart_source is not None:
        made = _device(bus, "serial", "ns16550a", it.board.uart.range)
        for name, number in devicetree.uart_numbers(it.board).items():
            made.set_cells(name, number)
        _interrupt(made, plic, view.uart_source)
    if view.watchdog is not None:
        _device(bus, "watchdog", devicetree.WATCHDOG, view.watchdog)
    if view.guests is not None:
        _device(bus, "hosted", devicetree.HOSTED, view.guests)
    for virtual in view.virtual_devices:
        _interrupt(_device(bus, "virtio_mmio", "virtio,mmio", virtual.range), plic, virtual.source)
    channels = _bus(root, _CHANNELS)
    for window in view.windows:
        node = _device(channels, window.channel, devicetree.CHANNEL, window.window)
        node.properties["reg"] = reg(channels, window.window, window.doorbell)
        node.set_texts("label", window.channel)
        node.set_cells("cotenant,end", window.number)
    clients = _bus(root, _SERVED)
    for client in view.clients:
        node = _device(clients, client.name, devicetree.SERVED, client.registers)
        node.properties["reg"] = reg(clients, client.registers, *client.memory)
        node.set_texts("label", client.name)
        node.set_texts("cotenant,port", client.port)
    for each in (bus, channels, clients):
        if each.children:
            root.children.append(each)
            it.cut += [f"{node.path} is added: {node.compatible[0]}" for node in each.children]
    return made


def _bus(root: Node, name: str) -> Node:
    """Return a node for others, in whose place addresses are those of the root."""
    bus = Node(name, root, {})
    address, size = cell_counts(root)
    bus.set_cells("#address-cells", address)
    bus.set_cells("#size-cells", size)
    bus.properties["ranges"] = b""
    return bus


def _device(bus: Node, kind: str, compatible: str, area: Range) -> Node:
    node = bus.add(f"{kind}@{area.base:x}")
    node.set_texts("compatible", compatible)
    node.properties["reg"] = reg(bus, area)
    return node


def _interrupt(node: Node, plic: int, source: int) -> None:
    node.set_cells("interrupt-parent", plic)
    node.set_cells("interrupts", source)
