# SPDX-License-Identifier: BSD-2-Clause
"""Network cards and the entropy device of cohost's guests, by a driver that is a script."""

import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_cohost_program import BASE, DONE, NO_START, POWEROFF, UART, Host, host, kernel, program

__all__ = ["host", "program"]  # fixtures

CARD = UART + 0x1000
NEXT, DEVICE_WRITES = 1, 2
RECEIVE, TRANSMIT = 0, 1
HEADER = 12
# Places in the kernel's image: of each queue its descriptors, rings and buffer.
PLACES = {RECEIVE: 0x4000, TRANSMIT: 0x8000}
AVAILABLE, USED, BUFFER = 0x400, 0x800, 0xC00
ROOM = 200


def store(offset: int, value: int) -> str:
    return f"store {CARD + offset:x} 4 {value:x}\n"


def set_up(queue: int) -> str:
    place = BASE + PLACES[queue]
    script = store(0x30, queue) + store(0x38, 8) + store(0x80, place)
    return script + store(0x90, place + AVAILABLE) + store(0xA0, place + USED) + store(0x44, 1)


BEGIN = store(0x70, 0) + store(0x70, 3) + store(0x24, 1) + store(0x20, 1) + store(0x70, 0xB)
# The same by a driver that computes no checksums, and checks none.
LAZY = store(0x70, 0) + store(0x70, 3) + store(0x24, 1) + store(0x20, 1)
LAZY += store(0x24, 0) + store(0x20, 3) + store(0x70, 0xB)
READY = store(0x70, 0xF)
WAIT = f"wait 2\nload {CARD + 0x60:x} 4\n" + store(0x64, 1)


def show(place: int, size: int) -> str:
    return f"sbi 4442434e 0 {size:x} {BASE + place:x} 0\n"


def put_request(
    memory: bytearray, queue: int, pieces: list[tuple[int, int]], data: bytes = b""
) -> None:
    """Put a request with pieces, as offsets into the buffer and sizes, into a queue."""
    place = PLACES[queue]
    flags = DEVICE_WRITES if queue == RECEIVE else 0
    for number, (offset, size) in enumerate(pieces):
        last = number == len(pieces) - 1
        struct.pack_into(
            *("<QIHH", memory, place + 16 * number, BASE + place + BUFFER + offset, size),
            *(flags | (0 if last else NEXT), number + 1),
        )
    struct.pack_into("<HHH", memory, place + AVAILABLE, 0, 1, 0)
    memory[place + BUFFER : place + BUFFER + len(data)] = data


