# SPDX-License-Identifier: BSD-2-Clause
"""A tenant whose harts storm everything that harts share, and reboot: its neighbours go on.

Without -icount, which lets one hart run at a time, lateness is the host's. What is checked instead
is that no tick of an RTOS is lost in machine time, which also a late one makes up for.
"""

import re

import pytest
from systems import Boot, freertos, is_long, linux, payload, system

from cotenant.run.results import parse_latency
from cotenant.run.session import Session

RTOS = {"first": 1, "second": 2}
# What one of its harts does before all of them reboot.
LIFE = 300 if is_long() else 20
# Of each neighbour of harts that take what they all share.
RESTARTS = 5
# The RTOS reports every 500 ticks; what is still on its way is not lost.
REPORT = 500


def hostile(slice_: str = "10ms") -> str:
    """Return the tenant on four harts, two of which the RTOS use above it."""
    return payload(
        "hostile-harts", harts=[0, 1, 2, 3], memory="1M", slice=slice_, arguments=f"life={LIFE}"
    )


def wait_reboots(session: Session, count: int) -> None:
    """Let the hostile tenant live so many lives; none may end in another way."""

    def is_over() -> bool:
        log = session.monitor_log
        ends = set(re.findall("tenant hostile-harts: (.*)\n", log))
        assert ends <= {"reboot"}, session.output("hostile-harts")[-500:]
        return log.count("tenant hostile-harts: reboot\n") >= count

    session.run_for(600, until=lambda _: is_over())
    assert is_over()


def ticks(session: Session) -> dict[str, int]:
    """Return how often the RTOS have been woken."""
    found = {name: parse_latency(session.output(name)) for name in RTOS}
    return {name: latency.samples if latency else 0 for name, latency in found.items()}


@pytest.mark.long_form
@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
def test_neighbours_lose_no_tick_to_a_storm(boot: Boot, sstc: bool) -> None:
    rtos = (freertos(name, hart=hart) for name, hart in RTOS.items())
    session = boot(system(hostile(), *rtos, payload("spin", hart=3, priority=1), sstc=sstc))
    for name in RTOS:
        session.wait_ready(name)
    before, start = ticks(session), session.stats()
    wait_reboots(session, 300 if is_long() else 100)
    end = session.run_for(1)
    after = ticks(session)
    elapsed = (end.time_ns - start.time_ns) // 1_000_000
    for name in RTOS:
        assert after[name] - before[name] >= elapsed * 95 // 100 - 2 * REPORT
    assert end.tenants["hostile-harts"].switches > start.tenants["hostile-harts"].switches
    for name in (*RTOS, "spin"):
        assert end.tenants[name].state == "running"
        assert end.tenants[name].faults == 0
        assert end.tenants[name].cpu_ns > start.tenants[name].cpu_ns
    # Nor is it interrupted by what is for the tenant below it: that waits until it rests.
    for name in RTOS:
        interrupts = end.tenants[name].interrupts - start.tenants[name].interrupts
        assert interrupts < (after[name] - before[name]) // 10
    output = session.output("hostile-harts")
    assert "FAIL" not in output
    deeds = re.findall(r"^hostile-harts: deeds=(\d+),(\d+),(\d+),(\d+)\n", output, re.MULTILINE)
    assert all(any(map(int, hart)) for hart in zip(*deeds, strict=True)), deeds


@pytest.mark.long_form
def test_linux_of_the_same_priority_feels_nothing(boot: Boot) -> None:
    linux_beside = linux(harts=[0, 1, 2], priority=5, slice="2ms")
    session = boot(system(linux_beside, hostile("2ms")))
    session.wait_ready("linux")
    wait_reboots(session, 200 if is_long() else 10)
    for mask in (1, 2, 4):
        assert session.command("linux", f"taskset {mask} ticks 50")[0] == 0
    assert session.command("linux", "forkload 1")[0] == 0
    assert session.command("linux", "dmesg | grep -iE 'stall|lockup|nobody|bug:|oops'") == (1, "")
    assert session.stats().tenants["linux"].faults == 0


def lock_storm() -> str:
    """Return the tenant whose three harts always want the lock, one of them that of the work.

    With -icount a hart stops in the middle of its wait for the lock while the others have their
    turns: so each step of the monitor's work waits long, and one waits in nearly every step.
    """
    return payload("lock-storm", harts=[1, 2, 3])


def test_work_gets_on_beside_harts_that_always_want_the_lock(boot: Boot) -> None:
    """Each step of the monitor's work is cut short then, but the next ones go on."""
    rtos = (freertos(name, hart=hart - 1) for name, hart in RTOS.items())
    session = boot(system(lock_storm(), *rtos), icount=3)
    session.expect("lock-storm", "storming")
    for count in range(1, RESTARTS + 1):
        for name in RTOS:
            assert session.control(f"restart {name}").exit_code == 0
            session.wait_ready(name)
        # No counters are asked for meanwhile: they are much to tell, and so are many steps.
        session.console.wait(lambda: told(session) >= 2 * count or None, 600)  # noqa: B023
    assert session.control("stop lock-storm").exit_code == 0
    stats = session.stats()
    assert [stats.tenants[name].state for name in RTOS] == ["running", "running"]
    assert [stats.tenants[name].starts for name in RTOS] == [RESTARTS + 1, RESTARTS + 1]
    for name in RTOS:  # what they print comes out, too
        session.expect(name, "samples=", timeout=60)


def told(session: Session) -> int:
    """Return how many commands the monitor has told of."""
    return session.monitor_log.count("commanded to restart\n")


def test_work_that_waits_for_the_lock_leaves_its_hart_to_others(boot: Boot) -> None:
    """There is always work, as one tenant reboots all the time; the other one gets on as well."""
    tenants = (
        payload("reboot", name, hart=hart - 1, arguments="delay=1", memory="64K")
        for name, hart in RTOS.items()
    )
    session = boot(system(lock_storm(), *tenants), icount=3)
    for _ in range(RESTARTS + 1):
        for name in RTOS:
            session.expect(name, "^booted\n", timeout=120)
