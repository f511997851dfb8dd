# SPDX-License-Identifier: BSD-2-Clause
"""Holds monitor/state.toml to the lists of the ISA and to the monitor's code.

monitor/state.toml says of each register and each other piece of a hart's state what becomes of it
when another tenant gets the hart. This knows nothing of the monitor but its ELF file: which
function has an instruction that reads or writes which CSR. `--docs` writes the table of
docs/world-state.md.
"""

import argparse
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import isa_lists
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

ROOT = Path(__file__).resolve().parents[2]
STATEMENTS = ROOT / "monitor" / "state.toml"
DOCUMENT = ROOT / "docs" / "world-state.md"
ELF = ROOT / "build" / "monitor" / "monitor.elf"

SWITCHED = "switched"
SAME = "same for all"
UNREACHABLE = "not reachable"
CLEARED = "cleared"
OPEN = "open"
_KINDS = (SWITCHED, SAME, UNREACHABLE, CLEARED, OPEN)
# State that is no CSR: unprivileged ISA, chapters 2, 8 and 11 to 13; privileged, chapters 1 to 4.
ELEMENTS = (
    "x1 to x31",
    "pc",
    "privilege mode",
    "f0 to f31",
    "v0 to v31",
    "reservation",
    "translations in the TLB",
    "instructions in the cache",
    "caches and predictors",
)
_KEEP = re.compile(r"(<!-- state -->\n).*?(<!-- /state -->)", re.DOTALL)

_SYSTEM = 0x73
_ENVIRONMENT = (0, 4)
_NUMBER_SHIFT = 20
_LEVEL = 0x300
_LEVEL_HYPERVISOR = 0x200
_CODE = 4


@dataclass(frozen=True)
class Statement:
    """What becomes of some registers."""

    names: tuple[str, ...]
    kind: str
    reason: str
    held_in: str = ""
    """the CSR that the monitor accesses instead"""
    loaded_by: tuple[str, ...] = ()
    """functions that each write it"""
    written_by: tuple[str, ...] = ()
    """functions that alone write it, of a statement that it is the same for all or not reachable"""
    refused_by: str = ""
    """the function that reads it, or `held_in`, on harts that are then refused"""
    extension: str = ""
    """the extension without which it is not there"""

    def has(self, name: str) -> bool:
        """Whether it is about this one."""
        return any(fnmatchcase(name, pattern) for pattern in self.names)


@dataclass(frozen=True)
class Statements:
    """The file."""

    csrs: tuple[Statement, ...]
    elements: tuple[Statement, ...]
    extensions: tuple[tuple[tuple[str, ...], bool, str], ...]
    """names, whether boards may list them, and what their state is"""
    newer: dict[str, int]
    """CSRs that no list has yet"""
    not_extensions: frozenset[str]


@dataclass(frozen=True)
class Accesses:
    """Which functions of a monitor have instructions that read and write which CSRs."""

    reads: Mapping[int, frozenset[str]]
    writes: Mapping[int, frozenset[str]]


def read(file: Path = STATEMENTS) -> Statements:
    """Read the statements."""
    values = tomllib.loads(file.read_text())
    return Statements(
        tuple(_statement(each) for each in values["csr"]),
        tuple(_statement(each) for each in values["element"]),
        tuple(
            (tuple(each["names"]), each.get("boards", False), each["state"])
            for each in values["extension"]
        ),
        dict(values["newer"]),
        frozenset(values["not_extensions"]),
    )


def _statement(value: dict[str, Any]) -> Statement:
    texts: dict[str, Any] = {
        key: value.get(key, "") for key in ("held_in", "refused_by", "extension")
    }
    lists: dict[str, Any] = {key: tuple(value.get(key, ())) for key in ("loaded_by", "written_by")}
    known = {"names", "statement", "reason", *texts, *lists}
    if set(value) - known:
        raise ValueError(f"{STATEMENTS.name} has unknown keys: {sorted(set(value) - known)}")
    return Statement(tuple(value["names"]), value["statement"], value["reason"], **texts, **lists)


@cache
def numbers() -> dict[str, int]:
    """Return the numbers of all CSRs by name, with those that no list has yet."""
    return isa_lists.csrs() | read().newer


