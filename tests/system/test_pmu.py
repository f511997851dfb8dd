# SPDX-License-Identifier: BSD-2-Clause
"""Performance counters by SBI PMU: what a tenant counts beside others on its hart."""

import re

import pytest
from systems import VERDICT, Boot, freertos, linux, payload, system

from cotenant.run.results import parse_latency

# The event "instruction completed" in mhpmevent of QEMU's harts.
RAW = "raw=2"
ICOUNT_LINUX = 4
INSTRUCTIONS = 20_000_000


def test_one_that_takes_a_third_of_the_hart_is_not_counted(boot: Boot) -> None:
    spinner = payload("spin", priority=9, budget="300us/1ms")
    session = boot(system(payload("sbi-pmu", arguments=RAW), spinner), icount=0)
    assert session.expect("sbi-pmu", VERDICT)[1] == "PASS sbi-pmu"


@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
def test_two_that_count_at_the_same_time(boot: Boot, sstc: bool) -> None:
    """Both take turns with the same counters, and the RTOS above them misses nothing."""
    pair = [payload("sbi-pmu", name, arguments=RAW, slice="700us") for name in ("one", "two")]
    session = boot(system(*pair, freertos(), sstc=sstc), icount=0)
    for name in ("one", "two"):
        session.expect(name, r"^pmu: 26 counters$")
        assert session.expect(name, VERDICT)[1] == "PASS sbi-pmu"
    session.run_for(1)
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


def test_what_harts_of_a_tenant_ask_of_each_other(boot: Boot) -> None:
    session = boot(system(payload("sbi-pmu-harts", harts=[0, 1]), freertos()))
    assert session.expect("sbi-pmu-harts", VERDICT)[1] == "PASS sbi-pmu-harts"


@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
def test_perf_of_stock_linux_counts_its_own_work(boot: Boot, sstc: bool) -> None:
    """With Sstc Linux makes no calls of set_timer; without, one for each of its ticks of 4 ms."""
    spinner = payload("spin", priority=9, budget="300us/1ms")
    session = boot(system(linux(), spinner, sstc=sstc), icount=ICOUNT_LINUX)
    session.wait_ready("linux")
    found = session.command("linux", "dmesg | grep -o 'riscv-pmu-sbi: .* counters'")
    assert found == (0, "riscv-pmu-sbi: 16 firmware and 10 hardware counters\n")
    exit_code, output = session.command("linux", f"counters {INSTRUCTIONS}")
    counted = re.fullmatch(r"counters: instructions=(\d+) set_timer=(\d+)\n", output)
    assert exit_code == 0 and counted
    # QEMU 7.2 counts nanoseconds. Linux' ticks are in it, and world switches on their way to it.
    assert INSTRUCTIONS <= int(counted[1]) >> ICOUNT_LINUX <= INSTRUCTIONS * 115 // 100
    assert (int(counted[2]) > 0) == (not sstc)
