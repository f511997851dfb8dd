# SPDX-License-Identifier: BSD-2-Clause
"""cohost save and restore: guests that suspend themselves, their files, and files of others."""

import array
import fcntl
import socket
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import packed_file
import pytest
from test_cohost_program import (
    BASE,
    DONE,
    MIB,
    NO_START,
    PLIC,
    POWEROFF,
    REFUSED,
    STOPPED,
    UART,
    USAGE,
    Host,
    host,
    host_tree,
    kernel,
    program,
    wait_for,
)

__all__ = ["host", "program"]

SAVED = 8
WINDOW = 0x9000_0000
SCRIPT = BASE + 64
SUSPEND = "sbi 53555350 0 0 {:x} 7\n"
PREFIX = struct.Struct("<QIIQ")


def suspending(before: str, after: str, base: int = BASE) -> str:
    """Return a script that suspends itself and goes on with `after` when it is woken."""
    script = base + SCRIPT - BASE
    place = script + len(before) + len(SUSPEND.format(script))
    return before + SUSPEND.format(place) + after


SLEEPER = suspending(f"put {UART:x} before|\n", f"put {UART:x} after|\n{POWEROFF}")


def start(host: Host, script: str, *words: str | Path) -> subprocess.Popen[bytes]:
    options = ("--name", "web", "--memory", "8M", "--kernel", host.kernel(script))
    return host.start("run", *options, *words, stdin=subprocess.DEVNULL)


def unread(pipe: IO[bytes] | None) -> int:
    """Return how many bytes of a pipe nobody has read yet."""
    count = array.array("i", [0])
    assert pipe is not None
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


def ended(guest: subprocess.Popen[bytes]) -> int:
    """Return the exit code of a process, and close what belongs to it."""
    guest.communicate(timeout=30)
    return guest.returncode


def save(host: Host, script: str = SLEEPER, *words: str | Path) -> Path:
    """Return a file that holds a guest."""
    guest = start(host, script, *words)
    file = host.folder / "saved"
    wait_for(lambda: (host.folder / "run" / ".save.web").exists())
    result = host.call("save", "web", file)
    assert result.returncode == DONE, result.stderr
    assert ended(guest) == SAVED
    assert not list(host.folder.glob("saved.*"))
    assert not (host.folder / "slot").exists()
    return file


def test_a_guest_goes_on_where_it_was_saved(host: Host) -> None:
    file = save(host)
    assert file.stat().st_size < 100_000
    (host.folder / "Image").unlink()
    result = host.call("restore", file)
    assert result.returncode == DONE, result.stderr
    assert result.stdout == "after\n"
    assert host.lent == 2 * [(BASE, 4)]


SLEEPER_IN_WINDOW = suspending("", f"put {UART:x} after|\n{POWEROFF}", WINDOW)


def keep_window(host: Host, size: int = 16 * MIB) -> None:
    (host.folder / "tree.dtb").write_bytes(host_tree(window=(WINDOW, size)))


def test_a_guest_finds_its_memory_again_in_the_window(host: Host) -> None:
    """Whatever else the host's kernel has given away by then, as after a reboot."""
    keep_window(host)
    file = save(host, SLEEPER_IN_WINDOW)
    (host.folder / "window").write_bytes(b"\xa5" * 16 * MIB)
    (host.folder / "run" / ".window").unlink()
    host.set_pages((BASE + 256 * MIB, 1))
    result = host.call("restore", file)
    assert result.returncode == DONE, result.stderr
    assert result.stdout == "after\n"
    assert set(host.lent) == {(WINDOW, 4)}


def test_guests_share_the_window(host: Host) -> None:
    """Each has a part of its own; one that has no room there is elsewhere, and none is wiped."""
    keep_window(host)
    first = start(host, f"put {UART:x} up|\nspin\n")
    wait_for(lambda: bool(host.lent))
    (host.folder / "slot").unlink()  # the fake machine has one
    second = host.start("run", "--memory", "8M", "--kernel", host.kernel("spin\n"))
    wait_for(lambda: len(host.lent) == 2)
    (host.folder / "slot").unlink()
    assert host.run(POWEROFF).returncode == DONE
    assert host.lent == [(WINDOW, 4), (WINDOW + 8 * MIB, 4), (BASE, 4)]
    for guest in (first, second):
        guest.kill()
        ended(guest)
    assert host.run(POWEROFF).returncode == DONE
    assert set(host.lent[3:]) == {(WINDOW, 4)}


