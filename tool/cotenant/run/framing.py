# SPDX-License-Identifier: BSD-2-Clause
"""The framed mode of the console line: abi/console.h is its specification.

Both directions carry frames `FRAME_START, channel, length, payload`. Channel 0 is the monitor,
channel n + 1 is tenant n; channel CONTROL carries the control protocol.
"""

from dataclasses import dataclass

from cotenant import abi

_CONSOLE = abi.header("console.h")
FRAME_START = _CONSOLE["COTENANT_FRAME_START"]
FRAME_MAX_PAYLOAD = _CONSOLE["COTENANT_FRAME_MAX_PAYLOAD"]
CHANNEL_MONITOR = _CONSOLE["COTENANT_CHANNEL_MONITOR"]
CHANNEL_FIRST_TENANT = _CONSOLE["COTENANT_CHANNEL_FIRST_TENANT"]
CHANNEL_CONTROL = _CONSOLE["COTENANT_CONTROL_CHANNEL"]
MAX_TENANTS = abi.limit("MAX_TENANTS")

_HEADER_SIZE = 3


@dataclass(frozen=True)
class Frame:
    """One frame as received: `payload` holds 1..FRAME_MAX_PAYLOAD bytes."""

    channel: int
    payload: bytes


def encode_frames(channel: int, data: bytes) -> list[bytes]:
    """Cut `data` into frames of a channel, in order; no data makes no frame."""
    if not 0 <= channel <= 0xFF:
        raise ValueError(f"channel {channel} is not in 0..255")
    frames = []
    for start in range(0, len(data), FRAME_MAX_PAYLOAD):
        payload = data[start : start + FRAME_MAX_PAYLOAD]
        frames.append(bytes((FRAME_START, channel, len(payload))) + payload)
    return frames


class FrameDecoder:
    """Turns a stream of bytes, cut anywhere, into frames.

    A byte other than FRAME_START where a frame is due is dropped, and so is a FRAME_START that
    no valid header follows: the search goes on at the very next byte, so that noise on the line
    costs no more than the frame it hit. Dropped bytes are kept in `noise` for a diagnosis.
    """

    def __init__(self) -> None:
        self.noise = bytearray()
        self._buffer = bytearray()

    @property
    def pending(self) -> int:
        """Bytes of a frame that is not complete yet."""
        return len(self._buffer)

    def feed(self, data: bytes) -> list[Frame]:
        """Take the next bytes of the stream and return the frames that they complete."""
        self._buffer += data
        buffer = self._buffer
        frames = []
        position = 0
        while position < len(buffer):
            if buffer[position] != FRAME_START:
                following = buffer.find(FRAME_START, position)
                end = len(buffer) if following < 0 else following
                self.noise += buffer[position:end]
                position = end
                continue
            if len(buffer) - position < _HEADER_SIZE:
                break
            channel, length = buffer[position + 1], buffer[position + 2]
            if not self._valid(channel, length):
                self.noise.append(buffer[position])
                position += 1
                continue
            end = position + _HEADER_SIZE + length
            if end > len(buffer):
                break
            frames.append(Frame(channel, bytes(buffer[position + _HEADER_SIZE : end])))
            position = end
        del buffer[:position]
        return frames

    @staticmethod
    def _valid(channel: int, length: int) -> bool:
        known = channel <= MAX_TENANTS or channel == CHANNEL_CONTROL
        return known and 1 <= length <= FRAME_MAX_PAYLOAD
