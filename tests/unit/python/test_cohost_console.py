# SPDX-License-Identifier: BSD-2-Clause
"""Who sees the console of cohost's guests, and the input of a command."""

import json
import os
import subprocess
import time
from pathlib import Path
from select import select

import pytest
from test_cohost_program import (
    BASE,
    COLD_REBOOT,
    DONE,
    POWEROFF,
    REFUSED,
    STOPPED,
    UART,
    WARM_REBOOT,
    Host,
    host,
    kernel,
    program,
    wait_for,
)

__all__ = ["host", "kernel", "program"]  # fixtures, and what they need

PANIC, REBOOT = 4, 7
INPUT = UART + 0x1000
LISTEN = f"store {UART + 4:x} 1 1\n"
TAKE = f"wait 1\nload {UART:x} 1\n"


def start(host: Host, script: str) -> subprocess.Popen[bytes]:
    """Start a guest whose console takes bytes."""
    process = host.start(
        "run", "--memory", "8M", "--name", "web", "--kernel", host.kernel(LISTEN + script)
    )
    wait_for(lambda: (host.folder / "run" / ".console.web").exists() and "start" in host.log)
    return process


def attach(host: Host) -> subprocess.Popen[bytes]:
    return host.start("console", "web")


def loaded(host: Host) -> bytes:
    """Return the bytes that the guest has read."""
    lines = [line for line in host.log.splitlines() if " load " in line]
    return bytes(int(line.split()[-1], 16) for line in lines)


def test_two_viewers_see_everything(host: Host) -> None:
    """What was written before they came, and after; their keys arrive."""
    lines = "".join(f"put {UART:x} {number:07}|\n" for number in range(3000))
    script = f"put {UART:x} before|\n" + TAKE * 2 + lines + POWEROFF
    guest = start(host, script)
    viewers = [attach(host), attach(host)]
    for viewer, key in zip(viewers, b"ab", strict=True):
        assert viewer.stdin and viewer.stdout
        assert viewer.stdout.readline() == b"before\n"
        viewer.stdin.write(bytes([key]))
        viewer.stdin.flush()
    expected = "".join(f"{number:07}\n" for number in range(3000)).encode()
    for viewer in viewers:
        assert viewer.communicate(timeout=30)[0] == expected
        assert viewer.returncode == DONE
    assert guest.communicate(timeout=30)[0] == b"before\n" + expected
    assert sorted(loaded(host)) == [*b"ab"]
    assert not (host.folder / "run" / ".console.web").exists()


def test_a_viewer_that_takes_nothing_does_not_keep_the_guest(host: Host) -> None:
    script = f"put {UART:x} before|\n" + TAKE
    script += "".join(f"put {UART:x} {number:0200}|\n" for number in range(250)) + POWEROFF
    guest = start(host, script)
    viewer = attach(host)
    assert viewer.stdin and viewer.stdout
    assert viewer.stdout.readline() == b"before\n"
    viewer.stdin.write(b"a")
    viewer.stdin.flush()
    assert len(guest.communicate(timeout=30)[0]) == len("before\n") + 250 * 201
    assert guest.returncode == DONE
    viewer.communicate(timeout=30)


def test_a_reader_that_takes_much_at_once(host: Host) -> None:
    """All that is kept for it finds room then, and the guest, which waits, goes on."""
    size = 512 * 1024
    guest = start(host, f"sbi 4442434e 0 {size:x} {BASE:x} 0\n" + POWEROFF)
    assert guest.stdout is not None
    seen = b""
    while len(seen) < size:
        time.sleep(0.3)  # until nothing more finds room
        assert select([guest.stdout], [], [], 10)[0], f"stopped after {len(seen)} bytes"
        seen += os.read(guest.stdout.fileno(), 65536)
    assert guest.communicate(timeout=30)[0] == b""
    assert (len(seen), guest.returncode) == (size, DONE)


def test_a_viewer_that_dies(host: Host) -> None:
    guest = start(host, f"put {UART:x} before|\n" + TAKE + f"put {UART:x} after|\n" + POWEROFF)
    first = attach(host)
    assert first.stdout and first.stdout.readline() == b"before\n"
    first.kill()
    first.communicate(timeout=30)
    assert attach(host).communicate(b"a", timeout=30)[0] == b"before\nafter\n"
    assert guest.communicate(timeout=30)[0] == b"before\nafter\n"


