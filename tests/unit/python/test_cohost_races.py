# SPDX-License-Identifier: BSD-2-Clause
"""cohost between other processes: who is slow, paused, killed, or comes at the same moment."""

import fcntl
import os
import pty
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from test_cohost_console import INPUT, TAKE, start
from test_cohost_power_keys import KEYS_SOURCE, image
from test_cohost_power_keys import start as start_with_keys
from test_cohost_program import (
    BASE,
    COLD_REBOOT,
    DONE,
    POWEROFF,
    STOPPED,
    UART,
    Host,
    host,
    program,
    wait_for,
)
from test_cohost_savefile import (
    SAVED,
    SCRIPT,
    SUSPEND,
    ended,
    suspending,
    unread,
)

__all__ = ["host", "program"]

UP = f"put {UART:x} up|\n"
QUICK = 5  # seconds: `stop` kills after ten


def run(host: Host, script: str, *words: str | Path) -> subprocess.Popen[bytes]:
    options = ("--name", "web", "--memory", "8M", "--kernel", host.kernel(script))
    guest = host.start("run", *options, *words, stdin=subprocess.DEVNULL)
    wait_for(lambda: "start" in host.log and (host.folder / "run" / ".save.web").exists())
    return guest


def room_of_a_socket() -> int:
    sent = 0
    one, other = socket.socketpair()
    with one, other:
        one.setblocking(False)
        while True:
            try:
                sent += one.send(bytes(4096))
            except BlockingIOError:
                return sent


def test_a_viewer_that_takes_nothing_at_all(host: Host) -> None:
    """The guest has ended: who is attached is waited for, but not for ever."""
    # A socket takes less in smaller pieces. What it does not take has room: 128 KiB.
    size = room_of_a_socket() + 10_000
    guest = start(host, TAKE + f"sbi 4442434e 0 {size:x} {BASE:x} 0\n" + POWEROFF)
    with socket.socket(socket.AF_UNIX) as viewer:
        viewer.connect(str(host.folder / "run" / ".console.web"))
        viewer.send(b"a")
        assert len(guest.communicate(timeout=20)[0]) == size
        assert guest.returncode == DONE


@pytest.mark.parametrize("number", [signal.SIGCONT, signal.SIGPWR])
@pytest.mark.parametrize("command", [False, True], ids=["run", "exec"])
def test_the_rest_of_the_output_outlives_a_signal(
    host: Host, command: bool, number: signal.Signals
) -> None:
    """As `cohost exec -- dmesg | less`, Ctrl-Z, fg."""
    size = 120_000  # more than a pipe takes
    write = f"sbi 4442434e 0 {size:x} {BASE:x} 0\n"
    if command:
        lines = f"put {INPUT + 0x1000:x} exit 0|\n"
        options = (
            "--name",
            "web",
            "--memory",
            "8M",
            "--kernel",
            host.kernel(lines + write + POWEROFF),
        )
        guest = host.start("exec", "--verbose", *options, "--", "ls", stdin=subprocess.DEVNULL)
        pipe = guest.stderr
    else:
        guest = start(host, write + POWEROFF)
        pipe = guest.stdout
    wait_for(lambda: unread(pipe) > 60_000)
    time.sleep(0.5)
    guest.send_signal(number)
    time.sleep(0.5)
    output = guest.communicate(timeout=20)[command]
    assert (guest.returncode, len(output)) == (DONE, size)


