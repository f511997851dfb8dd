# SPDX-License-Identifier: BSD-2-Clause
"""`make test-loaded` has programs beside the tests, ends them, and tells what came of each run."""

import os
import sys
from contextlib import suppress
from pathlib import Path

import beside_load
import pytest


def count_children() -> int:
    """Return how many processes have this one as their parent (proc(5), fields of stat)."""
    found = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            found += file.read_text().rpartition(")")[2].split()[1] == str(os.getpid())
    return found


def test_processors_and_disk_are_busy_until_it_ends() -> None:
    before = count_children()
    with pytest.raises(KeyboardInterrupt), beside_load.load():
        assert count_children() - before == (os.cpu_count() or 1) + 1
        raise KeyboardInterrupt
    assert count_children() == before
    assert not beside_load.FILE.exists()


@pytest.mark.parametrize(
    ("said", "status", "expected"),
    [
        ("=== totals\n9 passed, 0 failed\n", 0, beside_load.Run(True, "9 passed, 0 failed", "")),
        ("8 passed, 1 failed\n", 1, beside_load.Run(False, "8 passed, 1 failed", "")),
        (
            "needed a second run: a.py::test_b, c.py::test_d\n9 passed, 0 failed\n",
            0,
            beside_load.Run(True, "9 passed, 0 failed", "a.py::test_b, c.py::test_d"),
        ),
    ],
)
def test_what_became_of_a_run(said: str, status: int, expected: beside_load.Run) -> None:
    program = f"import sys; print({said!r}); sys.exit({status})"
    assert beside_load.run([sys.executable, "-c", program]) == expected
