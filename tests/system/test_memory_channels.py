# SPDX-License-Identifier: BSD-2-Clause
"""Tenants share windows of memory, and ring each other's doorbells."""

import re

import pytest
from systems import VERDICT, Boot, freertos, is_long, keep_ticking, linux, payload, system
from test_channels import VIRTIO, latency_of, outcome, run, start

pytestmark = pytest.mark.timeout(3600)
# In each direction.
MESSAGES = 500_000 if is_long() else 3000
# Bytes; a long run is about their number, not their length.
LONGEST = 64 if is_long() else 512


def window(name: str, *ends: str, size: str = "64K") -> str:
    """Return the table of a memory channel."""
    return f'[channel.{name}]\nkind = "memory"\nends = {list(ends)}\nsize = "{size}"\n'


def check(messages: int, channel: str = "shared") -> str:
    """Return the command that exchanges so many messages each way."""
    return f"memorycheck {channel} {messages} {messages} {LONGEST}"


@pytest.mark.long_form
def test_windows_of_an_rtos(boot: Boot) -> None:
    """With Linux and with another RTOS, both ways at once; each end comes and goes."""
    both = f"send={MESSAGES} receive={MESSAGES} longest={LONGEST}"
    text = system(
        linux(arguments=VIRTIO),
        payload("memory-check", "one", arguments=f"{both} rounds=9"),
        payload("memory-check", "two", arguments=f"{both} channel=direct"),
        payload("memory-check", "three", arguments=f"{both} channel=direct"),
        freertos(),
        window("shared", "linux", "one"),
        window("direct", "two", "three", size="4K"),
    )
    session = boot(text, icount=4)
    session.wait_ready("linux")
    assert run(session, "linux", "memorycheck shared atomics 1000") == ""
    for _ in range(2):
        run(session, "linux", check(MESSAGES))
    for name in ("two", "three"):
        assert session.expect(name, VERDICT)[1] == "PASS memory-check"
    # Who writes to the port rings as well, and does not wait for somebody to listen.
    run(session, "linux", "memorycheck shared poke 100")

    # A process that is killed, and an RTOS that is restarted, in the middle.
    session.skip_output("one")
    start(session, "linux", check(1_000_000))
    run(session, "linux", "sleep 0.1; killall -9 memorycheck")
    session.expect("one", "^memory-check: went away after sent=[1-9]")
    assert outcome(session, "linux")[1] == 137
    start(session, "linux", check(1_000_000))
    run(session, "linux", "sleep 0.1")
    assert session.control("restart one").exit_code == 0
    output, status = outcome(session, "linux")
    assert status == 3, output
    assert "received=0 " not in output
    run(session, "linux", check(MESSAGES))
    keep_ticking(session, ["freertos"])
    assert latency_of(session).missed == 0


@pytest.mark.long_form
def test_a_window_across_harts(boot: Boot) -> None:
    """Two RTOS that run at the same time, each woken by the other."""
    arguments = f"send={MESSAGES} receive={MESSAGES} longest={LONGEST}"
    session = boot(
        system(
            payload("memory-check", "one", arguments=arguments, hart=0),
            payload("memory-check", "two", arguments=arguments, hart=1),
            window("shared", "one", "two", size="8K"),
        )
    )
    for name in ("one", "two"):
        assert session.expect(name, VERDICT)[1] == "PASS memory-check"


@pytest.mark.long_form
def test_a_window_between_two_linuxes(boot: Boot) -> None:
    """One is killed in the middle; then there is an end that keeps to no rule."""
    text = system(
        linux("red", arguments=VIRTIO, slice="2ms"),
        linux("blue", arguments=VIRTIO, slice="2ms"),
        payload("hostile-window", priority=1, slice="2ms", start="manual"),
        freertos(),
        window("between", "red", "blue"),
        window("shared", "hostile-window", "blue"),
    )
    session = boot(text, icount=4)
    for name in ("red", "blue"):
        session.wait_ready(name)
    start(session, "red", check(MESSAGES, "between"))
    run(session, "blue", check(MESSAGES, "between"))
    assert outcome(session, "red")[1] == 0

    start(session, "blue", check(1_000_000, "between"))
    start(session, "red", check(1_000_000, "between"))
    run(session, "blue", "sleep 0.2")
    run(session, "red", "killall -9 memorycheck")
    output, status = outcome(session, "blue")
    assert status == 3, output
    assert "received=0 " not in output

    # A process and an RTOS that ring without end: whoever has deadlines keeps them.
    before = latency_of(session)
    assert session.control("start hostile-window").exit_code == 0
    start(session, "red", "memorycheck between flood 2")
    run(session, "blue", "memorycheck shared endure 1")
    assert session.expect("hostile-window", VERDICT)[1] == "PASS hostile-window"
    run(session, "blue", "memorycheck shared endure 1")
    rang = re.search(r"rang=(\d+)", outcome(session, "red")[0])
    assert rang and int(rang[1]) > 1000
    # Everybody else goes on as before.
    start(session, "red", check(1000, "between"))
    run(session, "blue", "sleep 1")  # else it may begin with what the one before has left
    run(session, "blue", check(1000, "between"))
    assert outcome(session, "red")[1] == 0
    keep_ticking(session, ["freertos"])
    assert latency_of(session).missed == before.missed == 0
    assert session.stats().tenants["freertos"].faults == 0
