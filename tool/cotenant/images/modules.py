# SPDX-License-Identifier: BSD-2-Clause
"""Picks Linux kernel modules together with all that they depend on."""

import lzma
from collections.abc import Iterable, Mapping
from io import BytesIO

from elftools.elf.elffile import ELFFile

from cotenant.errors import ImageError

_SUFFIX = ".ko.xz"


def is_module(path: str) -> bool:
    """Tell whether a path of the kernel package is that of a module."""
    return path.endswith(_SUFFIX)


def module_name(path: str) -> str:
    """Return the kernel's name of a module, from its path."""
    return path.rpartition("/")[2].removesuffix(_SUFFIX).replace("-", "_")


def load_order(wanted: Iterable[str], packed: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the wanted modules and their dependencies, decompressed, in an order that loads.

    `packed` maps names to compressed modules. The kernel's dependency graph has no cycles.
    """
    order: dict[str, bytes] = {}

    def visit(name: str) -> None:
        if name in order:
            return
        if name not in packed:
            raise ImageError(f"the Debian kernel package holds no module {name}.")
        content = lzma.decompress(packed[name])
        for dependency in dependencies(content):
            visit(dependency)
        order[name] = content

    for name in wanted:
        visit(name)
    return order


def dependency_file(modules: Mapping[str, bytes]) -> bytes:
    """Return the modules.dep of a directory that holds these modules (as kmod's depmod makes it).

    busybox's modprobe loads what it finds there, the last one of a line first.
    """
    lines = []
    for name, content in modules.items():
        needed: list[str] = []
        _add_dependencies(content, modules, needed)
        lines.append(" ".join([f"{name}.ko:", *(f"{each}.ko" for each in needed)]))
    return "".join(f"{line}\n" for line in lines).encode()


def _add_dependencies(content: bytes, modules: Mapping[str, bytes], found: list[str]) -> None:
    """Append what a module needs, directly and by others, each behind all that need it."""
    for name in dependencies(content):
        if name in found:
            found.remove(name)
        found.append(name)
        _add_dependencies(modules[name], modules, found)


def dependencies(module: bytes) -> list[str]:
    """Return the modules that a module names in its `depends=` line."""
    section = ELFFile(BytesIO(module)).get_section_by_name(".modinfo")
    for line in section.data().split(b"\0") if section else []:
        if line.startswith(b"depends=") and len(line) > len(b"depends="):
            return [name.replace("-", "_") for name in line[8:].decode().split(",")]
    return []