@pytest.fixture
def wire(host: Host) -> Iterator[socket.socket]:
    """Return the socket that a card of the guest is plugged into."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(host.folder / "tap0"))
        listener.listen()
        listener.settimeout(30)
        yield listener


def run(host: Host, memory: bytearray, *words: str | Path) -> bytes:
    """Run a guest; return its output."""
    (host.folder / "Image").write_bytes(memory)
    command = ("run", "--memory", "8M", "--kernel", host.folder / "Image", *words)
    process = host.start(*command)
    output, errors = process.communicate(timeout=30)
    assert process.returncode == DONE, errors
    assert b"Sanitizer" not in errors and b"runtime error" not in errors
    return output


def image(script: str) -> bytearray:
    return bytearray(kernel(script).ljust(0x10000, b"\0"))


PACKET = bytes(range(100))


@pytest.mark.parametrize(
    "pieces",
    [
        [(0, HEADER + 100)],
        [(0, HEADER), (HEADER, 100)],
        [(0, 5), (5, 20), (25, 87)],
    ],
)
def test_sending(host: Host, wire: socket.socket, pieces: list[tuple[int, int]]) -> None:
    script = BEGIN + set_up(TRANSMIT) + READY + store(0x50, TRANSMIT) + WAIT + POWEROFF
    memory = image(script)
    put_request(memory, TRANSMIT, pieces, b"\xff" * HEADER + PACKET)
    run(host, memory, "--net", "tap0")
    with wire.accept()[0] as peer:
        assert peer.recv(1000) == bytes(HEADER) + PACKET


def test_headers_pass_as_the_driver_has_accepted(host: Host, wire: socket.socket) -> None:
    script = LAZY + set_up(TRANSMIT) + READY + store(0x50, TRANSMIT) + WAIT + POWEROFF
    header = bytes(range(1, HEADER + 1))
    memory = image(script)
    put_request(memory, TRANSMIT, [(0, 5), (5, HEADER + 95)], header + PACKET)
    run(host, memory, "--net", "tap0")
    with wire.accept()[0] as peer:
        assert peer.recv(1000) == header + PACKET
    size, buffer = receive(host, wire, [(0, 5), (5, ROOM - 5)], header + PACKET, begin=LAZY)
    assert size == HEADER + len(PACKET)
    assert buffer[:size] == header[:10] + b"\1\0" + PACKET


@pytest.mark.parametrize("size", [0, 1, HEADER - 1, HEADER])
def test_what_is_no_packet(host: Host, wire: socket.socket, size: int) -> None:
    script = BEGIN + set_up(TRANSMIT) + READY + store(0x50, TRANSMIT) + WAIT + POWEROFF
    memory = image(script)
    put_request(memory, TRANSMIT, [(0, size)])
    run(host, memory, "--net", "tap0")
    with wire.accept()[0] as peer:
        assert peer.recv(1000) == b""  # the end


def receive(
    host: Host,
    wire: socket.socket,
    pieces: list[tuple[int, int]],
    packet: bytes,
    begin: str = BEGIN,
) -> tuple[int, bytes]:
    """Return how many bytes the guest is told of, and what is in its buffer."""
    script = begin + set_up(RECEIVE) + READY + store(0x50, RECEIVE) + WAIT
    script += show(PLACES[RECEIVE] + USED, 12) + show(PLACES[RECEIVE] + BUFFER, ROOM) + POWEROFF
    memory = image(script)
    put_request(memory, RECEIVE, pieces)
    (host.folder / "Image").write_bytes(memory)
    command = ("run", "--memory", "8M", "--kernel", host.folder / "Image", "--net", "tap0")
    process = host.start(*command)
    with wire.accept()[0] as peer:
        peer.send(packet)
        output, errors = process.communicate(timeout=30)
    assert process.returncode == DONE, errors
    assert b"Sanitizer" not in errors
    return int(struct.unpack("<HHII", output[:12])[3]), output[12:]


@pytest.mark.parametrize(
    "pieces", [[(0, ROOM)], [(0, HEADER), (HEADER, 100)], [(0, 7), (7, 9), (16, 96)]]
)
def test_receiving(host: Host, wire: socket.socket, pieces: list[tuple[int, int]]) -> None:
    size, buffer = receive(host, wire, pieces, b"\xff" * HEADER + PACKET)
    assert size == HEADER + len(PACKET)
    assert buffer[:size] == bytes(10) + b"\1\0" + PACKET


@pytest.mark.parametrize("pieces", [[(0, HEADER + 99)], [(0, HEADER)], [(0, 3)]])
def test_a_packet_that_does_not_fit(
    host: Host, wire: socket.socket, pieces: list[tuple[int, int]]
) -> None:
    size, buffer = receive(host, wire, pieces, bytes(HEADER) + PACKET)
    assert size == 0
    assert buffer[HEADER + 99 :] == bytes(ROOM - HEADER - 99)


def test_addresses(host: Host, wire: socket.socket) -> None:
    script = "".join(f"load {CARD + 0x100 + i:x} 1\n" for i in range(6)) + POWEROFF

    def address(*words: str) -> str:
        (host.folder / "log").write_text("")
        run(host, image(script), *words)
        wire.accept()[0].close()
        loads = [line.split()[-1] for line in host.log.splitlines() if " load " in line]
        return ":".join(f"{int(each, 16):02x}" for each in loads)

    assert address("--net", "tap0,mac=02:00:00:00:00:42") == "02:00:00:00:00:42"
    own = address("--net", "tap0")
    assert address("--net", "tap0") == own and int(own[:2], 16) & 3 == 2
    assert address("--net", "tap0", "--name", "another") != own


@pytest.mark.parametrize(
    "net",
    [
        "tap9",
        "",
        "a-name-that-is-too-long",
        "tap0,mac=",
        "tap0,mac=01:00:00:00:00:00",
        "tap0,mac=02:00:00:00:00:0",
        "tap0,mac=02:00:00:00:00:001",
        "tap0,mac=02-00-00-00-00-00",
        "tap0,speed=9",
    ],
)
def test_what_is_no_card(host: Host, wire: socket.socket, net: str) -> None:
    result = host.run(POWEROFF, "--net", net)
    assert result.returncode == NO_START
    assert "tap" in result.stderr or "--net" in result.stderr


def test_random_numbers(host: Host) -> None:
    """The entropy device is the last one; it fills the first piece of a request."""
    script = BEGIN + set_up(RECEIVE) + READY + store(0x50, 0) + WAIT
    script += show(PLACES[RECEIVE] + USED, 12) + show(PLACES[RECEIVE] + BUFFER, ROOM) + POWEROFF
    seen = []
    for _ in range(2):
        memory = image(script)
        put_request(memory, RECEIVE, [(0, 64)])
        output = run(host, memory)
        assert struct.unpack("<HHII", output[:12])[3] == 64
        seen.append(output[12:76])
        assert output[76 : 12 + ROOM] == bytes(ROOM - 64)
    assert seen[0] != seen[1] and bytes(64) not in seen
