# SPDX-License-Identifier: BSD-2-Clause
"""Devices of cohost's guests that another process serves, by a back end that is a script here."""

import contextlib
import mmap
import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from test_cohost_program import (
    BASE,
    COLD_REBOOT,
    DONE,
    MIB,
    NO_START,
    POWEROFF,
    UART,
    Host,
    host,
    kernel,
    program,
)

__all__ = ["host", "program"]  # fixtures

DISK, SOURCE = UART + 0x1000, 2
DESCRIPTORS, AVAILABLE, USED, BUFFER = 0x4000, 0x5000, 0x6000, 0x7000
VERSION_1, PROTOCOL = 1 << 32, 1 << 30
REPLY_ACK, CONFIG = 1 << 3, 1 << 9
VERSION, REPLY, NEED_REPLY = 1, 4, 8
GET_FEATURES, SET_FEATURES, SET_OWNER, SET_MEM_TABLE = 1, 2, 3, 5
SET_NUM, SET_ADDR, SET_BASE, GET_BASE, SET_KICK, SET_CALL = 8, 9, 10, 11, 12, 13
GET_PROTOCOL, SET_PROTOCOL, ENABLE, GET_CONFIG, SET_CONFIG = 15, 16, 18, 24, 25
ANSWERS = (GET_FEATURES, GET_BASE, GET_PROTOCOL, GET_CONFIG)
CAPACITY = 1234
RING = 8

Reply = Callable[[int, bytes], bytes | None]


class BackEnd:
    """A back end that gives each request back with "served" in its last piece.

    Or only those that `picks` picks; then it dies.
    """

    def __init__(
        self,
        path: Path,
        spoil: Reply | None = None,
        picks: Callable[[list[int]], list[int]] | None = None,
    ) -> None:
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        self.listener.settimeout(30)
        self.spoil = spoil
        self.picks = picks
        self.served = threading.Event()
        self.heads: list[int] = []
        """of the requests, in the order in which the ring has them"""
        self.seen: list[tuple[int, bytes]] = []
        self.regions: list[tuple[int, int, int, mmap.mmap]] = []
        self.rings: dict[str, int] = {}
        self.files: dict[int, int] = {}
        self.last_words: tuple[int, bytes] | None = None
        """what is written into the guest's memory when the queue ends, and where"""
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def memory(self, address: int, size: int, user: bool) -> memoryview:
        """Return memory at an address of the guest, or of the front end's process."""
        for guest, length, own, view in self.regions:
            start = own if user else guest
            if start <= address and address + size <= start + length:
                return memoryview(view)[address - start : address - start + size]
        raise AssertionError(hex(address))

    def _serve(self) -> None:
        try:
            connection, _ = self.listener.accept()
        except OSError:  # closed: nobody has come
            return
        with connection:
            self.connection = connection
            connection.settimeout(30)
            while self._serve_one(connection):
                pass

    def _serve_one(self, connection: socket.socket) -> bool:
        try:
            head, files, _, _ = socket.recv_fds(connection, 12, 8)
        except OSError:
            return False
        if not head:
            return False
        request, flags, size = struct.unpack("<III", head)
        payload = connection.recv(size, socket.MSG_WAITALL) if size else b""
        self.seen.append((request, payload))
        answer = self._carry_out(request, payload, files)
        if request in ANSWERS or flags & NEED_REPLY:
            reply = struct.pack("<III", request, VERSION | REPLY, len(answer)) + answer
            if self.spoil is not None:
                spoilt = self.spoil(request, reply)
                if spoilt is None:
                    return False
                reply = spoilt
            connection.sendall(reply)
        if request == SET_KICK and request in self.files:
            threading.Thread(target=self._serve_ring, daemon=True).start()
        return True

    def _carry_out(self, request: int, payload: bytes, files: list[int]) -> bytes:
        if request == GET_FEATURES:
            return struct.pack("<Q", VERSION_1 | PROTOCOL | 1 << 9 | 1 << 11 | 1 << 26 | 1 << 34)
        if request == GET_PROTOCOL:
            return struct.pack("<Q", (1 << 40) - 1)
        if request == GET_CONFIG:
            return payload[:12] + struct.pack("<Q", CAPACITY).ljust(len(payload) - 12, b"\0")
        if request == SET_MEM_TABLE:
            for number, file in enumerate(files):
                guest, size, own, offset = struct.unpack_from("<QQQQ", payload, 8 + 32 * number)
                self.regions.append((guest, size, own, mmap.mmap(file, size, offset=offset)))
                os.close(file)
        elif request == SET_ADDR:
            _, _, descriptors, used, available, _ = struct.unpack("<IIQQQQ", payload)
            self.rings = {"descriptors": descriptors, "used": used, "available": available}
        elif files:
            self.files[request] = files[0]
        elif request == GET_BASE:
            if self.last_words is not None:
                address, text = self.last_words
                self.memory(address, len(text), user=False)[:] = text
            return payload
        return bytes(8)

    def _serve_ring(self) -> None:
        os.set_blocking(self.files[SET_KICK], True)
        try:
            os.eventfd_read(self.files[SET_KICK])
        except OSError:
            return
        base = struct.unpack("<II", self.payloads(SET_BASE)[-1])[1]
        ring = struct.unpack("<10H", self.memory(self.rings["available"], 20, user=True))
        self.heads = [ring[2 + i % RING] for i in range(base, ring[1])]
        used = self.memory(self.rings["used"], 4 + 8 * RING, user=True)
        for head in self.heads if self.picks is None else self.picks(self.heads):
            descriptor = self.memory(self.rings["descriptors"] + 16 * head, 16, user=True)
            address, size, _, _ = struct.unpack("<QIHH", descriptor)
            self.memory(address, size, user=False)[:6] = b"served"
            struct.pack_into("<II", used, 4 + 8 * (base % RING), head, 6)
            base += 1
            struct.pack_into("<H", used, 2, base)
        self.served.set()
        if self.picks is not None:
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        with contextlib.suppress(OSError, KeyError):  # it has been closed
            os.eventfd_write(self.files[SET_CALL], 1)

    def close(self) -> None:
        self.listener.close()
        self.thread.join(timeout=30)
        for file in self.files.values():
            os.close(file)
        self.files.clear()

    def payloads(self, request: int) -> list[bytes]:
        return [payload for number, payload in self.seen if number == request]