@pytest.mark.parametrize(("key", "ends"), [(b"\x01d", False), (b"\x01x", True)])
def test_keys_that_leave_and_stop(host: Host, key: bytes, ends: bool) -> None:
    guest = start(host, f"put {UART:x} up|\nspin\n")
    pid, terminal = host.on_terminal("console", "web", until=b"up")
    os.write(terminal, key)
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == DONE
    if not ends:
        assert guest.poll() is None
        assert host.call("stop", "web").returncode == DONE
    guest.communicate(timeout=30)
    assert guest.returncode == STOPPED


def test_a_console_that_is_not_there(host: Host) -> None:
    result = host.call("console", "web")
    assert result.returncode == REFUSED
    assert "there is neither a guest web nor a tenant that is served" in result.stderr


def test_a_killed_process_leaves_no_socket(host: Host) -> None:
    guest = start(host, "spin\n")
    guest.kill()
    guest.communicate(timeout=30)
    assert (host.folder / "run" / ".console.web").exists()
    assert host.run(POWEROFF).returncode == DONE
    assert not (host.folder / "run" / ".console.web").exists()


# --- the input of a command ---


def run_command(host: Host, typed: bytes, keys: int, opened: str = "3") -> bytes:
    """Return the keys that a guest gets for a command's input; it reads so many."""
    script = f"put {INPUT + 0x1000:x} ready|\nstore {INPUT + 4:x} 1 1\n"
    script += f"store {INPUT + 16:x} 1 {opened}\n"
    script += f"wait 2\nload {INPUT:x} 1\n" * keys
    script += f"put {INPUT + 0x1000:x} exit 0|\n" + POWEROFF
    file = host.kernel(script, image_size=0x100000)
    process = host.start("exec", "--memory", "8M", "--kernel", file, "--", "cat")
    output, errors = process.communicate(typed, timeout=60)
    assert (process.returncode, output) == (DONE, b""), errors
    return loaded(host)


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        (b"", b"\x04"),
        (b"line\n", b"line\n\x04"),
        (b"no end", b"no end\x04\x04"),
        (b"\x04\x16\x00\xff", b"\x16\x04\x16\x16\x00\xff\x04\x04"),
        (b"x" * 1030, b"x" * 1024 + b"\x04" + b"x" * 6 + b"\x04\x04"),
    ],
    ids=["nothing", "a line", "no end of line", "special keys", "a long line"],
)
def test_the_input_of_a_command(host: Host, typed: bytes, keys: bytes) -> None:
    assert run_command(host, typed, len(keys)) == keys


def test_input_waits_for_the_guest(host: Host) -> None:
    """Without its request to send (RTS) nothing arrives."""
    script = f"put {INPUT + 0x1000:x} ready|\nstore {INPUT + 4:x} 1 1\nsleep 500000\n"
    script += f"load {INPUT + 20:x} 1\nstore {INPUT + 16:x} 1 2\nwait 2\nload {INPUT + 20:x} 1\n"
    script += f"put {INPUT + 0x1000:x} exit 0|\n" + POWEROFF
    file = host.kernel(script)
    process = host.start("exec", "--memory", "8M", "--kernel", file, "--", "cat")
    process.communicate(b"x\n", timeout=30)
    assert process.returncode == DONE
    assert loaded(host) == b"\x60\x61"


def test_errors_come_apart(host: Host) -> None:
    script = f"put {INPUT:x} out|\nput {INPUT + 0x2000:x} err|\nput {INPUT + 0x1000:x} exit 3|\n"
    file = host.kernel(script + POWEROFF)
    result = host.call("exec", "--memory", "8M", "--kernel", file, "--", "ls")
    assert (result.returncode, result.stdout, result.stderr) == (3, "out\n", "err\n")


# --- how a guest ends ---


@pytest.mark.parametrize(
    ("script", "words", "end", "code"),
    [
        (POWEROFF, (), "poweroff", DONE),
        (WARM_REBOOT, (), "panic", PANIC),
        (COLD_REBOOT, ("--no-reboot",), "reboot", REBOOT),
        ("crash\n", (), "crash", 5),
    ],
)
def test_the_end_as_json(
    host: Host, script: str, words: tuple[str | Path, ...], end: str, code: int
) -> None:
    result = host.run(script, "--json", "--name", "web", *words)
    assert result.returncode == code
    assert json.loads(result.stdout) == {"name": "web", "end": end, "exit": code}
