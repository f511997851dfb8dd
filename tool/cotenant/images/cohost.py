# SPDX-License-Identifier: BSD-2-Clause
"""cohost for a riscv64 Linux: one static program, with Debian's libfdt in it."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from . import modules, package
from .cpio import Archive
from .programs import make_program

PROGRAM = "cohost"

# In libfdt-dev, and what the compiler is to find them by.
FDT_FILES = {
    "usr/include/fdt.h": "fdt.h",
    "usr/include/libfdt.h": "libfdt.h",
    "usr/include/libfdt_env.h": "libfdt_env.h",
    "usr/lib/riscv64-linux-gnu/libfdt.a": "libfdt.a",
}

# Of cotenantctl.
_SHARED = ("json.c", "json.h", "terminal.c", "terminal.h")

# Where the program looks for the guest's kernel and initrd if none are named.
_DEFAULTS = "usr/lib/cohost"


def unpack_fdt(file: Path, directory: Path) -> None:
    """Write the library and its headers into `directory`."""
    package.unpack(file, directory, FDT_FILES)


def fingerprint(tree: Path) -> str:
    """Return a text that changes when the program would."""
    folder = tree / "linux" / PROGRAM
    shared = [tree / "linux" / "cotenantctl" / name for name in _SHARED]
    digest = hashlib.sha256()
    for source in [
        *sorted(folder.glob("*.[ch]")),
        folder / "Makefile",
        *shared,
        tree / "abi" / "hosted.h",
        tree / "abi" / "served.h",
    ]:
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()


def compile_program(tree: Path, fdt: Path) -> bytes:
    """Return the program; `fdt` has what `unpack_fdt` wrote."""
    return make_program(tree, PROGRAM, f"FDT={fdt}")


def build_archive(
    program: bytes, kernel: bytes, initrd: bytes, kernel_modules: Mapping[str, bytes]
) -> bytes:
    """Return the program, and what its guests start with, as a part of an initramfs.

    It is put behind the usual one, whose modules.dep it replaces.
    """
    archive = Archive()
    for directory in ("usr", "usr/lib", _DEFAULTS):
        archive.add_directory(directory)
    archive.add_file(f"bin/{PROGRAM}", program, 0o755)
    archive.add_file(f"{_DEFAULTS}/Image", kernel)
    archive.add_file(f"{_DEFAULTS}/initrd", initrd)
    archive.add_file("lib/modules/modules.dep", modules.dependency_file(kernel_modules))
    for name, content in sorted(kernel_modules.items()):
        archive.add_file(f"lib/modules/{name}.ko", content)
    return archive.to_bytes()