@pytest.fixture
def back_end(host: Host) -> Iterator[BackEnd]:
    end = BackEnd(host.folder / "end")
    yield end
    end.close()


def store(offset: int, value: int) -> str:
    return f"store {DISK + offset:x} 4 {value:x}\n"


def driver(descriptors: int = BASE + DESCRIPTORS, used: int = BASE + USED) -> str:
    """Return the script of a driver up to the point where it is ready."""
    stores = [
        *((0x70, 0), (0x70, 3), (0x24, 1), (0x20, 1), (0x24, 0), (0x20, 1 << 9), (0x70, 0xB)),
        *((0x30, 0), (0x38, RING), (0x80, descriptors), (0x90, BASE + AVAILABLE), (0xA0, used)),
        *((0x44, 1), (0x70, 0xF)),
    ]
    return "".join(store(offset, value) for offset, value in stores)


ASK = store(0x50, 0) + f"wait {SOURCE}\nload {DISK + 0x60:x} 4\n" + store(0x64, 1)
SHOW = f"sbi 4442434e 0 6 {BASE + BUFFER:x} 0\n"


def run(host: Host, script: str, *words: str) -> tuple[int, bytes, bytes]:
    """Run a guest with one request in its ring and a disk that the back end serves."""
    memory = bytearray(kernel(script).ljust(0x10000, b"\0"))
    struct.pack_into("<QIHH", memory, DESCRIPTORS, BASE + BUFFER, 6, 2, 0)
    struct.pack_into("<HHH", memory, AVAILABLE, 0, 1, 0)
    (host.folder / "Image").write_bytes(memory)
    disk: tuple[str, ...] = words or ("--disk", f"socket:{host.folder / 'end'}")
    command: tuple[str | Path, ...] = ("run", "--memory", "16M", "--kernel")
    command = (*command, host.folder / "Image", *disk)
    process = host.start(*command)
    output, errors = process.communicate(timeout=60)
    assert b"Sanitizer" not in errors and b"runtime error" not in errors
    return process.returncode, output, errors


