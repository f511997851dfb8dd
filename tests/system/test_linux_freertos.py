# SPDX-License-Identifier: BSD-2-Clause
"""Stock Debian beside FreeRTOS on one hart: the system that everything is for."""

import pytest
from systems import Boot, freertos, linux, run_without_a_miss, system

from cotenant.run.session import Session

SECONDS = 5


def a_process_waits_as_long_as_it_asked_for(session: Session) -> None:
    before = session.stats().time_ns
    exit_code, output = session.command("linux", "ticks 250")
    elapsed = session.stats().time_ns - before
    assert exit_code == 0, output
    assert elapsed >= 1_000_000_000


@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
def test_both_run_and_the_higher_one_misses_nothing(boot: Boot, sstc: bool) -> None:
    session = boot(system(linux(), freertos(), sstc=sstc), icount=4)
    session.wait_ready("freertos")
    session.wait_ready("linux")
    assert session.command("linux", "uname -sm") == (0, "Linux riscv64\n")
    isa = session.command("linux", "grep -m1 ^isa /proc/cpuinfo")[1]
    assert ("sstc" in isa) == sstc
    a_process_waits_as_long_as_it_asked_for(session)

    stats, after = run_without_a_miss(session, SECONDS)
    assert 0 <= after.min_us <= after.avg_us <= after.max_us < 1000
    for name in ("linux", "freertos"):
        assert stats.tenants[name].state == "running"
        assert stats.tenants[name].cpu_ns > 0
        assert stats.tenants[name].switches > 100
        assert stats.tenants[name].faults == 0


def test_it_boots_without_counting_instructions(boot: Boot) -> None:
    """Time as on a real machine: nothing is promised about latency on a shared host."""
    session = boot(system(linux(), freertos()))
    session.wait_ready("linux")
    session.wait_ready("freertos")
    assert session.command("linux", "grep -c ^processor /proc/cpuinfo") == (0, "1\n")
    assert session.command("linux", "ticks 250")[0] == 0
    assert session.quit() == 0
