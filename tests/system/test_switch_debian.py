# SPDX-License-Identifier: BSD-2-Clause
"""Two whole Debian take turns: logind obeys the sleep key, and `systemctl suspend` works."""

import time

import pytest
from systems import NO_SELF_TESTS, Boot, is_long

from cotenant import images, paths
from cotenant.run.results import parse_latency
from cotenant.run.session import Session

EXAMPLE = paths.ROOT / "examples" / "switch-two-debians.toml"
FILES = ("/root/blob", "/dev/shm/blob")
LONGEST_CLOCK_ERROR_S = 2
LONGEST_RESUME_S = 120


@pytest.fixture(autouse=True)
def made_disk() -> None:
    """Have the disk of the catalogue made, at the first use."""
    images.resolve("debian-disk")


def run(session: Session, name: str, command: str) -> str:
    """Run a command that has to succeed; return what it printed."""
    exit_code, output = session.command(name, command)
    assert exit_code == 0, output
    return output


def checksums(session: Session, name: str) -> str:
    """Return those of the files, what is on the disk read from there."""
    drop = "sync; echo 3 >/proc/sys/vm/drop_caches"
    return run(session, name, f"{drop}; sha256sum {' '.join(FILES)}")


def clock_error(session: Session, name: str) -> int:
    """Return how many seconds a Debian's clock is off that of the machine."""
    said = run(session, name, "date +%s; cat /sys/class/rtc/rtc0/since_epoch").split()
    return abs(int(said[0]) - int(said[1]))


def prepare(session: Session, name: str) -> str:
    """Fill files, in memory and on the disk, in a Debian that has just booted."""
    assert run(session, name, "systemctl is-system-running --wait") == "running\n"
    assert run(session, name, "dmesg -n 1; hostname") == f"{name}\n"
    for file in FILES:
        run(session, name, f"dd if=/dev/urandom of={file} bs=64k count=32 2>&1")
    run(session, name, "ping -c 1 -w 60 10.0.2.2")
    return checksums(session, name)


def wait_awake(session: Session, name: str) -> None:
    """Press Enter until a Debian that resumes answers: its driver drops what came before."""
    before = len(session.output(name))
    session.skip_output(name)
    for _ in range(LONGEST_RESUME_S):
        session.send(name, b"\n")
        time.sleep(1)
        if len(session.output(name)) != before:
            return
    pytest.fail(f"{name} does not answer after it has resumed")


def all_is_well(session: Session, name: str, expected: str) -> None:
    """Check a Debian that is back."""
    wait_awake(session, name)
    assert checksums(session, name) == expected
    run(session, name, "ping -c 1 -w 60 10.0.2.2")
    assert run(session, name, "systemctl is-system-running") == "running\n"
    assert clock_error(session, name) <= LONGEST_CLOCK_ERROR_S


def both_take_turns(session: Session, one: str) -> None:
    """Boot the second one whole, and switch by what its user types, and back."""
    session.wait_ready("two")
    session.wait_state("one", "dormant")
    two = prepare(session, "two")

    session.send("two", b"systemctl suspend\n")
    session.expect_monitor("tenant one: resumed")
    all_is_well(session, "one", one)
    assert session.control("switch two").output == "ok"
    session.expect_monitor("tenant two: resumed")
    all_is_well(session, "two", two)


def the_first_comes_back(session: Session, one: str) -> None:
    """Let the second one begin to boot, and end it: the first one is back as it was."""
    session.expect("two", "Linux version 6")
    session.wait_state("one", "dormant")
    assert session.control("stop two").output == "ok"
    session.expect_monitor("tenant one: resumed")
    all_is_well(session, "one", one)


@pytest.mark.long_form
def test_the_example(boot: Boot) -> None:
    """In the short form the second one does not get beyond the beginning of its boot."""
    text = EXAMPLE.read_text()
    if not is_long():
        text = text.replace("console=ttyS0", f"console=ttyS0 {NO_SELF_TESTS}")
    session = boot(text, icount=2)
    session.wait_ready("one")
    one = prepare(session, "one")
    assert session.control("switch two").output == "ok"
    (both_take_turns if is_long() else the_first_comes_back)(session, one)
    assert "did not suspend" not in session.monitor_log
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0
