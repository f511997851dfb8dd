# SPDX-License-Identifier: BSD-2-Clause
"""Names of places in a tenant's image, from the symbol table of its ELF file."""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from cotenant.imagefile import load_offset

_CODE = ("STT_FUNC", "STT_NOTYPE")


@dataclass(frozen=True)
class _Symbol:
    address: int
    size: int
    name: str


class Symbols:
    """The code symbols of an image that is loaded to `base`, the start of its tenant's memory.

    An image that is no ELF file, such as a Linux kernel, or that was stripped, has none. `find`
    returns the file; it is asked, and read, when the first address is looked up.
    """

    def __init__(self, find: Callable[[], Path], base: int) -> None:
        self._find = find
        self._base = base

    @cached_property
    def _symbols(self) -> list[_Symbol]:
        found = sorted(_read(self._find(), self._base), key=lambda each: (each.address, each.size))
        # Of several at an address the last one is kept: it has a size if any of them has.
        return list({each.address: each for each in found}.values())

    @cached_property
    def _addresses(self) -> list[int]:
        return [each.address for each in self._symbols]

    def at(self, address: int) -> str | None:
        """Return where an address is, as `function+0x1c`; None: in no function that is known."""
        index = bisect_right(self._addresses, address) - 1
        if index < 0:
            return None
        symbol = self._symbols[index]
        offset = address - symbol.address
        last = index + 1 == len(self._symbols)
        if offset >= symbol.size and (symbol.size or last):
            return None
        return f"{symbol.name}+{offset:#x}"


def _read(file: Path, base: int) -> list[_Symbol]:
    try:
        with file.open("rb") as stream:
            elf = ELFFile(stream)
            table = elf.get_section_by_name(".symtab")
            if not isinstance(table, SymbolTableSection):
                return []
            offset = load_offset(elf, base)
            return [
                _Symbol(each["st_value"] + offset, each["st_size"], each.name)
                for each in table.iter_symbols()
                if each["st_info"]["type"] in _CODE
                and _is_code(elf, each["st_shndx"])
                and each.name
                and not each.name.startswith((".L", "$"))
            ]
    except (OSError, ELFError):
        return []


def _is_code(elf: ELFFile, section: int | str) -> bool:
    """Tell whether a section holds instructions (SHF_EXECINSTR)."""
    return isinstance(section, int) and bool(elf.get_section(section)["sh_flags"] & 4)
