# SPDX-License-Identifier: BSD-2-Clause
"""Files that are there as a whole or not at all, whenever the process is killed or power is cut.

What is new is written beside its place and renamed to it. A rename may reach the disk before the
bytes of the file do: whatever outlives the command is synchronised first.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: Path, *, synchronised: bool = True) -> Iterator[BinaryIO]:
    """Give a file to write, which takes the place of `path` when the block ends without an error.

    Its directory is made if need be. Without `synchronised` a power cut may spoil it, but no kill:
    for what is used at once and thrown away.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _sweep(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            if synchronised:
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if synchronised:
        synchronise(path.parent)


def _sweep(path: Path) -> None:
    """Remove what processes that were killed have left of the same file."""
    for leftover in path.parent.glob(f".{path.name}.*"):
        process = leftover.name.rpartition(".")[2]
        if process.isdecimal() and not Path("/proc", process).exists():
            leftover.unlink(missing_ok=True)


def synchronise(path: Path) -> None:
    """Bring a file's bytes, or a directory's entries, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def synchronise_tree(directory: Path) -> None:
    """Bring all files of a directory, and its entries, to the disk."""
    for path in directory.rglob("*"):
        synchronise(path)
    synchronise(directory)
