# SPDX-License-Identifier: BSD-2-Clause
"""Suspend to RAM by SBI SUSP: stock Linux, woken by its console, and vharts that yield."""

import pytest
from systems import VERDICT, Boot, freertos, is_long, linux, payload, system

from cotenant.run.results import parse_latency

# The real-time clock of the board is no wake-up source in its stock driver; a UART is on request.
ALLOW_WAKE_UP = "echo enabled > /sys/class/tty/ttyS0/power/wakeup"
SECONDS = 2


@pytest.mark.long_form
@pytest.mark.parametrize("sstc", [True, False] if is_long() else [True])
def test_linux_suspends_and_its_console_wakes_it(boot: Boot, sstc: bool) -> None:
    session = boot(system(linux(), freertos(), sstc=sstc), icount=4)
    session.wait_ready("freertos")
    session.wait_ready("linux")
    assert session.command("linux", "cat /sys/power/mem_sleep") == (0, "s2idle [deep]\n")
    assert session.command("linux", ALLOW_WAKE_UP) == (0, "")
    for round_number in range(3):
        back = f"back from {round_number + 10}"
        suspend = f"echo mem > /sys/power/state && echo back from $(({round_number} + 10))\n"
        session.send("linux", suspend.encode())
        session.run_for(SECONDS)
        assert back not in session.output("linux")
        session.send("linux", b"\n")
        session.expect("linux", f"^{back}$")
    assert session.command("linux", "cat /sys/power/suspend_stats/success") == (0, "3\n")
    # Its timer ticks, and the counters that the vDSO reads are still its own to read.
    exit_code, output = session.command("linux", "ticks 250")
    assert exit_code == 0, output
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


def test_a_vhart_that_yields_gives_its_hart_to_others_while_suspended(boot: Boot) -> None:
    session = boot(system(payload("sbi-suspend", priority=9), payload("spin", priority=1)))
    assert session.expect("sbi-suspend", VERDICT)[1] == "PASS sbi-suspend"
    assert session.stats().tenants["spin"].switches > 10
