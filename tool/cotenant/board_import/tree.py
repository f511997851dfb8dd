# SPDX-License-Identifier: BSD-2-Clause
"""A device tree as its specification reads it (devicetree.org, version 0.4).

Values are taken from their bytes: nothing guesses whether a number looks like a text.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import fdt

from cotenant import flat_tree
from cotenant.errors import CotenantError
from cotenant.ranges import Range

# A tree nests no deeper than some eight levels; one that does is no tree of a machine.
_DEEPEST = 32
_MOST_BYTES = 16 << 20


class TreeError(CotenantError):
    """A file is no device tree."""


@dataclass
class Node:
    """A node with its properties' bytes. `path` names it in sentences."""

    name: str
    parent: "Node | None"
    properties: dict[str, bytes]
    children: list["Node"] = field(default_factory=list)

    @property
    def path(self) -> str:
        """Return the path from the root."""
        if self.parent is None:
            return "/"
        return f"{self.parent.path.rstrip('/')}/{self.name}"

    @property
    def kind(self) -> str:
        """Return the name without the address of its unit."""
        return self.name.partition("@")[0]

    @property
    def enabled(self) -> bool:
        """Whether the node and all above it are in use (section 2.3.4, status)."""
        status = self.text("status")
        own = status in (None, "okay", "ok")
        return own and (self.parent is None or self.parent.enabled)

    def cells(self, name: str) -> tuple[int, ...]:
        """Return a property as 32-bit numbers; one that is not there as none."""
        data = self.properties.get(name, b"")
        return struct.unpack(f">{len(data) // 4}I", data[: len(data) & ~3])

    def number(self, name: str) -> int | None:
        """Return a property of one or two cells as a number."""
        data = self.properties.get(name, b"")
        return int.from_bytes(data, "big") if len(data) in (4, 8) else None

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a property as its strings."""
        data = self.properties.get(name, b"")
        return tuple(part.decode("ascii", "replace") for part in data.split(b"\0") if part)

    def text(self, name: str) -> str | None:
        """Return the first string of a property."""
        found = self.texts(name)
        return found[0] if found else None

    @property
    def compatible(self) -> tuple[str, ...]:
        """Return what it is compatible with, the most special first."""
        return self.texts("compatible")

    def is_a(self, *names: str) -> bool:
        """Tell whether it is compatible with one of them."""
        return any(name in self.compatible for name in names)

    def inherited(self, name: str) -> int | None:
        """Return a number of the node, or of the nearest one above it that has it."""
        found = self.number(name)
        if found is None and self.parent is not None:
            return self.parent.inherited(name)
        return found

    def all(self) -> Iterator["Node"]:
        """Return the node and all below it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.all()


class Tree:
    """A device tree that was read, with phandles and addresses resolved."""

    def __init__(self, data: bytes) -> None:
        try:
            blob = flat_tree.parse(data)
            self.root = _converted(blob.root, None, 0)
        except CotenantError:
            raise
        except Exception as error:  # the library raises of every kind
            raise TreeError(f"it is no device tree ({error})") from error

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
        address_cells, size_cells = _cell_counts(parent)
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
        if file.stat().st_size > _MOST_BYTES:
            raise TreeError(f"{file} is too large for a device tree")
        return Tree(file.read_bytes())
    except OSError as error:
        raise TreeError(f"{file} cannot be read: {error.strerror}") from error
    except TreeError as error:
        raise TreeError(f"{file}: {error}") from error


def _converted(node: fdt.Node, parent: Node | None, depth: int) -> Node:
    if depth > _DEEPEST:
        raise TreeError("it nests deeper than any machine")
    properties = {each.name: _bytes_of(each) for each in node.props}
    made = Node("" if parent is None else str(node.name), parent, properties)
    made.children = [_converted(each, made, depth + 1) for each in node.nodes]
    return made


def _bytes_of(item: object) -> bytes:
    """Return the bytes that the library has made something of."""
    if isinstance(item, fdt.PropStrings):
        return b"".join(text.encode("latin-1") + b"\0" for text in item.data)
    if isinstance(item, fdt.PropWords):
        return b"".join(int(word).to_bytes(4, "big") for word in item.data)
    if isinstance(item, fdt.PropBytes):
        return bytes(item.data)
    return b""


def _cell_counts(bus: Node) -> tuple[int, int]:
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
    below, length = _cell_counts(bus)
    above = _cell_counts(bus.parent)[0]
    step = below + above + length
    for at in range(0, len(cells) - step + 1, step):
        start = _joined(cells[at : at + below])
        target = _joined(cells[at + below : at + below + above])
        extent = _joined(cells[at + below + above : at + step])
        if start <= base and base + size <= start + extent:
            return target + base - start
    return None
