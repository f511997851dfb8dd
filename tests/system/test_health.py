# SPDX-License-Identifier: BSD-2-Clause
"""Linux under load, while the RTOS takes the hart a thousand times a second."""

import re

import pytest
from systems import Boot, freertos, is_long, linux, system

from cotenant.run.results import parse_latency

# RCU complains of a stall after 21 s.
SECONDS = 120 if is_long() else 30
COMPLAINTS = re.compile(
    r"rcu|stall|clocksource|lockup|hung task|watchdog|bug|oops|warning|segfault|panic", re.I
)


@pytest.mark.long_form
def test_linux_stays_healthy_and_the_rtos_misses_nothing(boot: Boot) -> None:
    session = boot(system(linux(), freertos()), icount=4)
    session.wait_ready("linux")
    session.command("linux", "dmesg -c >/dev/null")
    before = session.stats().time_ns
    exit_code, output = session.command(
        "linux", f"cpuload {SECONDS} & forkload {SECONDS} && wait $!", timeout=1200
    )
    assert exit_code == 0, output
    assert "cpuload: blocks=" in output
    processes = re.search(r"forkload: processes=(\d+)", output)
    assert processes and int(processes[1]) > 5 * SECONDS
    elapsed = session.stats().time_ns - before
    assert elapsed >= SECONDS * 1_000_000_000

    messages = session.command("linux", "dmesg")[1]
    assert not COMPLAINTS.search(messages), messages
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.samples >= 990 * SECONDS
    assert latency.missed == 0
