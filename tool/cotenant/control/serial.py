# SPDX-License-Identifier: BSD-2-Clause
"""The console line of a machine that is not ours: a serial device, or a pseudo-terminal."""

import os
import termios
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cotenant.control.exchange import ControlError, Exchange
from cotenant.run.framing import CHANNEL_CONTROL, FrameDecoder, encode_frames
from cotenant.run.line import write_all
from cotenant.run.mux import MuxDecoder, encode_control

_READ_SIZE = 1 << 16


class SerialLine:
    """Asks the monitor over a device; what else comes on the line is dropped."""

    def __init__(self, descriptor: int, framed: bool, escape: int) -> None:
        self.exchange = Exchange(self._send)
        self._descriptor = descriptor
        self._framed = framed
        self._escape = escape
        self._frames = FrameDecoder()
        self._mux = MuxDecoder()
        threading.Thread(target=self._read, name="serial line", daemon=True).start()

    def _send(self, data: bytes) -> None:
        if self._framed:
            write_all(self._descriptor, b"".join(encode_frames(CHANNEL_CONTROL, data)))
        else:
            write_all(self._descriptor, encode_control(self._escape, data))

    def _read(self) -> None:
        try:
            while data := os.read(self._descriptor, _READ_SIZE):
                self.exchange.feed(self._control_bytes(data))
        except OSError:
            pass
        self.exchange.close()

    def _control_bytes(self, data: bytes) -> bytes:
        if not self._framed:
            return self._mux.feed(data)[1]
        frames = self._frames.feed(data)
        return b"".join(each.payload for each in frames if each.channel == CHANNEL_CONTROL)


@contextmanager
def open_serial(path: Path, framed: bool, escape: int) -> Iterator[SerialLine]:
    """Open a device in raw mode, as it is set otherwise; put that back at the end."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY)
    except OSError as error:
        raise ControlError(f"cannot open {path} ({error.strerror})") from error
    attributes = termios.tcgetattr(descriptor) if os.isatty(descriptor) else None
    try:
        if attributes is not None:
            tty.setraw(descriptor)
        yield SerialLine(descriptor, framed, escape)
    finally:
        if attributes is not None:
            termios.tcsetattr(descriptor, termios.TCSANOW, attributes)
        os.close(descriptor)
