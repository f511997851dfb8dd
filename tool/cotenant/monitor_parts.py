# SPDX-License-Identifier: BSD-2-Clause
"""What the parts of a built monitor cost: its core, and each feature in monitor/features/.

`make -C monitor size` runs this with the directory of the build.
"""

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from cotenant import abi, paths
from cotenant.monitor_build import code_lines, source_files

CORE = "core"
"""the name of all that is in no feature"""

_FEATURES = "features"
_DIMENSIONS = {"vhart": "MAX_VHARTS", "tenant": "MAX_TENANTS", "hart": "MAX_HARTS"}
_ARRAY = re.compile(r"^(?!extern)\w[^\n;()]*?\b(\w+)\[COTENANT_(MAX_\w+)\](?: = [^\n]*)?;", re.M)
_STRUCT_ARRAY = re.compile(r"^\} (\w+)\[COTENANT_(MAX_\w+)\];", re.M)
# Of the linker's map: " .text.f  0x100  0x20  file.o", on two lines if the name is long.
_PLACED = re.compile(r"^ (\.?\w[\w.]*)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S+\.o)$", re.M)
_CODE = (".text", ".rodata")
# What was compiled together at the link is in one object: the names of its sections tell the files.
_TOGETHER = ".ltrans.o"
_SECTION = re.compile(r"\.(?:text|rodata)(?:\.unlikely)?\.(?P<symbol>.+?)(?:\.str\d+\.\d+)?")
# Of nm -l: "00000100 t f<tab>/place/monitor/core/one.c:12".
_SYMBOL = re.compile(r"^\w+ \w (\S+)\t.*/monitor/(\S+):\d+$", re.M)


@dataclass
class Part:
    """Lines without comments and blanks, bytes of code and constants, and bytes of data each."""

    name: str
    lines: int = 0
    code: int = 0
    each: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_DIMENSIONS, 0))


def parts(folder: Path) -> list[Part]:
    """Return the core and the features, by name, of the build in a directory."""
    found = _counted()
    for place in _objects(folder):
        part = _part(found, place)
        for dimension, size in _arrays(paths.MONITOR / place.with_suffix(""), folder / place):
            part.each[dimension] += size
    for place, size in _placed(folder):
        _part(found, place).code += size
    return list(found.values())


def core_lines() -> int:
    """Return the lines of all that is in no feature."""
    return _counted()[CORE].lines


def table(rows: Iterable[Part]) -> str:
    """Return the parts as people read them."""
    lines = [f"{'part':24}{'lines':>8}{'code':>8}{'a vhart':>9}{'a tenant':>9}{'a hart':>9}"]
    for part in rows:
        each = "".join(f"{size or '':>9}" for size in part.each.values())
        lines.append(f"{part.name:24}{part.lines:8}{part.code:8}{each}".rstrip())
    return "\n".join([*lines, "lines without comments and blanks; code, constants, data: bytes"])


def _counted() -> dict[str, Part]:
    """Return the core and the features, by name, with their lines alone."""
    found = {CORE: Part(CORE)}
    for file in source_files():
        _part(found, file.relative_to(paths.MONITOR)).lines += code_lines(file)
    return found


def _part(found: dict[str, Part], file: Path) -> Part:
    in_feature = file.parts[0] == _FEATURES
    name = "/".join(file.parts[:2]) if in_feature else CORE
    return found.setdefault(name, Part(name))


def _objects(folder: Path) -> list[Path]:
    """Return those that still have a source."""
    objects = (file.relative_to(folder) for file in sorted(folder.rglob("*.o")))
    return [file for file in objects if (paths.MONITOR / file.with_suffix("")).is_file()]


def _placed(folder: Path) -> Iterable[tuple[Path, int]]:
    """Give the code and constants that the linker has taken from each object or source file."""
    text = (folder / "monitor.map").read_text(encoding="utf-8")
    memory_map = text[text.index("Linker script and memory map") :]
    files = _files_of_symbols(folder)
    for found in _PLACED.finditer(memory_map):
        object_file = (paths.MONITOR / found[4]).resolve()
        if not found[1].startswith(_CODE):
            continue
        if object_file.is_relative_to(folder.resolve()):
            yield object_file.relative_to(folder.resolve()), int(found[3], 16)
        elif found[4].endswith(_TOGETHER):
            yield files.get(section_symbol(found[1]), Path(CORE)), int(found[3], 16)


def section_symbol(section: str) -> str:
    """Return the function or constant that a section of code or constants is for, or ""."""
    found = _SECTION.fullmatch(section)
    return found["symbol"] if found else ""


def _files_of_symbols(folder: Path) -> dict[str, Path]:
    """Return the files that define functions and constants.

    The debug information knows functions alone. Constants are known by the sections of objects.
    """
    files: dict[str, Path] = {}
    for place in _objects(folder):
        with (folder / place).open("rb") as file:
            for section in ELFFile(file).iter_sections():
                files[section_symbol(section.name)] = place
    files.pop("", None)
    symbols = (folder / "monitor.symbols").read_text(encoding="utf-8")
    return files | {found[1]: Path(found[2]) for found in _SYMBOL.finditer(symbols)}


def arrays_in(source: str) -> dict[str, str]:
    """Return the arrays that a file defines with an entry for each vhart, tenant or hart."""
    dimensions = {limit: dimension for dimension, limit in _DIMENSIONS.items()}
    found = (*_ARRAY.finditer(source), *_STRUCT_ARRAY.finditer(source))
    return {array[1]: dimensions[array[2]] for array in found if array[2] in dimensions}


def _arrays(source: Path, object_file: Path) -> Iterable[tuple[str, int]]:
    """Give the bytes that a file has for each vhart, tenant or hart: those of its arrays."""
    arrays = arrays_in(source.read_text(encoding="utf-8"))
    with object_file.open("rb") as file:
        for section in ELFFile(file).iter_sections():
            if isinstance(section, SymbolTableSection):
                for symbol in section.iter_symbols():
                    of = arrays.get(symbol.name)
                    if of is not None:
                        yield of, symbol["st_size"] // abi.limit(_DIMENSIONS[of])


if __name__ == "__main__":
    sys.stdout.write(f"{table(parts(Path(sys.argv[1]).resolve()))}\n")