def faults(statements: Statements, csrs: Mapping[str, int], accesses: Accesses) -> list[str]:
    """Return what is wrong with the statements about CSRs; nothing is the goal."""
    known = {**csrs, **statements.newer}
    found = [
        f"{name} is in a list now: take it out of [newer]"
        for name in statements.newer
        if name in csrs
    ]
    for name in known:
        matching = [each for each in statements.csrs if each.has(name)]
        if len(matching) != 1:
            found.append(f"the CSR {name} has {len(matching)} statements, not one")
    for each in statements.csrs:
        found += _faults_of(each, known, accesses)
    stated = {known[name] for name in known}
    for number in sorted(set(accesses.reads) | set(accesses.writes)):
        if number not in stated:
            found.append(
                f"the monitor accesses the CSR {number:#x}, of which there is no statement"
            )
    return found


def _faults_of(each: Statement, known: Mapping[str, int], accesses: Accesses) -> list[str]:
    found = []
    first = each.names[0]
    if each.kind not in _KINDS or not each.reason:
        found.append(f"{first}: a statement is one of {_KINDS}, with a reason")
    for pattern in each.names:
        if not any(fnmatchcase(name, pattern) for name in known):
            found.append(f"{pattern}: there is no such CSR")
    if each.kind in (SWITCHED, CLEARED) and not each.loaded_by:
        found.append(f"{first}: {each.kind}, but nothing is said to load it")
    if each.held_in and each.held_in not in known:
        return [*found, f"{each.held_in}: there is no such CSR"]
    for name in (name for name in known if each.has(name)):
        number = known[each.held_in or name]
        writers = accesses.writes.get(number, frozenset())
        for function in each.loaded_by:
            if function not in writers:
                found.append(f"{name}: {function}() does not write it")
        if each.kind in (SAME, UNREACHABLE) and not each.held_in:
            found += [
                f"{name}: {each.kind}, but {function}() writes it"
                for function in sorted(writers - set(each.written_by))
            ]
        if each.refused_by and each.refused_by not in accesses.reads.get(number, frozenset()):
            found.append(f"{name}: {each.refused_by}() does not look whether it is there")
    return found


def contradictions(statements: Statements, seen: Mapping[int, str]) -> list[str]:
    """Return which statements what a tenant reached shows to be false, by CSR number.

    `seen` says "planted" of a CSR that kept what was written beside others, "fixed" of one that
    takes no values, and "read-only".
    """
    found = []
    known = {number: name for name, number in numbers().items() if _for_tenants(number)}
    for number, kind in seen.items():
        if number not in known:
            found.append(f"CSR {number:#x} is reached, and no list has it")
            continue
        (statement,) = (each for each in statements.csrs if each.has(known[number]))
        if statement.kind in (UNREACHABLE, OPEN):
            found.append(f"{known[number]} is reached, and said to be {statement.kind}")
        if statement.kind == SAME and kind == "planted":
            found.append(f"{known[number]} takes values, and is said to be the same for all")
    for number, name in known.items():
        (statement,) = (each for each in statements.csrs if each.has(name))
        if statement.kind == SWITCHED and not statement.extension and seen.get(number) != "planted":
            found.append(f"{name} is said to be switched, and was not planted")
    return found


def _for_tenants(number: int) -> bool:
    return number & _LEVEL <= _LEVEL_HYPERVISOR


def extension_faults(
    statements: Statements, listed: Iterable[str], boards: Mapping[str, Iterable[str]]
) -> list[str]:
    """Return which extensions have no statement, or are on a board that may not have them."""
    found = []
    for name in sorted({*listed} - statements.not_extensions):
        matching = [names for names, _, _ in statements.extensions if name in names]
        if len(matching) != 1:
            found.append(f"the extension {name} has {len(matching)} statements, not one")
    allowed = {name for names, on_boards, _ in statements.extensions if on_boards for name in names}
    for board, isa in boards.items():
        for name in isa:
            if name not in allowed:
                found.append(f"{board}: its `isa` has {name}, whose state nothing is said to keep")
    return found


def element_faults(statements: Statements, symbols: Iterable[str]) -> list[str]:
    """Return what is wrong with the statements about state that is no CSR."""
    names = [name for each in statements.elements for name in each.names]
    found = [
        f"{name} has {names.count(name)} statements, not one"
        for name in ELEMENTS
        if names.count(name) != 1
    ]
    found += [f"{name} is no piece of state" for name in names if name not in ELEMENTS]
    functions = set(symbols)
    for each in statements.elements:
        found += [
            f"{each.names[0]}: the monitor has no {function}()"
            for function in each.loaded_by
            if function not in functions
        ]
    return found


