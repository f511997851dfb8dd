# SPDX-License-Identifier: BSD-2-Clause
"""Stands in for the monitor behind a socket: the control protocol, good or as bad as one asks for.

Two tenants: `linux`, who is the caller and runs, and `rtos`, with 64 KiB of memory, dormant.
"""

import random
import socket
import struct
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from cotenant import abi

CONTROL = abi.header("control.h")
MAGIC = CONTROL["COTENANT_CONTROL_MAGIC"]
VERSION = CONTROL["COTENANT_CONTROL_VERSION"]
REQUEST = struct.Struct("<IBBHIIIIQ")
ANSWER = struct.Struct("<IBBHII")
TENANT = struct.Struct("<32sIIIIIIIIIIQQ8Q")
VHART = struct.Struct("<IIIIQQQQQQIIIIQ")
BASE = 0x8000_0000
SIZE = 0x8_0000
TRACE = (abi.trace("MAGIC"), abi.trace("VERSION"), 0)
LINUX, RTOS = 0, 1
# Zeros that it looks for or makes before an interrupt comes.
AT_ONCE = 0x3200
EMPTY, LOADED, RUNNING, DORMANT, LOADING = 0, 1, 2, 3, 7
BEHAVIOURS = (
    "silent",
    "closes",
    "garbage",
    "wrong-version",
    "too-long",
    "unknown-status",
    "stops-in-the-middle",
    "short",
    "many-tenants",
    "many-vharts",
)