def test_a_guest_is_stopped_whose_terminal_takes_nothing(host: Host) -> None:
    file = host.kernel(f"{UP}sbi 4442434e 0 {512 * 1024:x} {BASE:x} 0\nspin\n")
    pid, terminal = host.on_terminal(
        *("run", "--memory", "8M", "--name", "web", "--kernel", file), until=b"up"
    )
    time.sleep(0.5)
    begin = time.monotonic()
    assert host.call("stop", "web").returncode == DONE
    assert time.monotonic() - begin < QUICK
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == STOPPED


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def be_a_shell(command: list[str], host: Host) -> None:
    """Run a program in the foreground, and take the terminal when it is paused."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    guest = os.fork()
    if guest == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpgrp())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execve(command[0], command, host.environment)
    os.waitpid(guest, os.WUNTRACED)
    os.tcsetpgrp(0, os.getpgrp())
    (host.folder / "shell").write_text(f"{guest}\n")
    os.waitpid(guest, 0)
    while True:
        signal.pause()


def test_a_guest_is_resumed_in_the_background(host: Host) -> None:
    """It neither reads nor changes the terminal, which is its shell's: that would stop it."""
    options = [
        "run",
        "--memory",
        "8M",
        "--name",
        "web",
        "--kernel",
        str(host.kernel(UP + "spin\n")),
    ]
    shell, terminal = pty.fork()
    if shell == 0:
        be_a_shell([str(host.program), *options], host)
    output = b""
    while b"up" not in output:
        output += os.read(terminal, 100)
    assert host.call("pause", "web").returncode == DONE
    wait_for(
        lambda: (host.folder / "shell").exists() and "\n" in (host.folder / "shell").read_text()
    )
    guest = int((host.folder / "shell").read_text())
    assert host.call("resume", "web").returncode == DONE
    wait_for(lambda: state(guest) != "T")
    os.write(terminal, b"ls\r")
    time.sleep(0.5)
    after = state(guest)
    begin = time.monotonic()
    assert host.call("stop", "web").returncode == DONE
    took = time.monotonic() - begin
    os.kill(shell, signal.SIGKILL)
    os.waitpid(shell, 0)
    os.close(terminal)
    assert (after == "T", took < QUICK) == (False, True)


def test_a_key_that_was_pressed_in_vain_does_not_outlive_a_reboot(host: Host) -> None:
    pressed = f"wait {KEYS_SOURCE}\nput {UART:x} pressed|\ngate\n"
    guest = start_with_keys(host, pressed + COLD_REBOOT)
    assert guest.stdout is not None
    with socket.socket(socket.AF_UNIX) as saver, (host.folder / "saved").open("wb") as file:
        saver.connect(str(host.folder / "run" / ".save.web"))
        socket.send_fds(saver, [b"\0"], [file.fileno()])
        assert guest.stdout.readline() == b"pressed\n"
    anew = suspending(f"put {UART:x} anew|\n", f"put {UART:x} after|\n{POWEROFF}")
    with (host.folder / "Image").open("r+b") as there:
        there.write(image(anew))
    time.sleep(0.2)
    (host.folder / "gate").touch()
    assert guest.stdout.readline() == b"anew\n"
    time.sleep(0.5)
    assert guest.poll() is None
    assert host.call("stop", "web").returncode == DONE
    assert guest.communicate(timeout=30)[0] == b""


def test_a_saver_that_is_interrupted_leaves_no_file(host: Host) -> None:
    guest = run(host, "spin\n")
    saver = host.start("save", "web", host.folder / "saved")
    wait_for(lambda: bool(list(host.folder.glob("saved.*"))))
    time.sleep(0.3)
    saver.send_signal(signal.SIGTERM)
    saver.communicate(timeout=30)
    assert host.call("stop", "web").returncode == DONE
    ended(guest)
    assert not list(host.folder.glob("saved*"))


def test_a_restored_guest_goes_on_at_its_second_cpu(host: Host) -> None:
    """It may end before its first one has a thread."""
    begin, stop = "sbi 48534d 0 1 {:x} 0\n", "sbi 48534d 1 0 0 0\n"
    second = SCRIPT + len(begin.format(SCRIPT)) + len(stop)
    place = second + len(SUSPEND.format(SCRIPT))
    guest = run(host, begin.format(second) + stop + SUSPEND.format(place) + POWEROFF, "--cpus", "2")
    assert host.call("save", "web", host.folder / "saved").returncode == DONE
    assert ended(guest) == SAVED
    assert {host.call("restore", host.folder / "saved").returncode for _ in range(10)} == {DONE}


def test_other_users_cannot_lock_a_name(host: Host) -> None:
    """A lock needs no more than that the file can be read."""
    guest = run(host, "spin\n")
    with (host.folder / "run" / "web").open() as file:
        guest.kill()
        ended(guest)
        fcntl.flock(file, fcntl.LOCK_EX)
        assert "web" in host.call("list").stdout
        assert os.fstat(file.fileno()).st_mode & 0o077 == 0
