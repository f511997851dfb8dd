# SPDX-License-Identifier: BSD-2-Clause
"""Both directions of the framed console line, each moved by a thread of its own.

The writer blocks when the machine takes no more, the reader never waits for the writer: so no
byte is lost, and a long text can be typed while its echo comes back.
"""

import os
import threading
from collections import deque
from collections.abc import Callable

from cotenant.run.framing import CHANNEL_MONITOR, Frame, FrameDecoder, encode_frames

_READ_SIZE = 1 << 16


class FramedLine:
    """Moves frames between a pair of pipes and the caller.

    Nothing is written before the first frame has come: until then the monitor may still be setting
    its UART up, which drops what arrives meanwhile.

    `received` gets the frames of each read, in order, and `ended` is called once when the other
    side closed the line; both run on the reader's thread.
    """

    def __init__(
        self,
        input_descriptor: int,
        output_descriptor: int,
        received: Callable[[list[Frame]], None],
        ended: Callable[[], None],
    ) -> None:
        self.decoder = FrameDecoder()
        self._input = input_descriptor
        self._output = output_descriptor
        self._received = received
        self._ended = ended
        self._queues: dict[int, deque[bytes]] = {}
        self._turn = CHANNEL_MONITOR
        self._open = False
        self._closed = False
        self._queued = threading.Condition()
        self._reader = threading.Thread(target=self._read, name="console reader", daemon=True)
        self._writer = threading.Thread(target=self._write, name="console writer", daemon=True)

    def start(self) -> None:
        """Start moving bytes."""
        self._reader.start()
        self._writer.start()

    def send(self, channel: int, data: bytes) -> None:
        """Queue bytes for a channel and return at once; the line keeps their order."""
        frames = encode_frames(channel, data)
        with self._queued:
            self._queues.setdefault(channel, deque()).extend(frames)
            self._queued.notify()

    def unsent(self, channel: int) -> int:
        """Return how many frames of a channel wait to be written."""
        with self._queued:
            return len(self._queues.get(channel, ()))

    def join(self) -> None:
        """Wait for both threads to end. The other side must have closed the line before."""
        with self._queued:
            self._closed = True
            self._queued.notify()
        self._writer.join()
        self._reader.join()

    def _read(self) -> None:
        while data := os.read(self._output, _READ_SIZE):
            if frames := self.decoder.feed(data):
                self._received(frames)
                self._set_open()
        with self._queued:
            self._closed = True
            self._queued.notify()
        self._ended()

    def _set_open(self) -> None:
        if not self._open:
            with self._queued:
                self._open = True
                self._queued.notify()

    def _write(self) -> None:
        while frame := self._next():
            try:
                write_all(self._input, frame)
            except BrokenPipeError:
                return

    def _next(self) -> bytes | None:
        """Wait for a frame: the monitor's first, then the tenants' channels in turns."""
        with self._queued:
            while not self._closed:
                waiting = sorted(channel for channel, queue in self._queues.items() if queue)
                if waiting and self._open:
                    self._turn = _after(self._turn, waiting)
                    return self._queues[self._turn].popleft()
                self._queued.wait()
            return None


def _after(turn: int, waiting: list[int]) -> int:
    """Choose from sorted channels: the monitor's, or the next one after `turn`, going round."""
    if waiting[0] == CHANNEL_MONITOR:
        return CHANNEL_MONITOR
    return next((channel for channel in waiting if channel > turn), waiting[0])


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of the bytes, however long that takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
