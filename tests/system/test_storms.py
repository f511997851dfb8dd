# SPDX-License-Identifier: BSD-2-Clause
"""What the monitor does in pieces comes to its end, whatever interrupts the hart meanwhile."""

import pytest
from systems import Boot, payload, system


@pytest.mark.parametrize("storm", ["ipi", "fence"])
def test_messages_hold_nothing_up(boot: Boot, storm: str) -> None:
    """One hart of a tenant sends them to the other one, which makes accesses and calls.

    Without -icount, which lets one hart run at a time.
    """
    hostile = payload("message-storm", harts=[0, 1], arguments=f"storm={storm}")
    session = boot(system(hostile, payload("spin", hart=0, priority=1)), timeout=60)
    session.expect("message-storm", "^message-storm: done$")
    interrupts = [session.stats().tenants["message-storm"].interrupts for _ in range(2)]
    assert interrupts[0] < interrupts[1]
    assert session.quit() == 0


@pytest.mark.parametrize("ticks", [1, 8, 32])
def test_short_naps_keep_no_machine_on(boot: Boot, ticks: int) -> None:
    """A tenant that is due again in each step of the console: the user ends it all the same."""
    restless = payload("short-naps", arguments=f"ticks={ticks}")
    session = boot(system(restless, payload("spin", priority=1)), icount=3)
    session.expect("short-naps", "^short-naps: go$")
    assert session.quit() == 0
