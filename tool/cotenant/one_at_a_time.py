# SPDX-License-Identifier: BSD-2-Clause
"""Locks between processes of this tool: who has to wait is told so."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(file: Path, waits: Callable[[], None]) -> Iterator[None]:
    """Keep other processes out of what a lock file stands for; `waits` is called if one is in it.

    The lock goes with the process.
    """
    with file.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waits()
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
