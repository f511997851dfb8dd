# SPDX-License-Identifier: BSD-2-Clause
"""Every instruction that the monitor executes, written by QEMU into a pipe while we want it.

QEMU's log (`-d exec,int` with blocks of one instruction) is turned on and off over its own protocol
(QMP), so that a system boots at full speed and is traced for a while: only instructions inside
`-dfilter`'s range are written, but all others take longer too.
"""

import os
import re
import select
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Self

from cotenant.errors import BenchError, RunError
from cotenant.run import qmp

_READ_SIZE = 1 << 20
_EXECUTED = rb"Trace (\d+): \S+ \[[0-9a-f]+/([0-9a-f]{16})/"
_TRAP = rb"hart:(\d+), async:\d+, cause:([0-9a-f]+), epc:0x([0-9a-f]+), tval:\S+ desc=([^\n]*)"
# Announced as executed, but it was not yet: its time was up, or a device access has to be alone.
_TAKEN_BACK = rb"(Stopped|rewound) execution"
_TOKEN = re.compile(_EXECUTED + b"|" + _TRAP + b"|" + _TAKEN_BACK)


class QemuTrace:
    """The log of one machine: give `arguments` to QEMU, then `start` and `stop` it at will.

    On the reader's thread, `executed` gets the hart and the address of each instruction in order,
    `trapped` the hart and the name of each trap, of tenants too; `taken_back` says that the last
    instruction of the hart does not count. That hart is known where QEMU has one thread for all.
    """

    def __init__(
        self,
        base: int,
        size: int,
        executed: Callable[[int, int], None],
        trapped: Callable[[int, str], None],
        taken_back: Callable[[int], None],
    ) -> None:
        self._range = f"{base:#x}+{size:#x}"
        self._executed = executed
        self._trapped = trapped
        self._taken_back = taken_back
        self._hart = 0
        """the one that has executed something last"""
        self._folder = tempfile.TemporaryDirectory(prefix="cotenant-trace.")
        self._pipe_path = Path(self._folder.name) / "log"
        self._socket = Path(self._folder.name) / "qmp"
        os.mkfifo(self._pipe_path)
        # Opened for both directions: it neither waits for QEMU nor ends when that closes it.
        self._pipe = os.open(self._pipe_path, os.O_RDWR | os.O_NONBLOCK)
        self._stopping = threading.Event()
        self._reader = threading.Thread(target=self._read, name="trace reader", daemon=True)
        self._reader.start()

    @property
    def arguments(self) -> tuple[str, ...]:
        """QEMU's further arguments."""
        return (*qmp.arguments(self._socket), "-D", str(self._pipe_path), "-dfilter", self._range)

    def start(self) -> None:
        """Write from now on. The machine must have been started."""
        self._command("singlestep on")
        self._command("log exec,nochain,int")

    def stop(self) -> None:
        """Write no more; everything written before has been read on return."""
        self._command("log none")
        self._command("singlestep off")
        self._stopping.set()
        self._reader.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._reader.join()
        os.close(self._pipe)
        self._folder.cleanup()

    def _command(self, text: str) -> None:
        try:
            qmp.execute(self._socket, ("human-monitor-command", {"command-line": text}))
        except RunError as error:
            raise BenchError(f"QEMU does not take the command {text!r}: {error}") from error

    def _read(self) -> None:
        rest = b""
        while True:
            stopping = self._stopping.is_set()
            ready, _, _ = select.select([self._pipe], [], [], 0.05)
            if ready:
                data = rest + os.read(self._pipe, _READ_SIZE)
                end = data.rfind(b"\n") + 1
                rest = data[end:]
                self._parse(data[:end])
            elif stopping:
                return

    def _parse(self, data: bytes) -> None:
        executed = self._executed
        for hart, address, trapped, cause, _, name, taken_back in _TOKEN.findall(data):
            if address:
                self._hart = int(hart)
                executed(self._hart, int(address, 16))
            elif cause:
                self._trapped(int(trapped), name.decode(errors="replace"))
            elif taken_back:
                self._taken_back(self._hart)