def accesses_of(file: Path = ELF) -> tuple[Accesses, frozenset[str]]:
    """Return which functions of a monitor access CSRs, and the names of its functions."""
    reads: dict[int, set[str]] = {}
    writes: dict[int, set[str]] = {}
    with file.open("rb") as stream:
        elf = ELFFile(stream)
        code = [each for each in elf.iter_sections() if each["sh_flags"] & _CODE]
        indexes = {elf.get_section_index(each.name) for each in code}
        labels = sorted(
            (each["st_value"], each.name)
            for each in _symbols(elf).iter_symbols()
            if each["st_shndx"] in indexes
            and each.name
            and not each.name.startswith((".L", "$"))
            and each["st_info"]["type"] in ("STT_FUNC", "STT_NOTYPE")
        )
        for section in code:
            for address, word in _instructions(section.data(), section["sh_addr"]):
                function = _label_at(labels, address)
                number, operation = word >> _NUMBER_SHIFT, word >> 12 & 7
                if word & 0x7F != _SYSTEM or operation in _ENVIRONMENT:
                    continue
                if operation & 3 == 1 or word >> 15 & 31:
                    writes.setdefault(number, set()).add(function)
                if operation & 3 != 1 or word >> 7 & 31:
                    reads.setdefault(number, set()).add(function)
    frozen = [{csr: frozenset(each) for csr, each in found.items()} for found in (reads, writes)]
    return Accesses(*frozen), frozenset(name for _, name in labels)


def _symbols(elf: ELFFile) -> SymbolTableSection:
    table = elf.get_section_by_name(".symtab")
    assert isinstance(table, SymbolTableSection), "the file has no symbols"
    return table


def address_of(name: str, file: Path = ELF) -> int:
    """Return where a symbol of a monitor is in its image, which is linked at 0."""
    with file.open("rb") as stream:
        (found,) = _symbols(ELFFile(stream)).get_symbol_by_name(name) or (None,)
        assert found is not None, f"{file.name} has no symbol {name}"
        return int(found["st_value"])


def _instructions(data: bytes, address: int) -> Iterable[tuple[int, int]]:
    place = 0
    while place + 2 <= len(data):
        if data[place] & 3 == 3:
            yield address + place, int.from_bytes(data[place : place + 4], "little")
            place += 2
        place += 2


def _label_at(labels: list[tuple[int, str]], address: int) -> str:
    low, high = 0, len(labels)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if labels[middle][0] <= address else (low, middle)
    return labels[low][1].split(".")[0]


def table(statements: Statements) -> str:
    """Return the statements as docs/world-state.md has them."""
    lines = ["| register | statement | why |", "|---|---|---|"]
    for each in statements.csrs:
        lines.append(_row(each, "`"))
    lines += ["", "| other state | statement | why |", "|---|---|---|"]
    for each in statements.elements:
        lines.append(_row(each, ""))
    lines += ["", "| extension | on boards | its state |", "|---|---|---|"]
    for names, boards, text in statements.extensions:
        lines.append(f"| {', '.join(names)} | {'yes' if boards else 'no'} | {text} |")
    return "\n".join(lines) + "\n"


def _row(each: Statement, quote: str) -> str:
    names = ", ".join(f"{quote}{name}{quote}" for name in each.names)
    functions = ", ".join(f"`{name}()`" for name in (*each.loaded_by, *each.written_by))
    where = f" ({functions})" if functions else ""
    refused = f" Looked for by `{each.refused_by}()`." if each.refused_by else ""
    return f"| {names} | {each.kind}{where} | {each.reason}{refused} |"


def documented(document: str, text: str) -> str:
    """Return the document with the table in its place."""
    return _KEEP.sub(lambda found: f"{found[1]}{text}{found[2]}", document)


def main() -> int:
    """Check, or write the table; exit status 0 means that nothing is wrong."""
    parser = argparse.ArgumentParser(description="Checks the statements about a hart's state.")
    parser.add_argument(
        "--docs", action="store_true", help="write the table to docs/world-state.md"
    )
    if parser.parse_args().docs:
        DOCUMENT.write_text(documented(DOCUMENT.read_text(), table(read())))
        return 0
    statements = read()
    accesses, functions = accesses_of()
    wrong = faults(statements, isa_lists.csrs(), accesses) + element_faults(statements, functions)
    sys.stdout.writelines(f"{fault}\n" for fault in wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
