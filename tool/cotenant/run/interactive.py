# SPDX-License-Identifier: BSD-2-Clause
"""A run at the user's terminal: the terminal, in raw mode, is QEMU's serial line.

What the monitor answers to programs that use the control protocol travels on the same line, and is
taken out of what the user sees.
"""

import os
import sys
import termios
import threading
import tty
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from cotenant.control.exchange import Exchange
from cotenant.control.server import ControlServer
from cotenant.errors import RunError
from cotenant.run.line import write_all
from cotenant.run.mux import EscapeWatcher, MuxDecoder, encode_control
from cotenant.run.pace import Pacer
from cotenant.run.qemu import Machine, QemuProcess
from cotenant.run.tour import Tour

_READ_SIZE = 1 << 16
_END_TIMEOUT = 20.0


def run_at_terminal(
    machine: Machine, escape: int, control: Path | None = None, tour: Tour | None = None
) -> int:
    """Run QEMU on this terminal until it ends; return its exit code.

    `escape` is the key that starts a command; `control` the place of the socket for programs. The
    terminal is put back whatever ends the run, and QEMU does not outlive us. A machine that cannot
    power itself off is left by QEMU's own key.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise RunError(
            "an interactive run needs a terminal for input and output: use --batch without one"
        )
    left_by_key = replace(machine, leave_by_key=not machine.powers_off)
    with ExitStack() as stack:
        process = stack.enter_context(QemuProcess(left_by_key))
        line = _Line(process, escape, tour)
        if control is not None:
            stack.enter_context(ControlServer(control, line.exchange))
        if machine.pace is not None:
            stack.enter_context(Pacer(process.pid, machine.pace))
        with _raw_terminal(sys.stdin.fileno()):
            line.carry(sys.stdin.fileno(), sys.stdout.fileno())
        exit_code = process.wait(_END_TIMEOUT)
        if words := process.last_words():
            sys.stderr.write(f"{words}\n")
    if exit_code is None:
        return 1
    return exit_code if exit_code >= 0 else 128 - exit_code


class _Line:
    """Carries bytes between the terminal, the machine, and programs that ask the monitor."""

    def __init__(self, process: QemuProcess, escape: int, tour: Tour | None) -> None:
        self._tour = tour
        self.exchange = Exchange(self._send)
        self._input = process.input.fileno()
        self._output = process.output.fileno()
        self._escape = escape
        self._typed = EscapeWatcher(escape)
        self._decoder = MuxDecoder()
        self._writing = threading.Lock()
        self._requests = bytearray()

    def carry(self, keyboard: int, screen: int) -> None:
        """Carry until the machine closes the line."""
        threading.Thread(target=self._carry_keys, args=(keyboard,), daemon=True).start()
        while data := os.read(self._output, _READ_SIZE):
            shown, answer = self._decoder.feed(data)
            if shown:
                write_all(screen, self._tour.add(shown) if self._tour else shown)
            if answer:
                self.exchange.feed(answer)

    def _carry_keys(self, keyboard: int) -> None:
        while keys := os.read(keyboard, _READ_SIZE):
            with self._writing:
                self._typed.feed(keys)
                self._write(keys)
                self._write_requests()

    def _send(self, request: bytes) -> None:
        with self._writing:
            self._requests += encode_control(self._escape, request)
            self._write_requests()

    def _write_requests(self) -> None:
        """Write what waits, unless the user is in the middle of a command."""
        if self._requests and not self._typed.in_command:
            self._write(bytes(self._requests))
            self._requests.clear()

    def _write(self, data: bytes) -> None:
        with suppress(BrokenPipeError):
            write_all(self._input, data)


@contextmanager
def _raw_terminal(descriptor: int) -> Iterator[None]:
    """Let keys through as they are, and put the terminal's mode back afterwards."""
    attributes = termios.tcgetattr(descriptor)
    tty.setraw(descriptor)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, attributes)
