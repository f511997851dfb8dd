# SPDX-License-Identifier: BSD-2-Clause
"""Disks of cohost's guests, by a driver that is a script."""

import os
import struct
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import NamedTuple

import packed_file
import pytest
from test_cohost_program import (
    BASE,
    COLD_REBOOT,
    DONE,
    MIB,
    NO_START,
    POWEROFF,
    REFUSED,
    STOPPED,
    UART,
    Host,
    host_tree,
    kernel,
    program,
    wait_for,
)
from test_cohost_program import host as allowing_host
from test_cohost_savefile import PREFIX, SAVED, suspending

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


# Behind the random numbers.
KEYS, KEYS_SOURCE = DISK + 0x2000, SOURCE + 2
KEYS_DESCRIPTORS, KEYS_AVAILABLE, KEYS_USED, EVENTS, EVENT_SIZE = 0xA000, 0xB000, 0xC000, 0xD000, 8
ANSWERS = 0x7800
PART, PARTS = MIB, MIB  # bytes of a request, and where the first one's data are
UNTOUCHED, UNANSWERED = b".", 0x77
RESET = f"store {DISK + 0x70:x} 4 0\n"
STOP_QUEUE = f"store {DISK + 0x44:x} 4 0\nload {DISK + 0x44:x} 4\n"
# Begins its requests when its sleep key is pressed: then who saves it waits for it to suspend.
KEY_DRIVER = (
    set_up(at(KEYS_DESCRIPTORS), at(KEYS_AVAILABLE), at(KEYS_USED), device=KEYS)
    + set_up(size=128)
    + f"wait {KEYS_SOURCE}\nstore {KEYS + 0x70:x} 4 0\n"
    + NOTIFY
    + f"wait {SOURCE}\n"
)


def kind_of(number: int) -> int:
    """Return what a request asks for: a flush now and then takes long enough to be interrupted."""
    return (READ, WRITE, READ, FLUSH)[number % 4]


def data_of(number: int) -> int:
    return PARTS + PART * number


def on_disk(number: int) -> bytes:
    return bytes([number + 1]) * PART


def in_memory(number: int) -> bytes:
    return (bytes([number + 0x80]) if kind_of(number) == WRITE else UNTOUCHED) * PART


