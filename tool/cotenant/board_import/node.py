# SPDX-License-Identifier: BSD-2-Clause
"""Nodes of a device tree, from its flattened form and back to it, byte for byte.

Devicetree Specification v0.4, chapter 5. Nothing guesses what a property's bytes mean.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from cotenant.errors import CotenantError
from cotenant.ranges import Range

# A tree nests no deeper than some eight levels; one that does is no tree of a machine.
_DEEPEST = 32
_MAGIC = 0xD00D_FEED
_BEGIN, _END, _PROPERTY, _NOTHING, _LAST = 1, 2, 3, 4, 9
_HEADER = struct.Struct(">10I")
_RESERVATION = struct.Struct(">2Q")
_VERSION, _COMPATIBLE_VERSION = 17, 16


class TreeError(CotenantError):
    """A file is no device tree."""


@dataclass(eq=False)
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

    def set_cells(self, name: str, *values: int) -> None:
        """Set a property to 32-bit numbers."""
        self.properties[name] = struct.pack(f">{len(values)}I", *values)

    def set_texts(self, name: str, *values: str) -> None:
        """Set a property to strings."""
        self.properties[name] = b"".join(value.encode() + b"\0" for value in values)

    def add(self, name: str) -> "Node":
        """Return a new node below this one."""
        made = Node(name, self, {})
        self.children.append(made)
        return made


def parse(data: bytes) -> tuple[Node, tuple[Range, ...]]:
    """Return the root and the memory reservations of a blob; raises TreeError if it is none."""
    try:
        return _parse(data)
    except (struct.error, ValueError, IndexError) as error:
        raise TreeError(f"it is no device tree ({error})") from error


def _parse(data: bytes) -> tuple[Node, tuple[Range, ...]]:
    magic, total, structure, strings, reserved, version, oldest, *_ = _HEADER.unpack_from(data)
    if magic != _MAGIC:
        raise TreeError("it is no device tree (it does not begin as one)")
    if total > len(data):
        raise TreeError("it is no device tree (its end is missing)")
    if version < _COMPATIBLE_VERSION or oldest > _VERSION:
        raise TreeError(f"it is no device tree (of a version that is known, but of {version})")
    reservations = []
    while any(pair := _RESERVATION.unpack_from(data, reserved)):
        reservations.append(Range(*pair))
        reserved += _RESERVATION.size
    return _Reader(data[:total], structure, strings).root(), tuple(reservations)


class _Reader:
    def __init__(self, data: bytes, at: int, strings: int) -> None:
        self._data, self._at, self._strings = data, at, strings

    def _word(self) -> int:
        (word,) = struct.unpack_from(">I", self._data, self._at)
        self._at += 4
        return int(word)

    def _token(self) -> int:
        while (token := self._word()) == _NOTHING:
            pass
        return token

    def _text(self, at: int) -> str:
        return self._data[at : self._data.index(b"\0", at)].decode("latin-1")

    def root(self) -> Node:
        if self._token() != _BEGIN:
            raise TreeError("it is no device tree (it has no root)")
        return self._node(None, 0)

    def _node(self, parent: Node | None, depth: int) -> Node:
        if depth > _DEEPEST:
            raise TreeError("it nests deeper than any machine")
        name = self._text(self._at)
        self._at = (self._at + len(name) + 4) & ~3
        node = Node("" if parent is None else name, parent, {})
        while (token := self._token()) != _END:
            if token == _BEGIN:
                node.children.append(self._node(node, depth + 1))
                continue
            if token != _PROPERTY:
                raise TreeError(f"it is no device tree (it has a token {token:#x})")
            size, named = self._word(), self._word()
            value = self._data[self._at : self._at + size]
            if len(value) != size:
                raise TreeError("it is no device tree (a property ends behind it)")
            node.properties[self._text(self._strings + named)] = value
            self._at = (self._at + size + 3) & ~3
        return node


def flatten(root: Node, reservations: Sequence[Range] = ()) -> bytes:
    """Return the blob of a tree, version 17."""
    strings = bytearray()
    offsets: dict[str, int] = {}
    for node in root.all():
        for name in node.properties:
            if name not in offsets:
                offsets[name] = len(strings)
                strings += name.encode("latin-1") + b"\0"
    body = _flattened(root, offsets) + struct.pack(">I", _LAST)
    listed = b"".join(_RESERVATION.pack(area.base, area.size) for area in reservations)
    listed += _RESERVATION.pack(0, 0)
    reserved = _HEADER.size
    structure = reserved + len(listed)
    names = structure + len(body)
    header = _HEADER.pack(
        *(_MAGIC, names + len(strings), structure, names, reserved),
        *(_VERSION, _COMPATIBLE_VERSION, 0, len(strings), len(body)),
    )
    return header + listed + body + bytes(strings)


def _flattened(node: Node, offsets: dict[str, int]) -> bytes:
    parts = [struct.pack(">I", _BEGIN), _padded(node.name.encode("latin-1") + b"\0")]
    for name, value in node.properties.items():
        parts += [struct.pack(">3I", _PROPERTY, len(value), offsets[name]), _padded(value)]
    parts += [_flattened(child, offsets) for child in node.children]
    return b"".join((*parts, struct.pack(">I", _END)))


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
