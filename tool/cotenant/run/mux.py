# SPDX-License-Identifier: BSD-2-Clause
"""The mux mode of the console line with the control protocol in between: abi/console.h.

A control frame is `CONTROL_START, length, payload`; on its way to the monitor the escape key comes
first. Nothing else on the line has that byte.
"""

from cotenant import abi
from cotenant.run.framing import FRAME_MAX_PAYLOAD

CONTROL_START = abi.header("console.h")["COTENANT_CONTROL_START"]


def encode_control(escape: int, data: bytes) -> bytes:
    """Return the bytes that carry `data` to the monitor."""
    pieces = (data[at : at + FRAME_MAX_PAYLOAD] for at in range(0, len(data), FRAME_MAX_PAYLOAD))
    return b"".join(bytes((escape, CONTROL_START, len(piece))) + piece for piece in pieces)


class MuxDecoder:
    """Separates what a person is to see from control frames, in a stream cut anywhere."""

    def __init__(self) -> None:
        self._in_frame = False
        self._left = 0

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        """Take the next bytes; return what is to be shown, and payloads of control frames."""
        shown = bytearray()
        payload = bytearray()
        position = 0
        while position < len(data):
            if self._left > 0:
                end = min(len(data), position + self._left)
                payload += data[position:end]
                self._left -= end - position
            elif self._in_frame:
                self._in_frame = False
                self._left = min(data[position], FRAME_MAX_PAYLOAD)
                end = position + 1
            elif data[position] == CONTROL_START:
                self._in_frame = True
                end = position + 1
            else:
                end = data.find(CONTROL_START, position)
                end = len(data) if end < 0 else end
                shown += data[position:end]
            position = end
        return bytes(shown), bytes(payload)


class EscapeWatcher:
    """Follows what a person types: in the middle of a command, nothing may come in between."""

    def __init__(self, escape: int) -> None:
        self._escape = escape
        self.in_command = False

    def feed(self, data: bytes) -> None:
        """Take the next bytes that were typed."""
        for byte in data:
            self.in_command = byte == self._escape and not self.in_command
