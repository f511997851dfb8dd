# SPDX-License-Identifier: BSD-2-Clause
"""One request and its answer at a time, over a line that carries other things too."""

import struct
import threading
from collections.abc import Callable

from cotenant import abi
from cotenant.errors import CotenantError

_CONTROL = abi.header("control.h")
MAGIC: bytes = struct.pack("<I", _CONTROL["COTENANT_CONTROL_MAGIC"])
MOST_DATA = _CONTROL["COTENANT_CONTROL_MOST_DATA"]
REQUEST_SIZE = 32
ANSWER_SIZE = 16
ANSWER_TIMEOUT = 10.0

_LENGTH = struct.Struct("<12xI")


class ControlError(CotenantError):
    """The monitor did not answer."""


def message_size(header: bytes, header_size: int) -> int:
    """Return the bytes of a request or answer that begins so; ControlError if none does."""
    (length,) = _LENGTH.unpack_from(header)
    if not header.startswith(MAGIC) or length > MOST_DATA:
        raise ControlError("what came is not the control protocol")
    return header_size + int(length)


class Exchange:
    """Asks the monitor over a line: `send` queues bytes for it, `feed` takes what comes back.

    Any thread may ask; one waits for the other.
    """

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._received = bytearray()
        self._closed = False
        self._changed = threading.Condition()
        self._asking = threading.Lock()

    def feed(self, data: bytes) -> None:
        """Take bytes that the monitor has sent."""
        with self._changed:
            self._received += data
            self._changed.notify_all()

    def close(self) -> None:
        """Let callers that wait know that nothing comes any more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def ask(self, request: bytes, timeout: float = ANSWER_TIMEOUT) -> bytes:
        """Send a whole request and return the whole answer, or raise ControlError."""
        with self._asking:
            with self._changed:
                self._received.clear()
            self._send(request)
            header = self._wait_for(ANSWER_SIZE, timeout)
            return self._wait_for(message_size(header, ANSWER_SIZE), timeout)

    def _wait_for(self, size: int, timeout: float) -> bytes:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or len(self._received) >= size, timeout)
            if len(self._received) < size:
                why = "the machine has ended" if self._closed else f"no answer within {timeout:g} s"
                raise ControlError(why)
            return bytes(self._received[:size])
