# SPDX-License-Identifier: BSD-2-Clause
"""A monitor's ELF file: code, symbols, tables of what registered itself, pointers in data."""

import re
import struct
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection

from cotenant.errors import BoundsError

_POINTER = 8
_LONGEST_TEXT = 512
_TEXT = re.compile(rb"[\t\n\r -~\x1b]*\0")
_TABLE = "__start_"
_SYMBOL = struct.Struct("<IBBHQQ")
_NOTYPE, _OBJECT, _FUNCTION = range(3)


@dataclass(frozen=True)
class Symbol:
    """A name in the file."""

    name: str
    address: int
    size: int
    is_function: bool
    is_code: bool


class Image:
    """What is loaded of an ELF file, by the addresses that it is linked at."""

    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            with file.open("rb") as stream:
                elf = ELFFile(stream)
                self._segments = [
                    (section["sh_addr"], section.data())
                    for section in elf.iter_sections()
                    if section["sh_flags"] & 2 and section["sh_type"] == "SHT_PROGBITS"
                ]
                self.symbols = _symbols(elf)
                self.relocated = _relocated(elf)
                """where the file has addresses, and which"""
        except (OSError, ELFError) as error:
            raise BoundsError(f"{file} cannot be read ({error}): run 'make build'") from error
        self._by_name = {each.name: each for each in self.symbols}
        self._code = sorted(
            (each for each in self.symbols if each.is_code),
            key=lambda each: (each.address, each.is_function, each.size),
        )
        self._starts = [each.address for each in self._code]

    def fetch(self, address: int, size: int) -> bytes:
        """Return what lies at an address; less than `size` at the end of a section."""
        for start, data in self._segments:
            if start <= address < start + len(data):
                return bytes(data[address - start : address - start + size])
        return b""

    def word(self, address: int, size: int = _POINTER, *, signed: bool = False) -> int:
        """Return a number of the loaded data. Raises BoundsError outside of it."""
        data = self.fetch(address, size)
        if len(data) != size:
            raise BoundsError(f"there is no data at {address:#x}")
        return int.from_bytes(data, "little", signed=signed)

    def address(self, name: str) -> int:
        """Return where a symbol is. Raises BoundsError for one that there is not."""
        if name not in self._by_name:
            raise BoundsError(f"{self.file.name} has no symbol {name!r}")
        return self._by_name[name].address

    def addresses(self, name: str) -> list[int]:
        """Return where the functions of a name begin: several files can have one each."""
        return [each.address for each in self._code if each.is_function and each.name == name]

    def has(self, name: str) -> bool:
        """Whether there is such a symbol."""
        return name in self._by_name

    def symbol_at(self, address: int) -> Symbol | None:
        """Return the code symbol that an address is in or behind."""
        index = bisect_right(self._starts, address) - 1
        return self._code[index] if index >= 0 else None

    def name(self, address: int) -> str:
        """Return the name of the code at an address."""
        symbol = self.symbol_at(address)
        return symbol.name if symbol else f"{address:#x}"

    @cached_property
    def functions(self) -> frozenset[int]:
        """Where functions of C begin; pieces that the compiler has put apart are part of theirs."""
        return frozenset(
            each.address for each in self._code if each.is_function and ".cold" not in each.name
        )

    @cached_property
    def tables(self) -> dict[str, tuple[int, int]]:
        """The tables of what registered itself (core/table.h), from where to where."""
        return {
            name.removeprefix(_TABLE): (each.address, self.address(f"__stop_{name[8:]}"))
            for name, each in self._by_name.items()
            if name.startswith(_TABLE)
        }

    def pointers(self, start: int, stop: int, size: int, offset: int) -> list[int]:
        """Return a pointer of each entry of a table, without the null pointers."""
        found = (self.word(each + offset) for each in range(start, stop, size))
        return [each for each in found if each]

    def text_length(self, address: int) -> int | None:
        """Return the length of the text at an address, with its end; None: there is none."""
        found = _TEXT.match(self.fetch(address, _LONGEST_TEXT))
        return len(found[0]) if found else None

    @cached_property
    def longest_string(self) -> int:
        """The length of the longest text among the constants, with its end."""
        texts = (text for _, data in self._segments for text in _TEXT.findall(data))
        return max((len(text) for text in texts), default=0)


def _relocated(elf: ELFFile) -> dict[int, int]:
    section = elf.get_section_by_name(".rela.dyn")
    if not isinstance(section, RelocationSection):
        return {}
    return {each["r_offset"]: each["r_addend"] for each in section.iter_relocations()}


def _symbols(elf: ELFFile) -> list[Symbol]:
    table = elf.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        raise BoundsError("the file has no symbols")
    names = elf.get_section(table["sh_link"]).data()
    is_code = [bool(section["sh_flags"] & 4) for section in elf.iter_sections()]
    found = []
    # By hand: elftools takes seconds for them.
    for name_at, info, _, section, address, size in _SYMBOL.iter_unpack(table.data()):
        name = names[name_at : names.index(b"\0", name_at)].decode()
        kind = info & 15
        is_label = kind == _NOTYPE and "." in name
        if (
            0 < section < len(is_code)
            and kind in (_NOTYPE, _OBJECT, _FUNCTION)
            and name
            and not name.startswith((".L", "$"))
            and not is_label
        ):
            found.append(Symbol(name, address, size, kind == _FUNCTION, is_code[section]))
    return found
