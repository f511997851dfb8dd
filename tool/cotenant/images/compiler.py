# SPDX-License-Identifier: BSD-2-Clause
"""Debian's C compiler, for a Linux that is measured while it builds something.

It is the compiler proper: what it compiles has been preprocessed, and no assembler follows.
"""

from pathlib import Path

from . import debian_programs
from .cpio import Archive
from .linux_bench import Download

FILE = "compiler.cpio"
PROGRAM = "bin/cc1"

_PACKAGE = "cpp-14-riscv64-linux-gnu"
_MEMBER = "usr/libexec/gcc/riscv64-linux-gnu/14/cc1"
_LIBRARIES = ("libc6", "libgmp10", "libisl23", "libmpc3", "libmpfr6", "libzstd1", "zlib1g")


def collect(download: Download, scratch: Path) -> tuple[bytes, str]:
    """Bring the packages; return a cpio archive of what is needed of them, and their versions."""
    files, labels = [], []
    for name in (_PACKAGE, *_LIBRARIES):
        folder = scratch / name
        folder.mkdir()
        file, label = download(name, folder)
        files.append(file)
        labels.append(label)
    archive = Archive()
    for path, content in sorted(debian_programs.collect(files, {_MEMBER: PROGRAM}).items()):
        archive.add_file(path, content, 0o755)
    return archive.to_bytes(), ", ".join(labels)
