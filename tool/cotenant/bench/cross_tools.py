# SPDX-License-Identifier: BSD-2-Clause
"""Debian's tools for the target, which small programs without a Makefile are made with."""

import subprocess

from cotenant.errors import BenchError

PREFIX = "riscv64-linux-gnu-"


def call(*command: str) -> None:
    """Run a tool. Raises BenchError with what it says, and its last argument, if it fails."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise BenchError(
            f"{command[0]} cannot be started ({error.strerror}); "
            "install gcc-riscv64-linux-gnu and device-tree-compiler"
        ) from error
    if result.returncode != 0:
        raise BenchError(f"{command[0]} failed on {command[-1]}: {result.stderr.strip()}")
