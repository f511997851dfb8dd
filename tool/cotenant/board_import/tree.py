# SPDX-License-Identifier: BSD-2-Clause
"""A device tree as its specification reads it (devicetree.org, version 0.4).

Values are taken from their bytes: nothing guesses whether a number looks like a text.
"""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from cotenant.board_import.node import Node, TreeError, parse
from cotenant.ranges import Range

__all__ = ["Node", "Tree", "TreeError", "cell_counts", "read"]

MOST_BYTES = 16 << 20


class Tree:
    """A device tree that was read, with phandles and addresses resolved."""

    def __init__(self, data: bytes) -> None:
        self.root, self.reservations = parse(data)

    @cached_property
    def nodes(self) -> list[Node]:
        """All nodes, in the order of the file."""
        return list(self.root.all())

    @cached_property
    def by_handle(self) -> dict[int, Node]:
        """Nodes by their phandle."""
        found: dict[int, Node] = {}
        for node in self.nodes:
            handle = node.number("phandle")
            if handle is None:
                handle = node.number("linux,phandle")
            if handle is not None:
                found.setdefault(handle, node)
        return found

    def child(self, name: str) -> Node | None:
        """Return a node below the root."""
        return next((each for each in self.root.children if each.kind == name), None)

    def at(self, path: str) -> Node | None:
        """Return a node by its path, or by its alias (section 3.3)."""
        if not path.startswith("/"):
            aliases = self.child("aliases")
            path = (aliases.text(path) if aliases else None) or ""
        return next((node for node in self.nodes if path and node.path == path), None)

    def ranges(self, node: Node) -> list[Range]:
        """Return what `reg` means as physical addresses; what no bus translates is left out."""
        parent = node.parent
        if parent is None:
            return []
        address_cells, size_cells = cell_counts(parent)
        step = address_cells + size_cells
        cells = node.cells("reg")
        found = []
        for at in range(0, len(cells) - step + 1, step) if step else ():
            base = _joined(cells[at : at + address_cells])
            size = _joined(cells[at + address_cells : at + step])
            place = _translated(parent, base, size)
            if place is not None and size:
                found.append(Range(place, size))
        return found

    def interrupts(self, node: Node) -> list[tuple[Node, tuple[int, ...]]]:
        """Return the controller and specifier of each interrupt (section 2.4)."""
        extended = node.cells("interrupts-extended")
        if extended:
            return list(self._extended(extended))
        handle = node.inherited("interrupt-parent")
        controller = self.by_handle.get(handle) if handle is not None else None
        if controller is None:
            return []
        width = controller.number("#interrupt-cells") or 1
        cells = node.cells("interrupts")
        return [(controller, cells[at : at + width]) for at in range(0, len(cells), width)]

    def _extended(self, cells: tuple[int, ...]) -> Iterator[tuple[Node, tuple[int, ...]]]:
        at = 0
        while at < len(cells):
            controller = self.by_handle.get(cells[at])
            if controller is None:
                return
            width = controller.number("#interrupt-cells") or 1
            yield controller, cells[at + 1 : at + 1 + width]
            at += 1 + width


def read(file: Path) -> Tree:
    """Read a file; raises TreeError with a sentence."""
    try:
        if file.stat().st_size > MOST_BYTES:
            raise TreeError(f"{file} is too large for a device tree")
        return Tree(file.read_bytes())
    except OSError as error:
        raise TreeError(f"{file} cannot be read: {error.strerror}") from error
    except TreeError as error:
        raise TreeError(f"{file}: {error}") from error


def cell_counts(bus: Node) -> tuple[int, int]:
    """Return how many cells addresses and sizes below a bus have (section 2.3.5)."""
    address, size = bus.number("#address-cells"), bus.number("#size-cells")
    return (2 if address is None else min(address, 4)), (1 if size is None else min(size, 4))


def _joined(cells: tuple[int, ...]) -> int:
    value = 0
    for cell in cells:
        value = value << 32 | cell
    return value


def _translated(bus: Node, base: int, size: int) -> int | None:
    """Return the physical address of one below a bus (section 2.3.8); None: it has none."""
    while bus.parent is not None:
        if "ranges" not in bus.properties:
            return None
        cells = bus.cells("ranges")
        if cells:
            found = _through(bus, cells, base, size)
            if found is None:
                return None
            base = found
        bus = bus.parent
    return base


def _through(bus: Node, cells: tuple[int, ...], base: int, size: int) -> int | None:
    assert bus.parent is not None
    below, length = cell_counts(bus)
    above = cell_counts(bus.parent)[0]
    step = below + above + length
    for at in range(0, len(cells) - step + 1, step):
        start = _joined(cells[at : at + below])
        target = _joined(cells[at + below : at + below + above])
        extent = _joined(cells[at + below + above : at + step])
        if start <= base and base + size <= start + extent:
            return target + base - start
    return None