class FakeMonitor:
    """Answers on a socket while its context lasts."""

    def __init__(self, path: Path, behaviour: str = "good") -> None:
        self.path = path
        self.behaviour = behaviour
        self.memory = bytearray(random.Random(1).randbytes(SIZE // 2) + bytes(SIZE // 2))
        self.state = DORMANT
        self.dormant = struct.pack("<IIIIQQ", 1, 0, 1, 0, BASE + 0x100, 99)
        self.rights = 3
        self.group = 0
        self.typed = b""
        self.switches = 0
        self.watch = (0, 0)
        self.recorded = 1000
        self.reads = 0
        self.dies_after: int | None = None
        """memory reads after which the tenant is taken away and run"""
        self.late_answers = b""
        """sent in front of the first answer"""
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        self._socket.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def leave(self) -> None:
        """Close the connection that came last, as a system that ends."""
        self._last.shutdown(socket.SHUT_RDWR)

    def _serve(self, client: socket.socket) -> None:
        self._last = client
        with suppress(OSError), client, client.makefile("rwb") as stream:
            while len(header := stream.read(REQUEST.size)) == REQUEST.size:
                magic, version, verb, zero, tag, length, tenant, item, position = REQUEST.unpack(
                    header
                )
                assert (magic, version, zero) == (MAGIC, VERSION, 0)
                data = stream.read(length)
                status, body = self._answer(verb, tenant, item, position, data)
                if self.behaviour == "silent":
                    time.sleep(5)
                if self.behaviour == "closes":
                    return
                stream.write(self.late_answers + self._spoil(verb, tag, status, body))
                self.late_answers = b""
                stream.flush()
                if self.behaviour == "stops-in-the-middle":
                    return

    def _spoil(self, verb: int, tag: int, status: int, body: bytes) -> bytes:
        """Return the bytes of an answer, or of what stands for it."""
        header = [MAGIC, VERSION, verb, status, tag, len(body)]
        match self.behaviour:
            case "garbage":
                return random.Random(2).randbytes(100_000)
            case "wrong-version":
                header[1] = 99
            case "too-long":
                header[5] = 0xFFFF_FFFF
            case "unknown-status":
                header[3] = 4711
            case "stops-in-the-middle":
                body = body[: len(body) // 2]
            case "short":
                body = body[:1]
                header[5] = len(body)
        return ANSWER.pack(*header) + body

    def _answer(
        self, verb: int, tenant: int, item: int, position: int, data: bytes
    ) -> tuple[int, bytes]:
        ok, refused = CONTROL["COTENANT_CONTROL_OK"], CONTROL["COTENANT_CONTROL_REFUSED"]
        if tenant > RTOS:
            return CONTROL["COTENANT_CONTROL_NO_TENANT"], b""
        match verb:
            case 1:
                count = 1000 if self.behaviour == "many-tenants" else 2
                return ok, struct.pack("<IIIIQQ", 0x10000, count, 1, 0, 5_000_000_000, 8192)
            case 2:
                return ok, self._tenant(tenant)
            case 3:
                self.switches += self.state == RUNNING
                return ok, VHART.pack(
                    *(0, 10, 2, 4, 7_000_000_000, 1_000_000_000, self.switches),
                    *(3, 0, 5, 10000, 300, 1000, 17, 2100),
                )
            case 4:
                if self.rights & 2 == 0:
                    return CONTROL["COTENANT_CONTROL_DENIED"], b""
                if tenant == LINUX or item == CONTROL["COTENANT_COMMAND_START"]:
                    return refused, struct.pack("<I", RUNNING)
                if item == CONTROL["COTENANT_COMMAND_SWITCH"] and self.group:
                    return refused, struct.pack("<I", self.state)
                self.state = LOADED
                return ok, b""
            case 5 | 7:
                text = b"one\r\n\x1b[2Jtwo\n"[position:]
                return ok, struct.pack("<II", position, position + len(text)) + text
            case 6:
                taken = data[:2]
                self.typed += taken
                return ok, struct.pack("<I", len(taken))
            case 8:
                return self._trace(item, position)
            case 9 | 10:
                return self._memory(verb, position, item, data)
            case 11:
                return ok, self.dormant
            case 12:
                self.dormant, self.state = data, DORMANT
                return ok, b""
            case 13:
                self.watch = (item, position)
                return (ok if position else refused), b""
            case 14 | 15:
                return self._zeros(verb, position, item)
        return CONTROL["COTENANT_CONTROL_BAD_VERB"], b""

    def _trace(self, item: int, position: int) -> tuple[int, bytes]:
        """Answer from a ring of 509 records that is full, and goes on while it is read."""
        self.recorded += 10
        header = struct.pack("<QIIIIQQII", *TRACE, 509, self.recorded % 509, self.recorded, 0, 0, 0)
        records = bytearray(header.ljust(8192, b"\0"))
        for number in range(self.recorded - 509, self.recorded):
            struct.pack_into("<QQ", records, 48 + number % 509 * 16, number, number)
        return 0, bytes(records[position : position + item])

    def _count_read(self) -> None:
        self.reads += 1
        if self.dies_after is not None and self.reads > self.dies_after:
            self.state = DORMANT  # again: what it was in between shows in its switches
            self.switches += 1

    def _memory(self, verb: int, position: int, item: int, data: bytes) -> tuple[int, bytes]:
        self._count_read()
        offset = position - BASE
        if verb == 9:
            return 0, bytes(self.memory[offset : offset + item])
        self.memory[offset : offset + len(data)] = data
        return 0, b""

    def _zeros(self, verb: int, position: int, item: int) -> tuple[int, bytes]:
        """Answer for what is zero, or make it so; as when an interrupt comes, not all at once."""
        self._count_read()
        assert (position | item) % 8 == 0 and 0 < item <= CONTROL["COTENANT_CONTROL_MOST_ZEROS"]
        offset = position - BASE
        window = self.memory[offset : offset + min(item, AT_ONCE)]
        if verb == 15:
            self.memory[offset : offset + len(window)] = bytes(len(window))
            return 0, struct.pack("<I", len(window))
        zeros = (len(window) - len(window.lstrip(b"\0"))) // 8 * 8
        most = min(item - zeros, CONTROL["COTENANT_CONTROL_MOST_FOUND"])
        found = b"" if zeros == len(window) else self.memory[offset + zeros :][:most]
        if self.behaviour == "finds-nothing":
            zeros, found = 0, b""
        elif self.behaviour == "finds-too-much":
            zeros = 1 << 40
        return 0, struct.pack("<Q", position + zeros) + found

    def _tenant(self, tenant: int) -> bytes:
        vharts = 1000 if self.behaviour == "many-vharts" else 1
        size = 0 if tenant == LINUX else SIZE
        name, state = (b"linux", RUNNING) if tenant == LINUX else (b"rtos", self.state)
        rights = 5 if tenant == LINUX else self.rights
        return TENANT.pack(
            name,
            state,
            rights,
            vharts,
            0,
            12,
            0,
            *(2, 5000, 3, self.group),
            BASE,
            0,
            BASE,
            size,
            *(0,) * 6,
        )
