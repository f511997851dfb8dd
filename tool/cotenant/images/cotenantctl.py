# SPDX-License-Identifier: BSD-2-Clause
"""cotenantctl for a riscv64 Linux: one static program, with Debian's zstd library in it."""

import hashlib
import subprocess
import tempfile
from pathlib import Path

from cotenant.errors import ImageError

from . import package
from .cpio import Archive
from .programs import COMPILER

PROGRAM = "cotenantctl"

# In libzstd-dev, and what the compiler is to find them by.
ZSTD_FILES = {
    "usr/include/zstd.h": "zstd.h",
    "usr/include/zstd_errors.h": "zstd_errors.h",
    "usr/lib/riscv64-linux-gnu/libzstd.a": "libzstd.a",
}


def unpack_zstd(file: Path, directory: Path) -> None:
    """Write the library and its headers into `directory`."""
    found = {
        ZSTD_FILES[path]: stream.read()
        for path, stream in package.members(file)
        if path in ZSTD_FILES
    }
    if missing := sorted(set(ZSTD_FILES.values()) - set(found)):
        raise ImageError(f"package {file.name} holds no {missing[0]}; its layout has changed.")
    for name, content in found.items():
        (directory / name).write_bytes(content)


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
    with tempfile.TemporaryDirectory() as directory:
        settings = [f"CC={COMPILER}", "LDFLAGS=-static -s", f"ZSTD={zstd}", f"OUT={directory}"]
        folder = tree / "linux" / PROGRAM
        outcome = subprocess.run(
            ["make", "--no-print-directory", "-C", str(folder), *settings],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if outcome.returncode != 0:
            raise ImageError(f"{PROGRAM} does not compile:\n{outcome.stderr.strip()}")
        return (Path(directory) / PROGRAM).read_bytes()


def build_archive(program: bytes) -> bytes:
    """Return the program as a part of an initramfs."""
    archive = Archive()
    archive.add_file(f"bin/{PROGRAM}", program, 0o755)
    return archive.to_bytes()
