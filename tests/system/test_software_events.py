# SPDX-License-Identifier: BSD-2-Clause
"""Supervisor software events between harts of a tenant; test_payloads.py has those of one hart."""

import pytest
from systems import VERDICT, Boot, freertos, payload, system


@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
@pytest.mark.parametrize("below", [False, True], ids=["keeps-its-harts", "yields"])
def test_events_reach_a_hart_whatever_it_does(boot: Boot, below: bool, sstc: bool) -> None:
    """A hart that waits is woken, be it in the scheduler (somebody is below it) or in its nap."""
    tenants = [payload("sbi-sse-harts", harts=[0, 1], priority=5), freertos(hart=1)]
    if below:
        tenants.append(payload("spin", priority=1, harts=[0, 1]))
    session = boot(system(*tenants, sstc=sstc))
    assert session.expect("sbi-sse-harts", VERDICT)[1] == "PASS sbi-sse-harts"
    session.expect_monitor("^monitor: tenant sbi-sse-harts: shutdown$")
