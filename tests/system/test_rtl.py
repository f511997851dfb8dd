# SPDX-License-Identifier: BSD-2-Clause
"""The real monitor on the Rocket core's RTL: 8 PMP entries, no UART, no time CSR, no Sstc.

Runs only where the simulator is built already (`cotenant bench rtl` builds it): that takes minutes.
"""

import pytest

from cotenant.bench.report import kept
from cotenant.bench.rtl import benchmark as rtl
from cotenant.bench.rtl import figures as rtl_figures
from cotenant.bench.rtl import floor as rtl_floor
from cotenant.bench.rtl import simulator as rtl_simulator
from cotenant.bench.rtl import systems as rtl_systems

pytestmark = pytest.mark.skipif(
    rtl_simulator.cached() is None,
    reason="the RTL simulator is not built; 'cotenant bench rtl' does that",
)

# Cycles; docs/components.md.
MOST_FOR_INVOCATION = 132


def test_core_alone() -> None:
    floor = rtl_floor.measure()
    assert 15 <= floor.ecall <= 25
    assert 5 <= floor.timer <= 15


def test_what_the_hart_lacks_is_emulated() -> None:
    run = rtl_systems.simulate(rtl_systems.emulation())
    assert "[0] PASS rtl-fp-emulation\n" in run.text
    assert "finished: cycle" in run.text  # the monitor switched the machine off


def test_two_tenants_share_the_hart() -> None:
    run = rtl_systems.simulate(rtl_systems.rtos_beside_spin(12, sv39=True))
    switches = rtl_figures.switches(run)
    assert switches.away.least > 0
    assert switches.back.least > 0
    # The timer's interrupt is what brings the RTOS back: it cannot be there before the switch is.
    assert rtl_figures.latencies(run).least >= switches.back.least


def test_a_short_measurement_is_complete() -> None:
    rows = rtl.run(quick=True)
    names = [(row.name, row.unit) for row in rows]
    assert len(set(names)) == len(names)
    assert all(row.ours > 0 for row in rows)
    assert any("Sv39" in row.name for row in rows)
    invocation = next(row for row in rows if row.name == "component invocation, Sv39")
    assert invocation.other and invocation.other < invocation.ours <= MOST_FOR_INVOCATION


def test_the_floor_of_a_world_switch_is_below_the_monitors() -> None:
    rtl_rows = {each.name: each.ours for each in kept.read()["rtl"].rows}
    for where, least in zip(("satp=0", "Sv39"), rtl_floor.measure_switches(), strict=True):
        assert (least.into_instructions, least.out_instructions) == (109, 110)
        assert 109 < least.into < rtl_rows[f"world switch, RTOS is due, {where}"]
        assert 110 < least.out < rtl_rows[f"world switch, RTOS waits, {where}"]