def test_a_guest_of_the_window_waits_for_its_own_place(host: Host) -> None:
    keep_window(host)
    file = save(host, SLEEPER_IN_WINDOW)
    lent = len(host.lent)
    other = start(host, "spin\n")
    wait_for(lambda: len(host.lent) > lent)
    (host.folder / "slot").unlink()
    result = host.call("restore", file, "--name", "again")
    assert result.returncode == NO_START
    assert "another guest has memory at the addresses" in result.stderr
    other.kill()
    ended(other)
    assert host.call("restore", file).returncode == DONE


def test_nothing_of_a_guest_is_left_in_the_window(host: Host) -> None:
    keep_window(host)
    (host.folder / "window").write_bytes(b"\xa5" * 16 * MIB)
    assert host.run(POWEROFF, "--at", f"{WINDOW + 8 * MIB:#x}").returncode == DONE
    left = (host.folder / "window").read_bytes()
    assert left[: 8 * MIB] == b"\xa5" * 8 * MIB
    assert b"\xa5" * 16 not in left[8 * MIB :]


STALE = b"\xa5" * 16


@pytest.mark.parametrize(
    "ends",
    [POWEROFF, "sbi 53525354 0 0 1 0\n", f"put {UART:x} up|\nspin\n"],
    ids=["poweroff", "panic", "stop"],
)
def test_a_guest_clears_the_window_when_it_ends(host: Host, ends: str) -> None:
    """So that the next one need not: it takes the memory as it is, once."""
    keep_window(host)
    window = host.folder / "window"
    window.write_bytes(STALE * MIB)
    for clear in (False, True):
        if clear:
            window.write_bytes(bytes(4 * MIB) + STALE + window.read_bytes()[4 * MIB + 16 :])
        guest = start(host, f"put {UART:x} up|\n{ends}")
        assert guest.stdout is not None
        assert guest.stdout.readline() == b"up\n"
        if "spin" in ends:
            assert (STALE in window.read_bytes()[: 8 * MIB]) == clear
            assert host.call("stop", "web").returncode == DONE
        guest.communicate(timeout=30)
        left = window.read_bytes()
        assert not any(left[: 8 * MIB])
        assert left[8 * MIB :] == STALE * (MIB // 2)


def test_a_guest_that_is_killed_leaves_the_window_to_the_next_one(host: Host) -> None:
    keep_window(host)
    assert host.run(POWEROFF).returncode == DONE
    first = start(host, f"put {UART:x} up|\nspin\n")
    assert first.stdout is not None
    assert first.stdout.readline() == b"up\n"
    first.kill()
    ended(first)
    window = host.folder / "window"
    window.write_bytes(STALE * MIB)
    second = start(host, f"put {UART:x} up|\nspin\n")
    assert second.stdout is not None
    assert second.stdout.readline() == b"up\n"
    assert STALE not in window.read_bytes()[: 8 * MIB]
    second.kill()
    ended(second)


def test_the_window_cannot_be_shared(host: Host) -> None:
    keep_window(host)
    words = ("--at", f"{WINDOW:#x}", "--share", f"socket:{host.folder}/none=srv")
    result = host.run(POWEROFF, *words)
    assert result.returncode == NO_START
    assert "cannot be shared with the programs" in result.stderr


def test_a_suspended_guest_is_resumed(host: Host) -> None:
    guest = start(host, SLEEPER)
    wait_for(lambda: (host.folder / "run" / ".save.web").exists())
    wait_for(lambda: host.call("resume", "web").returncode != DONE)
    assert guest.communicate(timeout=30)[0] == b"before\nafter\n"
    assert guest.returncode == DONE


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("sbi 53555350 0 1 80000000 0\n", -3),
        ("sbi 53555350 0 0 70000000 0\n", -5),
        ("sbi 53555350 1 0 80000000 0\n", -2),
    ],
    ids=["another type", "outside of its memory", "another function"],
)
def test_a_guest_that_cannot_suspend_itself_goes_on(host: Host, call: str, error: int) -> None:
    assert host.run(call + POWEROFF).returncode == DONE
    assert f"vhart 0 answer {error} 0" in host.log


def test_a_guest_whose_other_cpu_runs_is_not_suspended(host: Host) -> None:
    spin = SCRIPT + len(f"sbi 48534d 0 1 {SCRIPT:x} 0\n") + len(SUSPEND.format(SCRIPT))
    spin += len(POWEROFF)
    script = f"sbi 48534d 0 1 {spin:x} 0\n" + SUSPEND.format(SCRIPT) + POWEROFF + "spin\n"
    assert host.run(script, "--cpus", "2").returncode == DONE
    assert "vhart 0 answer -4 0" in host.log


