# SPDX-License-Identifier: BSD-2-Clause
"""What cohost has the kernel of its host do for disks, tried with the kernel of this machine."""

import subprocess
from pathlib import Path

import pytest

from cotenant import paths

REFUSED = 77
FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-O1", "-g", "-pthread", "-Wall", "-Wextra", "-Werror"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def test_operations(tmp_path: Path) -> None:
    """Each is done once, by who waits for it, and no wake is lost."""
    program = tmp_path / "test"
    folder = paths.ROOT / "linux" / "cohost"
    sources = [paths.ROOT / "tests/unit/cohost/test_io_uring.c", folder / "io_uring.c"]
    subprocess.run(["gcc", *FLAGS, *SANITIZERS, f"-I{folder}", *sources, "-o", program], check=True)
    result = subprocess.run([program], capture_output=True, timeout=120, check=False)
    if result.returncode == REFUSED:
        pytest.skip("this machine's kernel allows no io_uring")
    assert result.returncode == 0, result.stderr
