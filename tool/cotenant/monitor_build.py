# SPDX-License-Identifier: BSD-2-Clause
"""Monitors that are built without what a system does not use, and how large a monitor is.

Each choice of features has a directory of its own below build/, which make keeps up to date.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

from cotenant import paths
from cotenant.errors import BuildError
from cotenant.features import WHAT
from cotenant.one_at_a_time import alone

_SUFFIXES = (".c", ".h", ".S")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


@dataclass(frozen=True)
class Monitor:
    """A monitor that is, or should be, built; `left_out` in alphabetical order."""

    image: Path
    elf: Path
    left_out: tuple[str, ...]

    @cached_property
    def text_bytes(self) -> int:
        """Bytes of code and constants."""
        with self.elf.open("rb") as file:
            return sum(
                section["sh_size"]
                for section in ELFFile(file).iter_sections()
                if section["sh_flags"] & SH_FLAGS.SHF_ALLOC
                and not section["sh_flags"] & SH_FLAGS.SHF_WRITE
            )

    @cached_property
    def lines(self) -> int:
        """Lines of the files of monitor/ that it is compiled from, without comments and blanks."""
        folder = self.elf.parent
        # A file that is gone from the sources leaves its dependencies behind.
        compiled = (
            file
            for file in folder.rglob("*.d")
            if (paths.MONITOR / file.relative_to(folder)).with_suffix("").is_file()
        )
        files = {name for file in compiled for name in _named_by(file)}
        return sum(code_lines(file) for file in files)


def monitor_of(features: frozenset[str]) -> Monitor:
    """Return the monitor with these features; it need not be there."""
    left_out = tuple(sorted(WHAT.keys() - features))
    if not left_out:
        return Monitor(paths.MONITOR_IMAGE, paths.MONITOR_ELF, ())
    name = sha256(" ".join(left_out).encode()).hexdigest()[:12]
    folder = paths.MADE / f"monitor-{name}"
    return Monitor(folder / "monitor.bin", folder / "monitor.elf", left_out)


def build(features: frozenset[str]) -> Monitor:
    """Return the monitor with these features; unless it is the full one, it is compiled.

    Raises BuildError if that cannot be done. The full one is the business of `make build`.
    """
    monitor = monitor_of(features)
    if monitor.left_out:
        make(monitor, monitor.image.name)
    return monitor


def make(monitor: Monitor, name: str) -> Path:
    """Have monitor/Makefile bring a file of a lean monitor's directory up to date, and return it.

    Raises BuildError if that cannot be done.
    """
    file = monitor.image.parent / name
    file.parent.mkdir(parents=True, exist_ok=True)
    with alone(file.parent / ".lock", _tell_that_it_waits):
        _make(file, monitor.left_out)
    return file


def _tell_that_it_waits() -> None:
    sys.stderr.write("waiting: another process is compiling this monitor\n")


def _make(file: Path, left_out: tuple[str, ...]) -> None:
    command = ["make", "--silent", "--no-print-directory", f"--jobs={os.cpu_count() or 1}"]
    # What depends on what is noted by these names, and stays true when the whole tree is moved.
    out = os.path.relpath(file.parent, paths.MONITOR)
    command += ["-C", str(paths.MONITOR), f"OUT={out}", f"WITHOUT={' '.join(left_out)}"]
    command.append(f"{out}/{file.name}")
    command.append(f"PYTHON={sys.executable}")
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    try:
        subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    except OSError as error:
        raise BuildError(f"make cannot be run ({error.strerror}); run 'make setup'") from error
    except subprocess.CalledProcessError as error:
        raise BuildError(f"the monitor cannot be compiled:\n{error.stderr.strip()}") from error


def _named_by(dependencies: Path) -> Iterator[Path]:
    """Give the files of monitor/ that the compiler has read."""
    for name in dependencies.read_text().replace("\\\n", " ").split():
        path = (paths.MONITOR / name.rstrip(":")).resolve()
        if path.suffix in _SUFFIXES and path.is_relative_to(paths.MONITOR):
            yield path


def source_files() -> list[Path]:
    """Return the files that monitors are compiled from."""
    return sorted(file for file in paths.MONITOR.rglob("*") if file.suffix in _SUFFIXES)


def code_lines(file: Path) -> int:
    """Return the lines of a source file without comments and blanks."""
    return sum(bool(line.strip()) for line in _COMMENT.sub("", file.read_text()).splitlines())