def test_its_memory_is_where_it_was(host: Host) -> None:
    host.set_pages((BASE + 32 * MIB, 20), (BASE, 3), (BASE + 64 * MIB, 20), (BASE + 6 * MIB, 9))
    guest = start(host, SLEEPER, "--at", f"{BASE:#x}")
    wait_for(lambda: (host.folder / "run" / ".save.web").exists())
    assert host.call("save", "web", host.folder / "saved").returncode == DONE
    assert ended(guest) == SAVED
    assert host.call("restore", host.folder / "saved").stdout == "after\n"
    assert host.lent == 2 * [(BASE, 4)]
    host.set_pages((BASE + 32 * MIB, 20), (BASE, 3))
    result = host.call("restore", host.folder / "saved")
    assert result.returncode == NO_START
    assert "2 of the 8 MiB at the addresses that the guest needs cannot be had" in result.stderr


@pytest.mark.parametrize("address", ["0", "x", "-1", "0x80001000"])
def test_an_address_that_is_none(host: Host, address: str) -> None:
    result = host.run(POWEROFF, "--at", address)
    assert result.returncode == USAGE
    assert "is not an address such as 0x90000000" in result.stderr


def test_the_devices_are_given_again(host: Host) -> None:
    disk, other = host.folder / "disk", host.folder / "other"
    disk.write_bytes(bytes(4096))
    other.write_bytes(bytes(8192))
    file = save(host, SLEEPER, "--disk", disk)
    assert "with a disk as number 1" in host.call("restore", file).stderr
    assert "had 8 sectors, and has 16" in host.call("restore", file, "--disk", other).stderr
    extra = host.call("restore", file, "--disk", disk, "--disk", disk.rename(host.folder / "moved"))
    assert extra.returncode == NO_START
    assert host.call("restore", file, "--disk", host.folder / "moved").stdout == "after\n"


def test_another_machine(host: Host) -> None:
    file = save(host)
    (host.folder / "tree.dtb").write_bytes(host_tree(timebase=1_000_000))
    result = host.call("restore", file)
    assert result.returncode == NO_START
    assert "another CPU, clock or interrupt controller" in result.stderr


def test_what_cannot_be_saved(host: Host) -> None:
    assert host.call("save", "web", host.folder / "saved").returncode == REFUSED
    assert host.call("save", "web").returncode == USAGE
    assert host.call("restore").returncode == USAGE
    guest = start(host, SLEEPER)
    wait_for(lambda: (host.folder / "run" / ".save.web").exists())
    result = host.call("save", "web", host.folder / "no" / "folder")
    assert result.returncode == REFUSED
    assert "No such file" in result.stderr
    assert host.call("stop", "web").returncode == DONE
    assert ended(guest) == STOPPED


def test_a_guest_goes_on_whose_saver_goes_away(host: Host) -> None:
    guest = start(host, "spin\n")
    wait_for(lambda: (host.folder / "run" / ".save.web").exists())
    saver = host.start("save", "web", host.folder / "saved")
    wait_for(lambda: bool(list(host.folder.glob("saved.*"))))
    saver.kill()
    saver.communicate()
    assert host.call("list").stdout.count("web") == 1
    assert host.call("stop", "web").returncode == DONE
    assert ended(guest) == STOPPED


@contextmanager
def saved(host: Host) -> Iterator[socket.socket]:
    """Save the guest as the verb does; the connection, whose other end waits for what comes."""
    path = host.folder / "run" / ".save.web"
    wait_for(path.exists)
    with socket.socket(socket.AF_UNIX) as saver, (host.folder / "saved").open("wb") as file:
        saver.connect(str(path))
        socket.send_fds(saver, [b"\0"], [file.fileno()])
        assert saver.recv(100) == b"ok"
        yield saver


def test_a_guest_that_has_been_saved_is_not_woken(host: Host) -> None:
    """It would change its disks, of which the file knows nothing; who saves it ends it soon."""
    options = ("--name", "web", "--memory", "8M", "--kernel", host.kernel(SLEEPER))
    guest = host.start("run", *options)
    assert guest.stdin is not None
    with saved(host) as saver:
        guest.stdin.write(b"x")
        guest.stdin.flush()
        wait_for(lambda: unread(guest.stdin) == 0)
        assert host.call("resume", "web").returncode == DONE
        saver.send(b"\1")
        output, errors = guest.communicate(timeout=30)
    assert (guest.returncode, output) == (SAVED, b"before\n"), errors
    assert host.call("restore", host.folder / "saved").stdout == "after\n"


def test_a_guest_that_was_saved_goes_on_without_its_saver(host: Host) -> None:
    guest = start(host, SLEEPER)
    with saved(host):
        pass
    output, errors = guest.communicate(timeout=30)
    assert (guest.returncode, output) == (DONE, b"before\nafter\n"), errors


def sockets(guest: subprocess.Popen[bytes]) -> int:
    """Return how many sockets a process has."""
    files = Path(f"/proc/{guest.pid}/fd").iterdir()
    return sum("socket:" in str(each.readlink()) for each in files)


