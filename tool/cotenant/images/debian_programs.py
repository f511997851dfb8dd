# SPDX-License-Identifier: BSD-2-Clause
"""Collects programs of Debian packages, with the shared libraries that they need."""

from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

from cotenant.errors import ImageError

from . import package

# Where Debian's dynamic linker is and looks for libraries.
_LINKER = "ld-linux-riscv64-lp64d.so.1"
_LIBRARY_FOLDER = "lib/riscv64-linux-gnu"


def collect(packages: Iterable[Path], wanted: Mapping[str, str]) -> dict[str, bytes]:
    """Return the wanted files and the libraries they need, by their paths in a root file system.

    `wanted` maps paths in the packages to paths in the result. Raises ImageError when a file is in
    none of the packages, or a library that it needs.
    """
    found: dict[str, bytes] = {}
    libraries: dict[str, bytes] = {}
    for file in packages:
        for path, stream in package.members(file):
            if path in wanted:
                found[wanted[path]] = stream.read()
            elif _is_library(path):
                content = stream.read()
                libraries[soname(content) or path.rpartition("/")[2]] = content
    missing = sorted(path for path, target in wanted.items() if target not in found)
    if missing:
        raise ImageError(f"no package has {', '.join(missing)}; their layout has changed.")
    for name in _closure(found, libraries):
        folder = "lib" if name == _LINKER else _LIBRARY_FOLDER
        found[f"{folder}/{name}"] = libraries[name]
    return found


def soname(content: bytes) -> str | None:
    """Return the name under which programs ask for a library; None if it tells none."""
    names = _dynamic(content, "DT_SONAME", "soname")
    return names[0] if names else None


def needed(content: bytes) -> list[str]:
    """Return the names of the libraries that a program or library asks for."""
    return _dynamic(content, "DT_NEEDED", "needed")


def _closure(programs: Mapping[str, bytes], libraries: Mapping[str, bytes]) -> list[str]:
    """Return the libraries that the programs need, and those that these need, sorted."""
    reached: set[str] = set()
    waiting = [(path, name) for path, content in programs.items() for name in needed(content)]
    while waiting:
        asker, name = waiting.pop()
        if name in reached:
            continue
        if name not in libraries:
            raise ImageError(f"{asker} needs library {name}, which is in none of the packages.")
        reached.add(name)
        waiting += [(name, each) for each in needed(libraries[name])]
    return sorted(reached)


def _is_library(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return ".so" in name and folder in ("usr/lib", "lib", f"usr/{_LIBRARY_FOLDER}", _LIBRARY_FOLDER)


def _dynamic(content: bytes, tag: str, attribute: str) -> list[str]:
    """Return the texts of a kind of entry of the dynamic section; none if it is not ELF."""
    if not content.startswith(b"\x7fELF"):
        return []
    section = ELFFile(BytesIO(content)).get_section_by_name(".dynamic")
    if not isinstance(section, DynamicSection):
        return []
    return [str(getattr(each, attribute)) for each in section.iter_tags(tag)]
