# SPDX-License-Identifier: BSD-2-Clause
"""What tenants can own: every device of the tree that is in use and none of the monitor's."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from cotenant.board import PCI_BUS_SIZE, PCI_INTERRUPTS, PropertyValue
from cotenant.board_import.controllers import Plic, plic_sources
from cotenant.board_import.findings import Findings
from cotenant.board_import.tree import Node, Tree
from cotenant.ranges import Range

# What is known to touch no memory by itself. A tree does not say it; of all else it is assumed.
_WITHOUT_DMA = (
    *("serial", "rtc", "gpio", "pinctrl", "i2c", "pwm", "watchdog", "timer", "test", "otp"),
    *("clock-controller", "reset-controller", "syscon", "mailbox", "efuse", "temperature-sensor"),
    *("cache-controller", "power-controller", "flash", "fw-cfg", "phy", "rng", "adc", "keyboard"),
)
_NOT_DEVICES = ("cpus", "memory", "reserved-memory", "chosen", "aliases")
# Properties that say all that they say without other nodes.
_PLAIN_NUMBERS = ("reg-shift", "reg-io-width", "clock-frequency", "bank-width", "fifo-size")
_REFERENCES = ("clocks", "resets", "power-domains", "pinctrl-0", "phys", "dmas")
_PORTS, _MEMORY_32 = 1, 2
_SMALLEST = 4
_MOST_NAMED = 6


@dataclass(frozen=True)
class Found:
    """One device of the board file."""

    name: str
    node: str
    range: Range
    interrupts: tuple[int, ...]
    dma: bool
    properties: dict[str, PropertyValue]
    pci: tuple[Range, Range] | None = None
    """windows for memory and for ports"""


@dataclass
class _Search:
    tree: Tree
    plic: Plic
    findings: Findings
    taken: list[tuple[str, Range]]
    found: list[Found] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    """devices whose interrupts do not come from the PLIC"""
    referring: list[str] = field(default_factory=list)
    sources: set[int] = field(default_factory=set)
    """interrupts that have an owner"""


def find(
    tree: Tree,
    plic: Plic,
    own: Sequence[tuple[Node, Range]],
    taken: list[tuple[str, Range]],
    sources: set[int],
    findings: Findings,
) -> list[Found]:
    """Return the devices by their addresses.

    `own` are the monitor's, `taken` what no device may overlap, `sources` interrupts in use.
    """
    search = _Search(tree, plic, findings, list(taken), sources=set(sources))
    mine = {id(node) for node, _ in own}
    candidates = []
    for node in tree.nodes:
        if id(node) in mine or not node.enabled or _is_no_device(node):
            continue
        places = [each for each in tree.ranges(node) if each.size >= _SMALLEST]
        if places:
            candidates.append((node, places))
    candidates.sort(key=lambda each: each[1][0].base)
    names = _names([node for node, _ in candidates])
    for (node, places), name in zip(candidates, names, strict=True):
        _take(search, node, places, name)
    _tell(search)
    return search.found


def _is_no_device(node: Node) -> bool:
    if node.text("device_type") in ("cpu", "memory") or node.kind in _NOT_DEVICES:
        return True
    above = node.parent
    while above is not None:
        # What is behind a bus that is itself a device belongs to that.
        if above.kind in _NOT_DEVICES or ("reg" in above.properties and above.compatible):
            return True
        above = above.parent
    return not node.compatible


def _names(nodes: list[Node]) -> list[str]:
    """Return a name for each: what it is, numbered where there are several of a kind."""
    kinds = [_kind(node) for node in nodes]
    counts: dict[str, int] = {}
    names = []
    for kind in kinds:
        if kinds.count(kind) == 1:
            names.append(kind)
            continue
        names.append(f"{kind}{counts.get(kind, 0)}")
        counts[kind] = counts.get(kind, 0) + 1
    return names


def _kind(node: Node) -> str:
    if node.is_a("virtio,mmio"):
        return "virtio"
    if node.text("device_type") == "pci":
        return "pcie"
    return re.sub(r"[^a-z0-9]+", "-", node.kind.lower()).strip("-") or "device"


def _take(search: _Search, node: Node, places: list[Range], name: str) -> None:
    interrupts = tuple(each for each in plic_sources(search.tree, node, search.plic))
    twice = [each for each in interrupts if each in search.sources]
    if twice:
        search.findings.note(
            f"{name} shares interrupt {twice[0]} with another device, and was given none of those."
        )
        interrupts = tuple(each for each in interrupts if each not in twice)
    if len(search.tree.interrupts(node)) > len(plic_sources(search.tree, node, search.plic)):
        search.elsewhere.append(name)
    if any(each in node.properties for each in _REFERENCES):
        search.referring.append(name)
    if node.is_a("pci-host-ecam-generic"):
        made = _pci(search, node, places[0], name)
        if made is not None:
            _add(search, made)
        return
    dma = not node.kind.startswith(_WITHOUT_DMA) and not _kind(node).startswith(_WITHOUT_DMA)
    parts = [f"{name}-{number}" if number else name for number in range(len(places))]
    added = [
        _add(
            search,
            Found(part, node.kind, place, () if number else interrupts, dma, _properties(node)),
        )
        for number, (part, place) in enumerate(zip(parts, places, strict=True))
    ]
    if sum(added) > 1:
        search.findings.note(
            f"{name} has {len(places)} ranges: give {', '.join(parts[1:])} to the same tenant."
        )


def _add(search: _Search, device: Found) -> bool:
    windows = device.pci or ()
    for own in (device.range, *windows):
        for name, area in search.taken:
            if area.overlaps(own):
                search.findings.note(
                    f"{device.name} at {own} overlaps {name} at {area} and was left out."
                )
                return False
    if device.range.base % _SMALLEST or device.range.size % _SMALLEST:
        search.findings.note(f"{device.name} at {device.range} is no multiple of 4: left out.")
        return False
    search.taken += [(device.name, own) for own in (device.range, *windows)]
    search.sources.update(device.interrupts)
    search.found.append(device)
    return True


def _properties(node: Node) -> dict[str, PropertyValue]:
    compatible = node.compatible
    found: dict[str, PropertyValue] = {
        "compatible": compatible[0] if len(compatible) == 1 else compatible
    }
    for name in _PLAIN_NUMBERS:
        value = node.number(name)
        if value is not None and len(node.properties[name]) == 4:
            found[name] = value
    if "dma-coherent" in node.properties:
        found["dma-coherent"] = True
    return found


def _pci(search: _Search, node: Node, space: Range, name: str) -> Found | None:
    """PCI bus binding: `ranges` has three cells on the bus, `interrupt-map` four pins a device."""
    windows: dict[int, Range] = {}
    cells = node.cells("ranges")
    for at in range(0, len(cells) - 6, 7):
        kind = cells[at] >> 24 & 3
        base = cells[at + 3] << 32 | cells[at + 4]
        windows.setdefault(kind, Range(base, cells[at + 5] << 32 | cells[at + 6]))
    pins = _pins_of_first_device(search, node)
    if _PORTS not in windows or _MEMORY_32 not in windows or len(pins) != PCI_INTERRUPTS:
        search.findings.note(
            f"{name}: a PCI host without windows for memory and ports, or without four interrupts "
            "at the PLIC, was left out."
        )
        return None
    search.findings.note(f"{name}: of its buses the first one is used.")
    return Found(
        name,
        "pci",
        Range(space.base, PCI_BUS_SIZE),
        tuple(pins),
        True,
        _properties(node),
        (windows[_MEMORY_32], windows[_PORTS]),
    )


def _pins_of_first_device(search: _Search, node: Node) -> list[int]:
    cells = node.cells("interrupt-map")
    parent_cells = search.plic.node.number("#address-cells") or 0
    step = 3 + 1 + 1 + parent_cells + 1
    pins = {}
    for at in range(0, len(cells) - step + 1, step):
        if cells[at] >> 11 & 0x1F == 0 and search.tree.by_handle.get(cells[at + 4]) is (
            search.plic.node
        ):
            pins[cells[at + 3]] = cells[at + step - 1]
    return [pins[pin] for pin in sorted(pins)]


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _tell(search: _Search) -> None:
    kept = {device.name for device in search.found}
    elsewhere = [name for name in search.elsewhere if name in kept]
    if elsewhere:
        search.findings.note(
            f"{_listed(elsewhere)} also interrupt through other controllers than the PLIC, or by "
            "sources that are out of reach; those are not passed on."
        )
    referring = [name for name in search.referring if name in kept]
    if referring:
        search.findings.note(
            f"{_listed(referring)} refer to clocks, resets, pins or the like, of which a tenant's "
            "device tree does not tell: drivers that need them do not work."
        )