def busy_image(script: str) -> bytes:
    """Return a kernel with many requests in its ring."""
    memory = bytearray(kernel(script).ljust(PARTS + PART * MANY, b"\0"))
    for i in range(MANY):
        writes = 0 if kind_of(i) == WRITE else DEVICE_WRITES
        chain = [
            (at(HEADER) + 16 * i, 16, NEXT),
            (at(data_of(i)), PART, NEXT | writes),
            (at(ANSWERS) + i, 1, DEVICE_WRITES),
        ]
        for number, (address, length, flags) in enumerate(chain):
            place = DESCRIPTORS + 16 * (3 * i + number)
            struct.pack_into("<QIHH", memory, place, address, length, flags, 3 * i + number + 1)
        struct.pack_into("<IIQ", memory, HEADER + 16 * i, kind_of(i), 0, i * PART // SECTOR)
        struct.pack_into("<H", memory, AVAILABLE + 4 + 2 * i, 3 * i)
        memory[ANSWERS + i] = UNANSWERED
        memory[data_of(i) : data_of(i) + PART] = in_memory(i)
    struct.pack_into("<HH", memory, AVAILABLE, 0, MANY)
    for i in range(4):
        event = (at(EVENTS) + EVENT_SIZE * i, EVENT_SIZE, DEVICE_WRITES, 0)
        struct.pack_into("<QIHH", memory, KEYS_DESCRIPTORS + 16 * i, *event)
    struct.pack_into("<HH4H", memory, KEYS_AVAILABLE, 0, 4, *range(4))
    return bytes(memory)


def answered(used: bytes, answers: bytes) -> list[int]:
    """Return the requests that were given back; no other one has an answer, and none has two."""
    _, count = struct.unpack_from("<HH", used)
    given_back = [struct.unpack_from("<I", used, 4 + 8 * i)[0] // 3 for i in range(count)]
    assert len(set(given_back)) == len(given_back) > 0
    expected = [OK if i in given_back else UNANSWERED for i in range(MANY)]
    assert list(answers) == expected
    return given_back


class Busy(NamedTuple):
    guest: subprocess.Popen[bytes]
    file: Path
    saver: subprocess.CompletedProcess[str]


def save_busy(host: Host, script: str, options: str) -> Busy:
    """Save a guest that begins requests and then does what the script says."""
    file = host.folder / "disk"
    with file.open("wb") as disk:
        disk.write(b"".join(on_disk(i) for i in range(MANY)))
        os.fsync(disk.fileno())
        # What the host has in its cache would be read at once.
        os.posix_fadvise(disk.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    (host.folder / "Image").write_bytes(busy_image(script))
    guest = host.start(
        *("run", "--name", "web", "--memory", "64M", "--kernel", host.folder / "Image"),
        *("--disk", f"{file}{options}"),
    )
    wait_for(lambda: (host.folder / "run" / ".save.web").exists())
    return Busy(guest, file, host.call("save", "web", host.folder / "saved"))


@pytest.mark.parametrize("options", ["", ",direct"])
@pytest.mark.parametrize("rest", [RESET, STOP_QUEUE], ids=["reset", "queue"])
def test_a_guest_is_saved_in_the_middle(host: Host, rest: str, options: str) -> None:
    """Each request is done and given back in the file, or not begun; the disk is as it says."""
    script = suspending(KEY_DRIVER + rest, show(USED, 4) + POWEROFF)
    guest, disk, saver = save_busy(host, script, options)
    assert saver.returncode == DONE, saver.stderr
    _, errors = guest.communicate(timeout=30)
    assert guest.returncode == SAVED
    assert b"Sanitizer" not in errors
    # Its checksums are looked at when it is restored, which is quicker.
    packed = (host.folder / "saved").read_bytes()[PREFIX.size :]
    memory = packed_file.unpack(packed, checked=False)[-64 * MIB :]
    used = memory[USED : USED + 4 + 8 * MANY]
    done = answered(used, memory[ANSWERS : ANSWERS + MANY])
    stored = disk.read_bytes()
    for i in range(MANY):
        there, here = stored[PART * i : PART * (i + 1)], memory[data_of(i) : data_of(i) + PART]
        read, written = i in done and kind_of(i) == READ, i in done and kind_of(i) == WRITE
        assert here == (on_disk(i) if read else in_memory(i)), i
        assert there == (in_memory(i) if written else on_disk(i)), i
    restored = host.start("restore", host.folder / "saved", "--disk", f"{disk}{options}")
    assert restored.communicate(timeout=30)[0] == used[:4]
    assert restored.returncode == DONE


def test_a_guest_that_does_not_wait_for_its_disk(host: Host) -> None:
    """It is not saved, and goes on; its requests are answered as if nothing had been."""
    show_all = show(USED, 4 + 8 * MANY) + show(ANSWERS, MANY)
    guest, _, saver = save_busy(host, suspending(KEY_DRIVER, RESET + show_all + POWEROFF), "")
    assert saver.returncode == REFUSED
    assert "the driver of one of its devices does not suspend it" in saver.stderr
    assert not (host.folder / "saved").exists()
    output, errors = guest.communicate(timeout=30)
    assert guest.returncode == DONE, errors
    assert b"Sanitizer" not in errors
    answered(output[:-MANY], output[-MANY:])


@pytest.mark.parametrize("options", ["", ",direct", ",direct,readonly", ",readonly,direct"])
def test_a_disk_past_the_cache(host: Host, disk: Path, options: str) -> None:
    """Nothing is aligned here, so that it is read and written through the cache all the same."""
    assert ask(host, f"{disk}{options}", READ, room=SECTOR)[:2] == (OK, b"a" * SECTOR)
    expected = ERROR if "readonly" in options else OK
    assert ask(host, f"{disk}{options}", WRITE, data=b"X" * SECTOR)[0] == expected
    assert disk.read_bytes()[:1] == (b"a" if expected == ERROR else b"X")


# Data of a request in pieces that are neither aligned nor of equal size, in all more than twice
# what passes through a buffer at a time.
SCATTERED = [(MIB + 1, 300 * 1024 + 7), (2 * MIB, 0), (3 * MIB + 8, 300 * 1024 - 7), (4 * MIB, 0)]
SCATTERED_SIZE = sum(size for _, size in SCATTERED)


def ask_scattered(host: Host, disk: str, kind: int, data: bytes) -> tuple[int, bytes]:
    """Return what the disk answered, and the data that are in the guest's memory then."""
    direction = DEVICE_WRITES if kind == READ else 0
    pieces: Chain = [(at(HEADER), 16, 0)]
    pieces += [(at(place), size, direction) for place, size in SCATTERED]
    pieces.append((at(ANSWER), 1, DEVICE_WRITES))
    script = set_up() + DRIVE + show(ANSWER, 1)
    script += "".join(show(place, size) for place, size in SCATTERED if size) + POWEROFF
    memory = bytearray(image(script, pieces, struct.pack("<IIQ", kind, 0, 1), b"", {}))
    memory = memory.ljust(5 * MIB, b".")
    for place, size in SCATTERED:
        memory[place : place + size], data = data[:size], data[size:]
    (host.folder / "Image").write_bytes(memory)
    process = host.start(
        *("run", "--memory", "8M", "--kernel", host.folder / "Image", "--disk", disk)
    )
    output, errors = process.communicate(timeout=30)
    assert process.returncode == DONE, errors
    assert b"Sanitizer" not in errors
    return output[0], output[1:]


@pytest.mark.parametrize("options", ["", ",cached"])
@pytest.mark.parametrize("window", [False, True], ids=["pages", "window"])
def test_what_is_scattered_in_memory(host: Host, window: bool, options: str) -> None:
    """Where the memory is no file's the host's kernel cannot move data past its cache by itself."""
    if window:
        (host.folder / "tree.dtb").write_bytes(host_tree(window=(BASE, 8 * MIB)))
    file, random = host.folder / "disk", Random(window)
    before = random.randbytes(SCATTERED_SIZE + 2 * SECTOR)
    file.write_bytes(before)
    empty, data = bytes(SCATTERED_SIZE), random.randbytes(SCATTERED_SIZE)
    read = ask_scattered(host, f"{file}{options}", READ, empty)
    assert read == (OK, before[SECTOR:-SECTOR])
    assert file.read_bytes() == before
    assert ask_scattered(host, f"{file}{options}", WRITE, data) == (OK, data)
    assert file.read_bytes() == before[:SECTOR] + data + before[-SECTOR:]


@pytest.mark.parametrize("options", ["", ",cached"])
def test_a_file_that_becomes_smaller(host: Host, disk: Path, options: str) -> None:
    """A read of what is no longer there fails, also into a piece of no bytes."""
    pieces: Chain = [(at(HEADER), 16, 0), (at(DATA), 0, DEVICE_WRITES)]
    pieces += [(at(DATA), SECTOR, DEVICE_WRITES), (at(ANSWER), 1, DEVICE_WRITES)]
    script = f"put {UART:x} up|\nsleep 1000000\n" + set_up() + DRIVE + show(ANSWER, 1) + POWEROFF
    header = struct.pack("<IIQ", READ, 0, 0)
    (host.folder / "Image").write_bytes(image(script, pieces, header, b"", {}))
    guest = host.start(
        *("run", "--memory", "8M", "--kernel", host.folder / "Image"),
        *("--disk", f"{disk}{options}"),
    )
    assert guest.stdout is not None
    assert guest.stdout.read(3) == b"up\n"
    os.truncate(disk, 0)
    output, errors = guest.communicate(timeout=30)
    assert guest.returncode == DONE, errors
    assert output[0] == ERROR


def test_a_request_of_no_bytes(host: Host, disk: Path) -> None:
    """It is done at once, and not begun again and again."""
    nothing = (at(DATA), 0, DEVICE_WRITES)
    chain = [HEADER_PIECE, nothing, nothing, ANSWER_PIECE]
    assert ask(host, disk, READ, chain=chain) == (OK, b"", 1)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (",direct,cached", "'direct' and 'cached' exclude each other"),
        (",cached,readonly,direct", "'direct' and 'cached' exclude each other"),
    ],
)
def test_options_that_exclude_each_other(
    host: Host, disk: Path, options: str, sentence: str
) -> None:
    result = host.run(POWEROFF, "--disk", f"{disk}{options}")
    assert result.returncode == NO_START
    assert sentence in result.stderr


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
