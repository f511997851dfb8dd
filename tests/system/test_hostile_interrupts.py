# SPDX-License-Identifier: BSD-2-Clause
"""Neighbours neither lose interrupts nor take those of others, whatever a tenant does to the PLIC.

Without -icount, which lets one hart run at a time: lateness is the host's and not looked at.
"""

import re

import pytest
from systems import Boot, freertos, keep_ticking, payload, system

from cotenant.run.session import Session

# In 3 s; the driver takes thousands if each hart has a processor of the host to itself.
FEWEST_ALARMS = 20


def count_of(session: Session, name: str, what: str) -> int:
    """Return what a payload has counted, as it said last."""
    found = re.findall(rf"^{name}: {what}=(\d+)", session.output(name), re.MULTILINE)
    return int(found[-1])


@pytest.mark.parametrize("emulated", [True, False], ids=["emulated", "passed-through"])
def test_completions_of_others_do_nothing(boot: Boot, emulated: bool) -> None:
    """The driver is on another hart than the tenant that completes its interrupts."""
    below = [payload("spin", hart=1, priority=1)] if emulated else []
    hostile = payload("hostile-completions", hart=0, priority=1)
    driver = payload("rtc-alarms", hart=1, priority=10, devices=["rtc"])
    session = boot(system(driver, hostile, *below))
    session.expect("rtc-alarms", r"alarms=\d+\n")
    session.expect("hostile-completions", r"rounds=0\n")
    session.run_for(0.5)
    alarms = count_of(session, "rtc-alarms", "alarms")
    rounds = count_of(session, "hostile-completions", "rounds")
    session.run_for(3)
    assert count_of(session, "hostile-completions", "rounds") > rounds
    assert count_of(session, "rtc-alarms", "alarms") >= alarms + FEWEST_ALARMS


BELOW = pytest.mark.parametrize(
    "below", [[], [1], [0, 1]], ids=["lowest", "lowest-of-one", "between"]
)


def owner_of_the_clock(below: list[int], arguments: str) -> list[str]:
    """Return the hostile tenant on two harts, and what is below it on some of them."""
    lowest = [payload("hello", f"hello{hart}", hart=hart, priority=1) for hart in below]
    words = {"arguments": arguments} if arguments else {}
    hostile = payload("hostile-line", harts=[0, 1], priority=5, devices=["rtc"], **words)
    return [hostile, *lowest]


@BELOW
def test_line_of_a_lower_tenant_does_not_disturb(boot: Boot, below: list[int]) -> None:
    """A busy tenant is above it on its second hart; `below`: the harts on which it is not last."""
    session = boot(system(*owner_of_the_clock(below, ""), payload("spin", hart=1, priority=10)))
    session.expect("hostile-line", r"rounds=0 ")
    start = session.run_for(0.5).tenants["spin"]
    rounds = count_of(session, "hostile-line", "rounds")
    end = session.run_for(3).tenants["spin"]
    assert count_of(session, "hostile-line", "rounds") > rounds
    assert end.cpu_ns - start.cpu_ns > 10**9
    assert end.interrupts - start.interrupts < 20


@BELOW
def test_owner_that_plays_on_both_harts_interrupts_once_a_turn(
    boot: Boot, below: list[int]
) -> None:
    """Above its second hart is an RTOS, which leaves it turns of that hart and loses no tick."""
    session = boot(system(*owner_of_the_clock(below, "both=1"), freertos(hart=1)))
    session.expect("hostile-line", r"rounds=0 ")
    start = session.run_for(0.5).tenants
    rounds = count_of(session, "hostile-line", "rounds")
    end = session.run_for(3).tenants
    assert count_of(session, "hostile-line", "rounds") > rounds
    keep_ticking(session, ["freertos"])
    assert end["freertos"].faults == 0
    turns = end["freertos"].switches - start["freertos"].switches
    assert turns > 100
    # Its own timer may interrupt it too.
    assert end["freertos"].interrupts - start["freertos"].interrupts <= 2 * turns + 20