def test_a_request_is_served_in_the_guests_memory(host: Host, back_end: BackEnd) -> None:
    host.set_pages((BASE, 30))
    capacity = f"load {DISK + 0x100:x} 4\n"
    code, output, errors = run(host, driver() + capacity + ASK + SHOW + store(0x70, 0) + POWEROFF)
    assert (code, output) == (DONE, b"served"), errors
    assert f"load {DISK + 0x100:x} = {CAPACITY:x}" in host.log
    features = int.from_bytes(back_end.payloads(SET_FEATURES)[0], "little")
    assert features == VERSION_1 | PROTOCOL | 1 << 9
    assert back_end.payloads(GET_BASE) == [bytes(8)]
    # It is to write through: that byte of the configuration is at 32.
    assert back_end.payloads(SET_CONFIG) == [struct.pack("<IIIB", 32, 1, 0, 0)]


@pytest.mark.parametrize(
    "pages",
    [
        [(BASE + (8 - i) * 2 * MIB, 1) for i in range(9)],
        [(BASE + (i ^ 1) * 2 * MIB, 1) for i in range(10)],
        [(BASE + 64 * MIB, 4), (BASE, 5)],
    ],
    ids=["descending", "in pairs", "two ranges"],
)
def test_ranges_are_shared_as_wholes(
    host: Host, back_end: BackEnd, pages: list[tuple[int, int]]
) -> None:
    """In whatever order the host gave the pages; the page of the program itself is not shared."""
    host.set_pages(*pages)
    code, output, errors = run(host, driver() + ASK + SHOW + POWEROFF)
    assert (code, output) == (DONE, b"served"), errors
    shared = [(guest, size // (2 * MIB)) for guest, size, _, _ in back_end.regions]
    assert shared == host.lent


@pytest.mark.parametrize("place", [0x1000, BASE + 16 * MIB - 8, (1 << 32) - 1])
def test_rings_outside_of_the_memory_are_not_shown(
    host: Host, back_end: BackEnd, place: int
) -> None:
    assert run(host, driver(used=place) + store(0x50, 0) + POWEROFF)[0] == DONE
    assert back_end.payloads(SET_MEM_TABLE) and back_end.payloads(SET_ADDR) == []


def test_a_driver_that_resets_and_begins_again(host: Host, back_end: BackEnd) -> None:
    script = driver() + store(0x70, 0) + driver() + ASK + SHOW + POWEROFF
    code, output, errors = run(host, script)
    assert (code, output) == (DONE, b"served"), errors


@pytest.mark.parametrize("stop", ["", store(0x44, 0)], ids=["ready", "stopped"])
def test_a_back_end_is_done_before_the_next_kernel_is_loaded(
    host: Host, back_end: BackEnd, stop: str
) -> None:
    """Also if the driver has stopped the queue, of which no reset tells the back end any more."""
    back_end.last_words = (BASE + BUFFER, b"served")
    memory = bytearray(kernel(SHOW + driver() + stop + COLD_REBOOT).ljust(0x10000, b"\0"))
    memory[BUFFER : BUFFER + 6] = b"intact"
    (host.folder / "Image").write_bytes(memory)
    disk = ("--disk", f"socket:{host.folder / 'end'}")
    process = host.start("run", "--memory", "16M", "--kernel", host.folder / "Image", *disk)
    assert process.stdout is not None
    output = process.stdout.read(18)
    process.terminate()
    errors = process.communicate(timeout=60)[1]
    assert output == b"intact" * 3 and b"Sanitizer" not in errors, errors
    assert back_end.payloads(GET_BASE)


def head(reply: bytes, place: int, value: int) -> bytes:
    """Return a reply with another number in its head."""
    return reply[: 4 * place] + struct.pack("<I", value) + reply[4 * place + 4 :]


SPOILT: dict[str, Reply] = {
    "another request": lambda _, reply: head(reply, 0, 99),
    "no reply": lambda _, reply: head(reply, 1, VERSION),
    "another version": lambda _, reply: head(reply, 1, 2 | REPLY),
    "no size": lambda _, reply: head(reply, 2, 0),
    "a large size": lambda _, reply: head(reply, 2, 0xFFFFFFFF),
    "nothing": lambda _, __: None,
    "a part": lambda _, reply: reply[:14],
}


@pytest.mark.parametrize("request_number", [GET_FEATURES, SET_MEM_TABLE, GET_CONFIG])
@pytest.mark.parametrize("spoil", [each for each in SPOILT if each != "a part"])
def test_a_back_end_that_answers_wrongly(host: Host, spoil: str, request_number: int) -> None:
    def answer(request: int, reply: bytes) -> bytes | None:
        return SPOILT[spoil](request, reply) if request == request_number else reply

    end = BackEnd(host.folder / "end", answer)
    code, _, errors = run(host, POWEROFF)
    end.close()
    assert code == NO_START
    assert b"cannot serve the guest" in errors or b"does not tell what disk" in errors


@pytest.mark.parametrize("request_number", [SET_FEATURES, SET_ADDR, SET_KICK, ENABLE])
def test_a_back_end_that_dies_takes_only_its_device(host: Host, request_number: int) -> None:
    end = BackEnd(host.folder / "end", lambda n, reply: None if n == request_number else reply)
    code, _, errors = run(host, driver() + "sleep 100000\n" + store(0x50, 0) + POWEROFF)
    end.close()
    assert code == DONE
    assert errors.count(b"does not serve the guest's device any more") == 1


def test_requests_wait_for_the_next_back_end(host: Host) -> None:
    """The first one gives back a later request and dies: the next one gets just the others."""
    memory = bytearray(
        kernel(driver() + store(0x50, 0) + f"wait {SOURCE}\n" * 9).ljust(0x10000, b"\0")
    )
    for head in range(4):
        struct.pack_into(
            "<QIHH", memory, DESCRIPTORS + 16 * head, BASE + BUFFER + 64 * head, 6, 2, 0
        )
    struct.pack_into("<HH4H", memory, AVAILABLE, 0, 4, 0, 1, 2, 3)
    (host.folder / "Image").write_bytes(memory)
    path = host.folder / "end"
    first = BackEnd(path, picks=lambda heads: [heads[2], heads[1]])
    disk = ("--disk", f"socket:{path}")
    process = host.start("run", "--memory", "16M", "--kernel", host.folder / "Image", *disk)
    assert first.served.wait(30)
    first.close()
    path.unlink()
    second = BackEnd(path)
    assert second.served.wait(30)
    used = second.memory(BASE + USED, 4 + 8 * RING, user=False)
    assert struct.unpack_from("<H8I", used, 2)[0] == 4
    assert [struct.unpack_from("<I", used, 4 + 8 * i)[0] for i in range(4)] == [2, 1, 0, 3]
    assert (first.heads, second.heads) == ([0, 1, 2, 3], [0, 3])
    process.terminate()
    errors = process.communicate(timeout=60)[1]
    second.close()
    assert b"Sanitizer" not in errors and b"runtime error" not in errors, errors
    assert b"any more" in errors and b"serves the guest's device again" in errors


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--disk", "socket:/none"), b"/none does not serve the guest"),
        (("--net", "user,speed=9"), b"speed=9 is no option"),
        (("--share", "directory"), b"DIRECTORY=NAME is wanted"),
    ],
)
def test_what_is_no_back_end(host: Host, words: tuple[str, ...], sentence: bytes) -> None:
    code, _, errors = run(host, POWEROFF, *words)
    assert code == NO_START
    assert sentence in errors


@pytest.mark.parametrize(
    ("words", "device", "size"),
    [(("--net", "socket:{}"), 1, 6), (("--share", "socket:{}=data"), 26, 40)],
)
def test_networks_and_shares(
    host: Host, back_end: BackEnd, words: tuple[str, str], device: int, size: int
) -> None:
    script = f"load {DISK + 8:x} 4\nload {DISK + 0x100:x} 4\nload {DISK + 0x100 + size:x} 1\n"
    option, value = words
    code, _, errors = run(host, script + POWEROFF, option, value.format(host.folder / "end"))
    assert code == DONE, errors
    loads = [line.split()[-1] for line in host.log.splitlines() if " load " in line]
    assert int(loads[0], 16) == device
    assert loads[1] == b"data"[::-1].hex() if device == 26 else int(loads[1], 16) != 0
    assert loads[2] == "0"
    assert len(back_end.regions) == 1
