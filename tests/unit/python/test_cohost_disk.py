# SPDX-License-Identifier: BSD-2-Clause
"""Disks of cohost's guests, by a driver that is a script."""

import struct
import sys
from pathlib import Path

import pytest
from test_cohost_program import (
    BASE,
    COLD_REBOOT,
    DONE,
    MIB,
    NO_START,
    POWEROFF,
    STOPPED,
    UART,
    Host,
    kernel,
    program,
)
from test_cohost_program import host as allowing_host

__all__ = ["allowing_host", "program"]  # fixtures

DISK = UART + 0x1000
SOURCE = 2
SECTOR = 512
READ, WRITE, FLUSH = 0, 1, 4
OK, ERROR, UNSUPPORTED = 0, 1, 2
NEXT, DEVICE_WRITES = 1, 2
# Places in the kernel's image, which is the guest's memory: rings, a request and its data.
DESCRIPTORS, AVAILABLE, USED, HEADER, ANSWER, DATA = 0x4000, 0x5000, 0x6000, 0x7000, 0x7100, 0x8000


def at(place: int) -> int:
    return BASE + place


def set_up(
    descriptors: int = at(DESCRIPTORS),
    available: int = at(AVAILABLE),
    used: int = at(USED),
    size: int = 8,
    device: int = DISK,
) -> str:
    """Return the script that a driver begins with (virtio 1.2, section 3.1)."""
    stores = [
        *((0x70, 0), (0x70, 3), (0x24, 1), (0x20, 1), (0x70, 0xB), (0x30, 0), (0x38, size)),
        *((0x80, descriptors), (0x90, available), (0xA0, used), (0x44, 1), (0x70, 0xF)),
    ]
    return "".join(f"store {device + offset:x} 4 {value:x}\n" for offset, value in stores)


NOTIFY = f"store {DISK + 0x50:x} 4 0\n"
DRIVE = NOTIFY + f"wait {SOURCE}\nload {DISK + 0x60:x} 4\nstore {DISK + 0x64:x} 4 1\n"


def show(place: int, size: int) -> str:
    """Return the script that prints memory."""
    return f"sbi 4442434e 0 {size:x} {at(place):x} 0\n"


