# SPDX-License-Identifier: BSD-2-Clause
"""What the benchmarked Linux consists of: Debian's benchmark programs and ours (linux/bench).

Its initramfs is not compressed: a boot is to show the kernel and the firmware, not gzip.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path

from . import debian_programs, programs
from .cpio import Archive
from .initramfs import base_archive, script

# Called with a package's name and the folder to bring it to; returns its file and name with version
Download = Callable[[str, Path], tuple[Path, str]]

_PROGRAMS = {
    "rt-tests": ("usr/bin/hackbench", "usr/bin/cyclictest"),
    "stress-ng": ("usr/bin/stress-ng",),
    "dbench": ("usr/bin/dbench", "usr/share/dbench/client.txt"),
}
# Those that the programs above are linked with; that none is missing is checked. libgbm, libdrm
# and the GL libraries are asked for by stress-ng's graphics stressor, which is never run.
_LIBRARIES = (
    *("libc6", "libgcc-s1", "libstdc++6", "libnuma1", "libpopt0", "zlib1g", "libxxhash0"),
    *("libacl1", "libapparmor1", "libbsd0", "libmd0", "libcrypt1", "libjpeg62-turbo"),
    *("libjudydebian1", "libkmod2", "libssl3t64", "libmpfr6", "libgmp10", "libsctp1", "libzstd1"),
    *("libegl1", "libgles2", "libglvnd0", "libgbm1", "libdrm2", "libexpat1"),
)
# The load of dbench is a recording of many minutes: its beginning, in bytes, is enough for us.
_LOAD = "share/dbench/client.txt"
_LOAD_SIZE = 2 << 20

PROGRAM_NAME = "linux-bench"
PROGRAMS_FILE = "programs.cpio"


def collect_programs(download: Download, scratch: Path) -> tuple[bytes, str]:
    """Bring the packages; return a cpio archive of what is needed of them, and their versions."""
    files, labels = [], []
    for name in (*_PROGRAMS, *_LIBRARIES):
        folder = scratch / name
        folder.mkdir()
        file, label = download(name, folder)
        files.append(file)
        labels.append(label)
    wanted = {path: path.removeprefix("usr/") for paths in _PROGRAMS.values() for path in paths}
    archive = Archive()
    for path, content in sorted(debian_programs.collect(files, wanted).items()):
        kept = _shorten(content) if path == _LOAD else content
        archive.add_file(path, kept, 0o644 if path == _LOAD else 0o755)
    return archive.to_bytes(), ", ".join(labels)


def build_initramfs(tree: Path, busybox: bytes, collected: bytes) -> bytes:
    """Return an uncompressed archive: ours, then the collected programs.

    The kernel takes several archives one after the other; directories may be there twice.
    """
    archive = base_archive(busybox, script("bench-init"))
    archive.add_file(f"bin/{PROGRAM_NAME}", programs.compile_program(sources(tree)), 0o755)
    return archive.to_bytes() + collected


def sources(tree: Path) -> list[Path]:
    """Return the sources of our program in a source tree."""
    return sorted((tree / "linux" / "bench").glob("*.c"))


def fingerprint(tree: Path) -> str:
    """Return a text that changes when our part of the initramfs would."""
    digest = hashlib.sha256(" ".join(programs.FLAGS).encode() + script("bench-init"))
    for source in [*sources(tree), *sorted((tree / "linux" / "bench").glob("*.h"))]:
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()


def _shorten(load: bytes) -> bytes:
    """Return the first lines of a load."""
    return load[: load.index(b"\n", _LOAD_SIZE) + 1] if len(load) > _LOAD_SIZE else load
