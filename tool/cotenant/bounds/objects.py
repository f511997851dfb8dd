# SPDX-License-Identifier: BSD-2-Clause
"""Objects that a monitor is built with, and their fields, by the debug information."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from elftools.dwarf.die import DIE
from elftools.elf.elffile import ELFFile

from cotenant.errors import BoundsError

_ADDRESS = 0x03
_TRANSPARENT = ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type")


@dataclass(frozen=True)
class Member:
    """A field: its name, and from which byte on it is of which structure (if it is one)."""

    name: str
    offset: int
    structure: str
    count: int
    size: int


@dataclass
class Structure:
    """A structure's size and fields."""

    size: int
    members: list[Member] = field(default_factory=list)


@dataclass(frozen=True)
class Object:
    """A variable with a place, of a structure or an array of such."""

    name: str
    address: int
    structure: str
    count: int


class Objects:
    """Structures and variables of an ELF file, as its debug information has them."""

    def __init__(self, elf: Path) -> None:
        self.structures: dict[str, Structure] = {}
        self.objects: dict[int, Object] = {}
        with elf.open("rb") as stream:
            information = ELFFile(stream).get_dwarf_info()
            for unit in information.iter_CUs():
                for entry in unit.get_top_DIE().iter_children():
                    self._take(entry)

    def fields(self, structure: str, name: str) -> Iterator[int]:
        """Give the addresses of a field in all variables. Raises BoundsError if there is none."""
        known = self.structures.get(structure)
        if known is None or all(each.name != name for each in known.members):
            raise BoundsError(f"struct {structure} has no field {name!r}")
        offset = next(each.offset for each in known.members if each.name == name)
        for variable in self.objects.values():
            size = self.structures[variable.structure].size
            for index in range(variable.count):
                start = variable.address + index * size
                for inner in self._inside(variable.structure, structure):
                    yield start + inner + offset

    def _inside(self, outer: str, wanted: str) -> Iterator[int]:
        """Give where a structure lies in another one, or in itself."""
        if outer == wanted:
            yield 0
            return
        for member in self.structures[outer].members:
            if member.structure in self.structures:
                for index in range(member.count):
                    for inner in self._inside(member.structure, wanted):
                        yield member.offset + index * member.size + inner

    def _take(self, entry: DIE) -> None:
        if entry.tag == "DW_TAG_structure_type":
            self._take_structure(entry)
        elif entry.tag == "DW_TAG_variable":
            self._take_variable(entry)

    def _take_structure(self, entry: DIE, name: str = "") -> None:
        name = name or _name(entry)
        if not name or name in self.structures or "DW_AT_byte_size" not in entry.attributes:
            return
        made = self.structures[name] = Structure(entry.attributes["DW_AT_byte_size"].value)
        for child in entry.iter_children():
            if child.tag != "DW_TAG_member" or "DW_AT_data_member_location" not in child.attributes:
                continue
            structure, count, size = self._structure(child)
            offset = child.attributes["DW_AT_data_member_location"].value
            made.members.append(Member(_name(child), offset, structure, count, size))

    def _take_variable(self, entry: DIE) -> None:
        location = entry.attributes.get("DW_AT_location")
        if location is None or location.form != "DW_FORM_exprloc":
            return
        if len(location.value) != 9 or location.value[0] != _ADDRESS:
            return
        address = int.from_bytes(bytes(location.value[1:]), "little")
        described = entry
        while "DW_AT_type" not in described.attributes:
            key = next(
                (
                    k
                    for k in ("DW_AT_specification", "DW_AT_abstract_origin")
                    if k in described.attributes
                ),
                None,
            )
            if key is None:
                return
            described = described.get_DIE_from_attribute(key)
        structure, count, _ = self._structure(described)
        if structure:
            self.objects[address] = Object(_name(described), address, structure, count)

    def _structure(self, entry: DIE) -> tuple[str, int, int]:
        """Return the structure that something is (or ""), how many of it, and their size."""
        count, kind = 1, entry
        while "DW_AT_type" in kind.attributes:
            kind = kind.get_DIE_from_attribute("DW_AT_type")
            if kind.tag == "DW_TAG_array_type":
                count *= _elements(kind)
            elif kind.tag == "DW_TAG_structure_type":
                name = _name(kind) or f"at {kind.offset:#x}"
                self._take_structure(kind, name)
                known = self.structures.get(name)
                return (name, count, known.size) if known else ("", 0, 0)
            elif kind.tag not in _TRANSPARENT:
                break
        return "", 0, 0


def _elements(array: DIE) -> int:
    count = 1
    for child in array.iter_children():
        if child.tag == "DW_TAG_subrange_type":
            if "DW_AT_upper_bound" in child.attributes:
                value = child.attributes["DW_AT_upper_bound"].value
                count *= value + 1 if isinstance(value, int) else 1
            elif "DW_AT_count" in child.attributes:
                count *= child.attributes["DW_AT_count"].value
    return count


def _name(entry: DIE) -> str:
    name = entry.attributes.get("DW_AT_name")
    return name.value.decode() if name else ""
