# SPDX-License-Identifier: BSD-2-Clause
"""Which file of the monitor calls and includes which, as the compiler and the sources say.

A call is a relocation in the code of one object to code of another: a call, a jump, or the address
of a function. An address in data is none: that is how files register what they offer, in tables of
operations and of hooks. What the compiler has put in line from a header is part of the file that
includes it. Where a file defines a function weakly, for another to replace it, that one is called.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import Section, SymbolTableSection

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)
# Compiled to constants, not to an object: see monitor/Makefile.
_OFFSETS = "arch/offsets.c"


@dataclass(frozen=True)
class Edge:
    """A file uses another; `symbol` is what it calls, empty where it includes a header."""

    user: str
    used: str
    symbol: str = ""


@dataclass(frozen=True)
class Object:
    """The functions that a file defines for others, and the names that its code refers to."""

    defined: frozenset[str]
    referred: frozenset[str]
    weak: frozenset[str] = frozenset()
    """those of the defined that another file may replace"""


def sources(monitor: Path, suffixes: str) -> list[str]:
    """Return the files in the folders of the monitor, by the letters that suffixes may be."""
    files = (file.relative_to(monitor) for file in monitor.glob(f"*/**/*.[{suffixes}]"))
    return sorted(str(file) for file in files)


def calls(monitor: Path, built: Path) -> list[Edge]:
    """Return the calls between files of the full monitor, which is built in `built`."""
    names = [name for name in sources(monitor, "cS") if name != _OFFSETS]
    return call_edges({name: read_object(built / f"{name}.o") for name in names})


def call_edges(objects: dict[str, Object]) -> list[Edge]:
    """Return an edge for each function of another file that a file refers to."""
    owners = {symbol: name for name, each in objects.items() for symbol in each.defined}
    owners |= {symbol: name for name, each in objects.items() for symbol in each.weak}
    return sorted(
        (
            Edge(name, owners[symbol], symbol)
            for name, each in objects.items()
            for symbol in each.referred & owners.keys()
            if owners[symbol] != name
        ),
        key=lambda edge: (edge.user, edge.used, edge.symbol),
    )


def read_object(path: Path) -> Object:
    """Read what an object file defines and refers to."""
    with path.open("rb") as file:
        elf = ELFFile(file)
        code = {index for index, each in enumerate(elf.iter_sections()) if _is_code(each)}
        table = elf.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        found = [symbol for symbol in table.iter_symbols() if symbol["st_shndx"] in code]
        defined = {each.name for each in found if each["st_info"]["bind"] != "STB_LOCAL"}
        weak = {each.name for each in found if each["st_info"]["bind"] == "STB_WEAK"}
        return Object(frozenset(defined), frozenset(_referred(elf, code, table)), frozenset(weak))


def _is_code(section: Section) -> bool:
    return bool(section["sh_flags"] & SH_FLAGS.SHF_EXECINSTR)


def _referred(elf: ELFFile, code: set[int], table: SymbolTableSection) -> Iterator[str]:
    for section in elf.iter_sections():
        if isinstance(section, RelocationSection) and section["sh_info"] in code:
            for relocation in section.iter_relocations():
                yield table.get_symbol(relocation["r_info_sym"]).name


def includes(monitor: Path) -> list[Edge]:
    """Return which file includes which header of the monitor, by its own lines."""
    names = sources(monitor, "chS")
    texts = {name: (monitor / name).read_text(encoding="utf-8") for name in names}
    return include_edges(texts)


def include_edges(texts: dict[str, str]) -> list[Edge]:
    """Return an edge for each header among the files that one of them includes."""
    return [
        Edge(name, header)
        for name, text in texts.items()
        for header in _headers(text)
        if header in texts
    ]


def _headers(text: str) -> Iterable[str]:
    return sorted(set(_INCLUDE.findall(text)))
