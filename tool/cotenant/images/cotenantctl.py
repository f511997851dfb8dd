# SPDX-License-Identifier: BSD-2-Clause
"""cotenantctl for a riscv64 Linux: one static program, with Debian's zstd library in it."""

import hashlib
from pathlib import Path

from . import package
from .cpio import Archive
from .programs import make_program

PROGRAM = "cotenantctl"

# In libzstd-dev, and what the compiler is to find them by.
ZSTD_FILES = {
    "usr/include/zstd.h": "zstd.h",
    "usr/include/zstd_errors.h": "zstd_errors.h",
    "usr/lib/riscv64-linux-gnu/libzstd.a": "libzstd.a",
}


def unpack_zstd(file: Path, directory: Path) -> None:
    """Write the library and its headers into `directory`."""
    package.unpack(file, directory, ZSTD_FILES)


def sources(tree: Path) -> list[Path]:
    """Return what the program is made from, in a source tree."""
    folder = tree / "linux" / PROGRAM
    headers = [
        tree / "abi" / name
        for name in ("bundle.h", "control.h", "dormant.h", "limits.h", "trace.h")
    ]
    return [*sorted(folder.glob("*.[ch]")), folder / "Makefile", *headers]


def fingerprint(tree: Path) -> str:
    """Return a text that changes when the program would."""
    digest = hashlib.sha256()
    for source in sources(tree):
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()


def compile_program(tree: Path, zstd: Path) -> bytes:
    """Return the program; `zstd` has what `unpack_zstd` wrote."""
    return make_program(tree, PROGRAM, f"ZSTD={zstd}")


def build_archive(program: bytes) -> bytes:
    """Return the program as a part of an initramfs."""
    archive = Archive()
    archive.add_file(f"bin/{PROGRAM}", program, 0o755)
    return archive.to_bytes()