# Runs a program whose calls of io_uring_setup (number 425) the kernel refuses: seccomp(2).
WITHOUT_IO_URING = """
import ctypes, os, struct, sys
rules = [(0x20, 0, 0, 0), (0x15, 0, 1, 425), (0x06, 0, 0, 0x50001), (0x06, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *each) for each in rules))
program = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(rules), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0, "PR_SET_NO_NEW_PRIVS"
assert libc.prctl(22, 2, program) == 0, "PR_SET_SECCOMP"
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.fixture(params=["io_uring", "threads"])
def host(allowing_host: Host, request: pytest.FixtureRequest) -> Host:
    """Give a host whose kernel lets the program have an io_uring, and one that does not."""
    if request.param == "threads":
        file = allowing_host.folder / "without-io_uring"
        script = f"exec {sys.executable} -c '{WITHOUT_IO_URING}' {allowing_host.program} \"$@\"\n"
        file.write_text(f"#!/bin/sh\n{script}")
        file.chmod(0o755)
        allowing_host.program = file
    return allowing_host


Chain = list[tuple[int, int, int]]


def image(script: str, chain: Chain, header: bytes, data: bytes, links: dict[int, int]) -> bytes:
    """Return a kernel with one request in its ring."""
    memory = bytearray(kernel(script).ljust(0x10000, b"\0"))
    for number, (address, size, flags) in enumerate(chain):
        following = links.get(number, number + 1)
        last = number == len(chain) - 1 and number not in links
        flags |= 0 if last else NEXT
        struct.pack_into(
            "<QIHH", memory, DESCRIPTORS + 16 * number, address, size, flags, following
        )
    struct.pack_into("<HHH", memory, AVAILABLE, 0, 1, 0)
    memory[HEADER : HEADER + len(header)] = header
    memory[DATA : DATA + len(data)] = data
    memory[ANSWER] = 0x77
    return bytes(memory)


@pytest.fixture
def disk(host: Host) -> Path:
    file = host.folder / "disk"
    file.write_bytes(b"".join(bytes([ord("a") + i]) * SECTOR for i in range(8)))
    return file


def ask(
    host: Host,
    disk: str | Path,
    kind: int,
    sector: int = 0,
    data: bytes = b"",
    room: int = 0,
    chain: Chain | None = None,
    links: dict[int, int] | None = None,
) -> tuple[int, bytes, int]:
    """Return what the disk answered, read, and how many bytes it says it wrote."""
    size = len(data) + room
    pieces: Chain = [(at(HEADER), 16, 0)]
    if size:
        pieces.append((at(DATA), size, DEVICE_WRITES if room else 0))
    pieces.append((at(ANSWER), 1, DEVICE_WRITES))
    script = set_up() + DRIVE + show(ANSWER, 1) + show(USED, 12)
    script += (show(DATA, room) if room else "") + POWEROFF
    header = struct.pack("<IIQ", kind, 0, sector)
    (host.folder / "Image").write_bytes(image(script, chain or pieces, header, data, links or {}))
    command = ("run", "--memory", "8M", "--kernel", host.folder / "Image", "--disk", disk)
    process = host.start(*command)
    output, errors = process.communicate(timeout=30)
    assert process.returncode == DONE, errors
    assert b"Sanitizer" not in errors
    _, index, head, written = struct.unpack("<HHII", output[1:13])
    assert (index, head) == (1, 0)
    return output[0], output[13:], written


def test_reading(host: Host, disk: Path) -> None:
    answer, data, written = ask(host, disk, READ, sector=2, room=2 * SECTOR)
    assert (answer, written) == (OK, 2 * SECTOR + 1)
    assert data == b"c" * SECTOR + b"d" * SECTOR


def test_writing(host: Host, disk: Path) -> None:
    before = disk.read_bytes()
    assert ask(host, disk, WRITE, sector=3, data=b"X" * SECTOR) == (OK, b"", 1)
    after = disk.read_bytes()
    assert after[3 * SECTOR : 4 * SECTOR] == b"X" * SECTOR
    assert after[: 3 * SECTOR] + after[4 * SECTOR :] == before[: 3 * SECTOR] + before[4 * SECTOR :]


def test_there_is_no_shared_memory(host: Host, disk: Path) -> None:
    """Its length is -1 then (virtio 1.2, section 4.2.2); a driver that wants none looks, too."""
    offsets = range(0xB0, 0xC0, 4)
    script = f"store {DISK + 0xAC:x} 4 0\n" + "".join(f"load {DISK + at:x} 4\n" for at in offsets)
    host.run(script + POWEROFF, "--disk", disk)
    loads = [line.split()[-1] for line in host.log.splitlines() if " load " in line]
    assert loads == ["ffffffff"] * len(offsets)


def test_flushing_and_what_is_not_there(host: Host, disk: Path) -> None:
    assert ask(host, disk, FLUSH)[0] == OK
    assert ask(host, disk, 99)[0] == UNSUPPORTED


@pytest.mark.parametrize("sector", [7, 8, 1 << 55, (1 << 64) - 1])
def test_beyond_the_end(host: Host, disk: Path, sector: int) -> None:
    before = disk.read_bytes()
    assert ask(host, disk, READ, sector=sector, room=2 * SECTOR)[0] == ERROR
    assert ask(host, disk, WRITE, sector=sector, data=b"X" * 2 * SECTOR)[0] == ERROR
    assert disk.read_bytes() == before


MANY = 42  # requests of three descriptors, in a queue of 128


@pytest.mark.parametrize("options", ["", ",direct"])
def test_many_requests_at_once(host: Host, options: str) -> None:
    """More than are carried out at a time, each of another sector, in one notification."""
    file = host.folder / "disk"
    file.write_bytes(b"".join(bytes([i]) * SECTOR for i in range(1, MANY + 1)))
    memory = bytearray(kernel("").ljust(0x10000, b"\0"))
    for i in range(MANY):
        chain = [
            (at(HEADER) + 16 * i, 16, NEXT),
            (at(DATA) + SECTOR * i, SECTOR, NEXT | DEVICE_WRITES),
            (at(0x7800) + i, 1, DEVICE_WRITES),
        ]
        for number, (address, length, flags) in enumerate(chain):
            place = DESCRIPTORS + 16 * (3 * i + number)
            struct.pack_into("<QIHH", memory, place, address, length, flags, 3 * i + number + 1)
        struct.pack_into("<IIQ", memory, HEADER + 16 * i, READ, 0, i)
        struct.pack_into("<H", memory, AVAILABLE + 4 + 2 * i, 3 * i)
        memory[0x7800 + i] = 0x77
    struct.pack_into("<HH", memory, AVAILABLE, 0, MANY)
    script = set_up(size=128) + NOTIFY + f"wait {SOURCE}\nsleep 3000000\n"
    script += show(USED, 4) + show(0x7800, MANY) + show(DATA, MANY * SECTOR) + POWEROFF
    code = kernel(script)
    memory[: len(code)] = code
    (host.folder / "Image").write_bytes(memory)
    command = ("run", "--memory", "8M", "--kernel", host.folder / "Image")
    process = host.start(*command, "--disk", f"{file}{options}")
    output, errors = process.communicate(timeout=30)
    assert process.returncode == DONE, errors
    assert b"Sanitizer" not in errors
    assert struct.unpack("<HH", output[:4]) == (0, MANY)
    assert output[4 : 4 + MANY] == bytes([OK]) * MANY
    assert output[4 + MANY :] == file.read_bytes()


def test_a_ring_that_lies(host: Host, disk: Path) -> None:
    """Its index is far ahead, so that the same requests are there for ever: it can be stopped."""
    pieces: Chain = [(at(HEADER), 16, 0), (at(DATA), SECTOR, DEVICE_WRITES)]
    # What is read from the disk is written over the index of the ring: there is always more.
    pieces[1] = (at(AVAILABLE), SECTOR, DEVICE_WRITES)
    pieces.append((at(ANSWER), 1, DEVICE_WRITES))
    header = struct.pack("<IIQ", READ, 0, 0)
    (host.folder / "Image").write_bytes(
        image(set_up() + NOTIFY * 20 + POWEROFF, pieces, header, b"", {})
    )
    command = ("run", "--memory", "8M", "--kernel", host.folder / "Image", "--disk", disk)
    assert host.call(*command).returncode == DONE


def test_a_reset_in_the_middle(host: Host, disk: Path) -> None:
    """Requests that are under way end before the reset does; some may not have been begun."""
    pieces: Chain = [(at(HEADER), 16, 0), (at(DATA), SECTOR, DEVICE_WRITES)]
    pieces.append((at(ANSWER), 1, DEVICE_WRITES))
    script = (set_up() + NOTIFY + f"store {DISK + 0x70:x} 4 0\n") * 30
    header = struct.pack("<IIQ", READ, 0, 0)
    (host.folder / "Image").write_bytes(
        image(script + show(DATA, SECTOR) + POWEROFF, pieces, header, b"", {})
    )
    command = ("run", "--memory", "8M", "--kernel", host.folder / "Image", "--disk", disk)
    process = host.start(*command)
    output, errors = process.communicate(timeout=30)
    assert process.returncode == DONE, errors
    assert output in (b"a" * SECTOR, b"\0" * SECTOR)


REBOOTS = 20
LARGE, LARGE_PLACE = MIB, MIB  # a request that takes a while, and where its data go


@pytest.mark.parametrize("options", ["", ",direct"])
def test_a_reboot_in_the_middle(host: Host, options: str) -> None:
    """Nothing that the machine before has asked for comes to the memory of the new one."""
    file = host.folder / "disk"
    file.write_bytes(b"a" * LARGE)
    pieces: Chain = [(at(HEADER), 16, 0), (at(LARGE_PLACE), LARGE, DEVICE_WRITES)]
    pieces.append((at(ANSWER), 1, DEVICE_WRITES))
    end = show(LARGE_PLACE + LARGE - 1, 1)
    script = end + "sleep 50000\n" + end + set_up() + NOTIFY + COLD_REBOOT
    memory = image(script, pieces, struct.pack("<IIQ", READ, 0, 0), b"", {})
    (host.folder / "Image").write_bytes(memory.ljust(LARGE_PLACE + LARGE, b"."))
    process = host.start(
        *("run", "--name", "web", "--memory", "8M", "--kernel", host.folder / "Image"),
        *("--disk", f"{file}{options}"),
    )
    assert process.stdout is not None
    seen = process.stdout.read(2 * REBOOTS)
    assert host.call("stop", "web").returncode == DONE
    _, errors = process.communicate(timeout=30)
    assert process.returncode == STOPPED
    assert b"Sanitizer" not in errors
    assert seen == b"." * 2 * REBOOTS


@pytest.mark.parametrize("options", [",direct", ",direct,readonly", ",readonly,direct"])
def test_a_disk_past_the_cache(host: Host, disk: Path, options: str) -> None:
    """Nothing is aligned here, so that it is read and written through the cache all the same."""
    assert ask(host, f"{disk}{options}", READ, room=SECTOR)[:2] == (OK, b"a" * SECTOR)
    expected = ERROR if "readonly" in options else OK
    assert ask(host, f"{disk}{options}", WRITE, data=b"X" * SECTOR)[0] == expected
    assert disk.read_bytes()[:1] == (b"a" if expected == ERROR else b"X")


def test_a_disk_that_is_readonly(host: Host, disk: Path) -> None:
    before = disk.read_bytes()
    disk.chmod(0o400)
    assert ask(host, f"{disk},readonly", WRITE, data=b"X" * SECTOR)[0] == ERROR
    assert ask(host, f"{disk},readonly", READ, room=SECTOR)[:2] == (OK, b"a" * SECTOR)
    assert disk.read_bytes() == before


HEADER_PIECE, ANSWER_PIECE = (at(HEADER), 16, 0), (at(ANSWER), 1, DEVICE_WRITES)


@pytest.mark.parametrize(
    ("chain", "links"),
    [
        ([HEADER_PIECE], {0: 0}),
        ([HEADER_PIECE, ANSWER_PIECE], {1: 0}),
        ([HEADER_PIECE, ANSWER_PIECE], {0: 700}),
        ([HEADER_PIECE, (0x1000, SECTOR, DEVICE_WRITES), ANSWER_PIECE], {}),
        ([HEADER_PIECE, (BASE + 8 * MIB - 1, 2, DEVICE_WRITES), ANSWER_PIECE], {}),
        ([HEADER_PIECE, ((1 << 64) - 1, 0xFFFFFFFF, DEVICE_WRITES), ANSWER_PIECE], {}),
        ([ANSWER_PIECE, HEADER_PIECE], {}),
        ([HEADER_PIECE], {}),
        ([ANSWER_PIECE], {}),
        ([(at(HEADER), 3, 0), ANSWER_PIECE], {}),
        ([HEADER_PIECE, (at(ANSWER), 0, DEVICE_WRITES)], {}),
    ],
)
def test_a_request_that_is_none(
    host: Host, disk: Path, chain: Chain, links: dict[int, int]
) -> None:
    answer, _, written = ask(host, disk, READ, chain=chain, links=links)
    assert (answer, written) == (0x77, 0)


@pytest.mark.parametrize("place", [0, 0x1000, BASE + 8 * MIB - 8, (1 << 32) - 1])
@pytest.mark.parametrize("ring", ["descriptors", "available", "used"])
def test_rings_that_are_not_in_memory(host: Host, disk: Path, ring: str, place: int) -> None:
    script = set_up(**{ring: place}) + NOTIFY + "sleep 300000\n" + POWEROFF
    (host.folder / "Image").write_bytes(
        image(script, [HEADER_PIECE, ANSWER_PIECE], struct.pack("<IIQ", FLUSH, 0, 0), b"", {})
    )
    command = ("run", "--memory", "8M", "--kernel", host.folder / "Image", "--disk", disk)
    assert host.call(*command).returncode == DONE


@pytest.mark.parametrize(
    ("content", "sentence"), [(None, "cannot open"), (b"small", "too small for a disk")]
)
def test_what_is_no_disk(host: Host, content: bytes | None, sentence: str) -> None:
    file = host.folder / "none"
    if content is not None:
        file.write_bytes(content)
    result = host.run(POWEROFF, "--disk", file)
    assert result.returncode == NO_START
    assert sentence in result.stderr
