# SPDX-License-Identifier: BSD-2-Clause
"""Typing into a virtual UART loses nothing."""

import random
import re
import zlib

from systems import (
    LATENCY_READY,
    VERDICT,
    Boot,
    freertos,
    linux,
    payload,
    system,
    type_and_count,
)

# Many times what any buffer on the way holds.
TYPED = 40_000
LINES = 8000
# Instructions of a byte that a tenant writes to its virtual UART.
SHORT = 95


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


def test_bytes_of_any_register_arrive_by_a_short_path(boot: Boot) -> None:
    session = boot(system(payload("uart-stores")), icount=0)
    assert session.expect("uart-stores", VERDICT)[1] == "PASS uart-stores"
    registers = "\0" * 5 + "".join(chr(64 + number) * 5 for number in range(1, 32))
    one = registers + "".join(letter * 5 for letter in "adfg\ni")
    output = session.output("uart-stores").replace("\r", "")
    assert f"[{one}{one}{'k' * 5}{'n' * 5}]" in output
    found = re.search(r"^uart-stores: (\d+) cycles$", output, re.MULTILINE)
    assert found is not None
    assert int(found[1]) < SHORT