def test_a_guest_that_suspends_itself_just_then_is_saved_once(host: Host) -> None:
    """While its process receives the file to save it in."""
    guest = start(host, suspending("gate\n", f"put {UART:x} after|\n{POWEROFF}"))
    path = host.folder / "run" / ".save.web"
    wait_for(path.exists)
    before = sockets(guest)
    file = host.folder / "saved"
    with socket.socket(socket.AF_UNIX) as saver, file.open("wb") as to:
        saver.connect(str(path))
        wait_for(lambda: sockets(guest) > before)
        (host.folder / "gate").touch()
        time.sleep(0.1)
        socket.send_fds(saver, [b"\0"], [to.fileno()])
        assert saver.recv(100) == b"ok"
        saver.settimeout(0.5)
        with pytest.raises(TimeoutError):
            saver.recv(100)
        saver.settimeout(30)
        saver.send(b"\1")
        assert saver.recv(100) == b""
    assert ended(guest) == SAVED
    assert host.call("restore", file).stdout == "after\n"


def packed(content: bytes) -> bytes:
    """Pack a guest, nearly all of whose memory is zeros, with checksums that are right."""
    filled = content.rstrip(b"\0")
    filled += bytes(-len(filled) % packed_file.WORD)
    runs = [(0, len(filled)), (len(content) - len(filled), 0)]
    first = packed_file.block(0, runs, filled)
    return first + packed_file.block(packed_file.checksum_of(first), [], b"")


def test_a_hostile_file_is_refused(host: Host) -> None:
    """Nothing of it reaches the monitor, whatever it says, also with checksums that are right."""
    good = save(host).read_bytes()
    magic, version, _, size = PREFIX.unpack_from(good)
    content = packed_file.unpack(good[PREFIX.size :])
    assert len(content) == size
    ranges = content.index(struct.pack("<QQ", PLIC, 0x600000)) + 16
    counts = ranges + 4 * 16
    bad = {
        "empty": b"",
        "short": good[:20],
        "another version": PREFIX.pack(magic, version + 1, 0, size) + good[PREFIX.size :],
        "another magic": b"x" + good[1:],
        "another size": PREFIX.pack(magic, version, 0, size + 1) + good[PREFIX.size :],
        "a byte more": good + b"x",
        "cut off": good[:-5],
        "one bit": good[:-400] + bytes([good[-400] ^ 1]) + good[-399:],
    }
    changes = {
        "name": (0, b"../../etc/x\0"),
        "name without an end": (0, b"x" * 64),
        "address of a range": (ranges, struct.pack("<Q", BASE + 4096)),
        "size of a range": (ranges + 8, struct.pack("<Q", 1 << 63)),
        "round the end": (ranges, struct.pack("<QQ", 2**64 - 2 * MIB, 8 * MIB)),
        "two ranges": (counts, struct.pack("<I", 2)),
        "no range": (counts, struct.pack("<I", 0)),
        "many ranges": (counts, struct.pack("<I", 0xFFFFFFFF)),
        "no CPU": (counts + 4, struct.pack("<I", 0)),
        "many CPUs": (counts + 4, struct.pack("<I", 9)),
        "many devices": (counts + 8, struct.pack("<I", 17)),
        "a CPU that is not there": (counts + 12, struct.pack("<I", 1)),
    }
    for name, (at, new) in changes.items():
        changed = content[:at] + new + content[at + len(new) :]
        bad[name] = PREFIX.pack(magic, version, 0, size) + packed(changed)
    host_log = host.log
    for name, text in bad.items():
        file = host.folder / "bad"
        file.write_bytes(text)
        result = host.call("restore", file)
        assert result.returncode == NO_START, (name, result.stderr)
        assert "cohost: " in result.stderr
        assert name not in changes or "its numbers do not fit together" in result.stderr, name
    assert host.log == host_log
    # The kernel's address is the guest's own affair, if it lies in its memory.
    entry = counts + 24
    file.write_bytes(
        PREFIX.pack(magic, version, 0, size)
        + packed(content[:entry] + bytes(8) + content[entry + 8 :])
    )
    assert host.call("restore", file).returncode == NO_START


def test_a_restored_guest_reboots(host: Host) -> None:
    script = suspending("", f"put {UART:x} after|\nsbi 53525354 0 1 0 0\n")
    file = save(host, script)
    image = host.folder / "Image"
    image.write_bytes(kernel(f"put {UART:x} anew|\n{POWEROFF}"))
    result = host.call("restore", file, "--kernel", image)
    assert (result.returncode, result.stdout) == (DONE, "after\nanew\n"), result.stderr
