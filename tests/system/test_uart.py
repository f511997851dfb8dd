# SPDX-License-Identifier: BSD-2-Clause
"""Typing into a virtual UART loses nothing."""

import random
import re
import zlib

from systems import LATENCY_READY, Boot, freertos, linux, system, type_and_count

# Many times what any buffer on the way holds.
TYPED = 40_000
LINES = 8000


def test_linux_gets_every_typed_character(boot: Boot) -> None:
    data = random.Random(1).randbytes(TYPED)
    session = boot(system(linux(), freertos()))
    session.wait_ready("linux")
    session.expect("linux", "# ")
    assert type_and_count(session, data) == (TYPED, zlib.crc32(data))


def test_the_monitor_answers_and_the_other_tenant_runs_while_much_is_typed(boot: Boot) -> None:
    """The tenant reads nothing: the line stops for what is typed into it, and only for that."""
    session = boot(system(linux(), freertos()))
    session.wait_ready("linux")
    session.expect("linux", "# ")
    session.send("linux", b"sleep 2; echo awake\n")
    session.send("linux", b"# nothing but a comment\n" * 10)
    assert session.stats().tenants["linux"].state == "running"
    session.expect("freertos", LATENCY_READY)
    session.expect("linux", "^awake$")


def test_long_output_arrives_whole(boot: Boot) -> None:
    session = boot(system(linux(), freertos()))
    session.wait_ready("linux")
    exit_code, output = session.command("linux", f"seq {LINES}")
    assert exit_code == 0
    assert re.findall(r"\d+", output) == [str(number) for number in range(1, LINES + 1)]
