# SPDX-License-Identifier: BSD-2-Clause
"""Neighbours neither lose interrupts nor take those of others, whatever a tenant does to the PLIC.

Without -icount, which lets one hart run at a time: lateness is the host's and not looked at.
"""

import re

import pytest
from systems import Boot, payload, system

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


@pytest.mark.parametrize("below", [[], [1], [0, 1]], ids=["lowest", "lowest-of-one", "between"])
def test_line_of_a_lower_tenant_does_not_disturb(boot: Boot, below: list[int]) -> None:
    """A busy tenant is above it on its second hart; `below`: the harts on which it is not last."""
    lowest = [payload("hello", f"hello{hart}", hart=hart, priority=1) for hart in below]
    hostile = payload("hostile-line", harts=[0, 1], priority=5, devices=["rtc"])
    session = boot(system(hostile, payload("spin", hart=1, priority=10), *lowest))
    session.expect("hostile-line", r"rounds=0 ")
    start = session.run_for(0.5).tenants["spin"]
    rounds = count_of(session, "hostile-line", "rounds")
    end = session.run_for(3).tenants["spin"]
    assert count_of(session, "hostile-line", "rounds") > rounds
    assert end.cpu_ns - start.cpu_ns > 10**9
    assert end.interrupts - start.interrupts < 20
