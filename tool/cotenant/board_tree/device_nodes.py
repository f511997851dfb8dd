# SPDX-License-Identifier: BSD-2-Clause
"""Which nodes of devices a tenant keeps: those whose addresses are all its own."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from cotenant import devicetree
from cotenant.board import Device
from cotenant.board_import.tree import Node, cell_counts
from cotenant.board_tree import machine
from cotenant.ranges import Range

if TYPE_CHECKING:
    from cotenant.board_tree.edit import Edit

_NO_DEVICES = ("cpus", "memory", "reserved-memory", "chosen", "aliases", "__symbols__")
# References, and the property of the node referred to that tells how long each of them is.
_REFERENCES = {
    "clocks": "#clock-cells",
    "resets": "#reset-cells",
    "power-domains": "#power-domain-cells",
    "phys": "#phy-cells",
    "dmas": "#dma-cells",
    "mboxes": "#mbox-cells",
    "interrupts-extended": "#interrupt-cells",
    "pinctrl-0": "",
    "next-level-cache": "",
}
# What is nothing without what it refers to: it would touch registers or memory of others.
_ESSENTIAL = ("regmap", "memory-region")
# Linux asks these before SBI: a reboot of the tenant would be one of the whole machine.
_OF_THE_MACHINE = ("gpio-restart", "gpio-poweroff", "syscon-reboot", "syscon-poweroff")


def _devices(it: "Edit") -> Iterator[Node]:
    """Return the nodes with addresses of registers, in the order of the tree."""
    for top in it.tree.root.children:
        if top.kind in _NO_DEVICES or top in machine.memory_nodes(it.tree):
            continue
        for node in top.all():
            if node.compatible and it.places_of(node):
                yield node


def cut_monitor(it: "Edit", special: Sequence[Node | None]) -> None:
    """Disable what only the monitor touches, but for the `special` nodes, which are replaced."""
    for node in it.tree.nodes:
        if node.is_a(*_OF_THE_MACHINE):
            it.disable(node, "it ends or resets the whole machine; the monitor ends the tenant")
    for node in _devices(it):
        if any(node is each for each in special):
            continue
        for name, area in it.board.monitor_ranges.items():
            if any(place.overlaps(area) for place in it.places_of(node)):
                it.disable(node, f"it is the monitor's ({name})")


def cut_devices(it: "Edit", special: Sequence[Node | None]) -> None:
    """Disable every device that is not the tenant's."""
    reached = [area for device in it.view.devices for area in device.ranges]
    for node in list(_devices(it)):
        if any(node is each for each in special) or not node.enabled:
            continue
        places = it.places_of(node)
        bridge = next(
            (each for each in it.view.devices if each.pci and places[0].base == each.range.base),
            None,
        )
        if bridge is not None:
            _cut_bridge(it, node, bridge)
        elif all(any(area.contains(place) for area in reached) for place in places):
            _tell_of_interrupts(it, node)
        else:
            it.disable(node, _owner(it, places))


def _owner(it: "Edit", places: Iterable[Range]) -> str:
    for device in it.board.devices.values():
        if any(area.overlaps(place) for area in device.ranges for place in places):
            if device in it.view.devices:
                continue
            owner = it.foreign.get(device.name)
            return f"{device.name} is {f'that of {owner}' if owner else 'given to nobody'}"
    return f"{it.board.id} has no such device"


def _tell_of_interrupts(it: "Edit", node: Node) -> None:
    """Tell of interrupts that do not come, as the board's file does not have them there."""
    own = {source for device in it.view.devices for source in device.interrupts}
    for controller, cells in it.tree.interrupts(node):
        if controller.enabled and it.places_of(controller)[:1] == [it.board.plic.range]:
            missing = [source for source in cells[:1] if source not in own]
            if missing:
                it.wanting.append(
                    f"{node.path} has interrupt {missing[0]}, which no device of the tenant has"
                )


def _cut_bridge(it: "Edit", node: Node, bridge: Device) -> None:
    """Leave the first bus of a PCI host bridge, and the windows that the board's file has."""
    plic = machine.plic(it.tree, it.board)
    assert bridge.pci is not None and plic is not None and node.parent is not None
    address, size = cell_counts(node.parent)
    first = node.properties["reg"][: 4 * address]
    node.properties["reg"] = first + bridge.range.size.to_bytes(4 * size, "big")
    own = devicetree.pci_properties(
        bridge.pci, bridge.interrupts, machine.handle(plic), _address_cells(plic)
    )
    for name, value in own.items():
        if isinstance(value, str):
            node.set_texts(name, value)
        elif isinstance(value, int):
            node.set_cells(name, value)
        else:
            node.set_cells(name, *(int(each) for each in value))
    for name in ("msi-parent", "msi-map", "iommu-map"):
        node.properties.pop(name, None)
    it.cut.append(f"{node.path} is cut to its first bus, and to the windows of {bridge.name}")


def _address_cells(plic: Node) -> int:
    """An interrupt controller without a bus below it has none, said or not."""
    return cell_counts(plic)[0] if "#address-cells" in plic.properties else 0


def cut_dependent(it: "Edit") -> None:
    """Disable what is nothing without what was disabled, and tell of what may do without."""
    for node in it.tree.nodes:
        for name in _ESSENTIAL:
            targets = [it.tree.by_handle.get(cell) for cell in node.cells(name)]
            lost = next((each for each in targets if _was_cut(it, each)), None)
            if lost is not None:
                it.disable(node, f"it is nothing without {lost.path}")
    for node in it.tree.nodes:
        if not node.enabled or not _is_in_use(node):
            continue
        lost_ones = {
            target.path: None
            for name, width in _REFERENCES.items()
            for target in _targets(it, node, name, width)
            if _was_cut(it, target)
        }
        if lost_ones:
            it.wanting.append(f"{node.path} refers to {', '.join(lost_ones)}")


def _is_in_use(node: Node) -> bool:
    """Tell whether a driver looks at the node: no table of names, no hart."""
    return bool(node.compatible) and node.kind not in ("cpu", *_NO_DEVICES)


def _targets(it: "Edit", node: Node, name: str, width: str) -> Iterator[Node]:
    cells = node.cells(name)
    at = 0
    while at < len(cells):
        target = it.tree.by_handle.get(cells[at])
        if target is None:
            return
        yield target
        at += 1 + ((target.number(width) or 0) if width else 0)


def _was_cut(it: "Edit", node: Node | None) -> bool:
    return any(node is each for each in it.disabled)
