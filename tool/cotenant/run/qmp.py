# SPDX-License-Identifier: BSD-2-Clause
"""QEMU's own control line (the QEMU machine protocol): keys pressed, pictures taken."""

import contextlib
import json
import socket
from pathlib import Path
from typing import Any

from cotenant.run.errors import RunError

_TIMEOUT = 20.0


class Qmp:
    """The line to a QEMU process; it is spoken to for the first time when something is asked."""

    def __init__(self, line: socket.socket) -> None:
        line.settimeout(_TIMEOUT)
        self._socket = line
        self._file = line.makefile("rw", encoding="utf-8", newline="\n")
        self._greeted = False

    def press(self, *keys: str) -> None:
        """Press and release keys at once, by QEMU's names for them, such as `sleep`."""
        self.execute("send-key", keys=[{"type": "qcode", "data": key} for key in keys])

    def screenshot(self, file: Path) -> None:
        """Write what the display shows to a PPM file."""
        self.execute("screendump", filename=str(file.absolute()))

    def execute(self, command: str, **arguments: object) -> object:
        """Give a command; return its answer. Raises RunError if QEMU refuses or is gone."""
        try:
            if not self._greeted:
                self._receive()
                self._ask("qmp_capabilities", {})
                self._greeted = True
            return self._ask(command, arguments)
        except (OSError, ValueError) as error:
            raise RunError(f"QEMU does not answer {command!r}: {error}") from error

    def _ask(self, command: str, arguments: dict[str, object]) -> object:
        self._file.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self._file.flush()
        while True:
            answer = self._receive()
            if "error" in answer:
                raise RunError(f"QEMU refused {command!r}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]

    def _receive(self) -> dict[str, Any]:
        line = self._file.readline()
        if not line:
            raise ValueError("it has ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """Close the line."""
        with self._socket, contextlib.suppress(OSError):
            self._file.close()
