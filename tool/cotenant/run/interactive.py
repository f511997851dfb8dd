# SPDX-License-Identifier: BSD-2-Clause
"""A run at the user's terminal: QEMU's serial line is the terminal, in raw mode."""

import os
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from cotenant.run.errors import RunError
from cotenant.run.qemu import Machine, command_line


def run_at_terminal(machine: Machine) -> int:
    """Run QEMU on this terminal until it ends; return its exit code.

    QEMU sets the terminal's raw mode, so that Ctrl-C and friends reach the tenant. The terminal
    is put back whatever ends the run, and QEMU does not outlive us. A machine that cannot power
    itself off is left by QEMU's own key.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise RunError(
            "an interactive run needs a terminal for input and output: use --batch without one"
        )
    with _restored_terminal(sys.stdin.fileno()):
        left_by_key = replace(machine, leave_by_key=not machine.powers_off)
        process = subprocess.Popen(command_line(left_by_key))
        try:
            exit_code = process.wait()
        finally:
            process.kill()
            process.wait()
    return exit_code if exit_code >= 0 else 128 - exit_code


@contextmanager
def _restored_terminal(descriptor: int) -> Iterator[None]:
    """Keep the terminal's mode, and its being a blocking file, for after the run."""
    attributes = termios.tcgetattr(descriptor)
    try:
        yield
    finally:
        os.set_blocking(descriptor, True)
        termios.tcsetattr(descriptor, termios.TCSADRAIN, attributes)
