# SPDX-License-Identifier: BSD-2-Clause
"""QEMU: its command line for a bundle, and its process."""

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Self

from cotenant import placed
from cotenant.errors import RunError
from cotenant.run import qmp
from cotenant.run.pace import REMARK, Pace

QEMU = "qemu-system-riscv64"

# What the pipe to the serial line may hold: little, so that a command for the monitor does not
# wait behind a long text that is being typed into a tenant. Linux: at least a page.
_PIPE_SIZE = 4096
_LAST_WORDS = 2000
# A program that can open a socket of QEMU's can do everything that we can.
_UMASK = 0o077


@dataclass(frozen=True)
class Machine:
    """The machine to emulate and what it runs."""

    bundle: Path
    machine: str = "virt"
    cpu: str | None = "rv64,h=off,sstc=on"
    """None: the machine has its own"""
    memory_bytes: int = 1 << 30
    harts: int = 1
    devices: tuple[tuple[str, str], ...] = ()
    """options and their values: -device, and the -drive or -netdev that it refers to"""
    icount: int | None = None
    """time is counted in instructions of 2**icount ns; None: it is the host's time"""
    extra: tuple[str, ...] = field(default=())
    start_address: int | None = None
    """where the bundle is put and every hart starts; None: the machine does that with its -bios"""
    is_placed: bool = False
    """QEMU puts each piece of the bundle where it belongs: it is a file of `placed`"""
    powers_off: bool = True
    """whether what runs on it can end the emulation"""
    console: str | None = None
    """the device at whose serial line the monitor is; None: the machine's first one"""
    leave_by_key: bool = False
    """QEMU takes Ctrl-A from the line, and Ctrl-A x ends it; for a terminal only"""
    display: str = "none"
    """the kind of window that shows what the machine shows; none: it has no window"""
    qmp: Path | None = None
    """a socket where QEMU listens for its own protocol"""
    pace: Pace | None = None
    """how a Pacer asks for its time"""

    def arguments(self) -> list[str]:
        """Return QEMU's arguments: no monitor, the serial line on stdin and stdout."""
        arguments = ["-M", self.machine]
        if self.cpu is not None:
            arguments += ["-cpu", self.cpu]
        arguments += ["-m", f"{self.memory_bytes >> 10}K", "-smp", str(self.harts)]
        arguments += self._firmware()
        arguments += ["-display", self.display, "-monitor", "none", "-no-reboot"]
        if self.qmp is not None:
            arguments += qmp.arguments(self.qmp)
        line = "stdio,id=line,signal=off" + (",mux=on" if self.leave_by_key else "")
        arguments += ["-chardev", line]
        if self.console is None:
            arguments += ["-serial", "chardev:line"]
        else:
            arguments += ["-device", f"{self.console},chardev=line"]
        for option in self.devices:
            arguments += option
        if self.icount is not None:
            # The real-time clock too: its alarms are then as repeatable as the timer's.
            arguments += ["-icount", f"shift={self.icount},sleep=off", "-rtc", "clock=vm"]
        if self.pace is not None:
            arguments += self.pace.arguments()
        return arguments + list(self.extra)

    def _firmware(self) -> list[str]:
        """Return what makes all harts start at the bundle's first instruction."""
        if self.is_placed:
            return self._loaded(placed.entry(self.bundle), f"loader,file={self.bundle}")
        if self.start_address is not None:
            place = f"loader,addr={self.start_address:#x}"
            return self._loaded(self.start_address, f"{place},file={self.bundle},force-raw=on")
        return ["-bios", str(self.bundle)]

    def _loaded(self, start: int, file: str) -> list[str]:
        arguments = ["-bios", "none", "-device", file]
        for number in range(self.harts):
            arguments += ["-device", f"loader,addr={start:#x},cpu-num={number}"]
        return arguments


def qmp_socket(control: Path) -> Path:
    """Return where QEMU listens itself, beside the control socket of a running system."""
    return control.with_name(f"{control.name}.qmp")


def find_program(name: str = QEMU) -> str:
    """Return the path of QEMU, or raise RunError with the remedy."""
    path = shutil.which(name)
    if path is None:
        raise RunError(
            f"{name} is not installed: run 'make setup', or install Debian's qemu-system-misc"
        )
    return path


def command_line(machine: Machine, program: Sequence[str] = (QEMU,)) -> list[str]:
    """Return the whole command, which the kernel kills should this process die without a word."""
    if not machine.bundle.is_file():
        raise RunError(f"bundle {machine.bundle} does not exist: build it with 'cotenant build'")
    command = [find_program(program[0]), *program[1:], *machine.arguments()]
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL", *command] if setpriv else command


class QemuProcess:
    """A headless QEMU whose serial line is a pair of pipes; the context manager kills it.

    The process leads a group of its own, so that a Ctrl-C at the terminal reaches only us and
    everything that QEMU started ends with it.
    """

    def __init__(self, machine: Machine, program: Sequence[str] = (QEMU,)) -> None:
        self.command = command_line(machine, program)
        self._qmp = machine.qmp
        if self._qmp is not None:
            _make_folder_of(self._qmp)
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                start_new_session=True,
                umask=_UMASK,
            )
        except OSError as error:
            self._errors.close()
            raise RunError(f"cannot start {self.command[0]}: {error.strerror}") from error
        assert self._process.stdin is not None and self._process.stdout is not None
        self.input = self._process.stdin
        self.output = self._process.stdout
        _shrink_pipe(self.input.fileno())

    @property
    def pid(self) -> int:
        """The process id, which is its process group's as well."""
        return self._process.pid

    def wait(self, timeout: float) -> int | None:
        """Wait up to `timeout` seconds for its end; None if it still runs."""
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """End it and everything it started, and wait until it is gone. Safe to call again."""
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def close(self) -> None:
        """Kill it and give back the pipes."""
        self.kill()
        self.input.close()
        self.output.close()
        self._errors.close()
        if self._qmp is not None:
            self._qmp.unlink(missing_ok=True)

    def last_words(self) -> str:
        """Return the end of what QEMU wrote to its standard error."""
        if self._errors.closed:
            return ""
        descriptor = self._errors.fileno()
        size = os.fstat(descriptor).st_size
        start = max(0, size - _LAST_WORDS)
        words = os.pread(descriptor, size - start, start).decode(errors="replace")
        lines = [line for line in words.splitlines() if not line.endswith(REMARK)]
        return "\n".join(lines).strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def _make_folder_of(socket: Path) -> None:
    try:
        socket.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(
            f"cannot listen on {socket} ({error.strerror}): choose another with --socket"
        ) from error


def _shrink_pipe(descriptor: int) -> None:
    """Make a pipe hold as little as the host allows; a larger one only adds delay."""
    with contextlib.suppress(OSError):
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
