# SPDX-License-Identifier: BSD-2-Clause
"""Reading the event log of the RTL simulation, and the figures made from it."""

import pytest

from cotenant.bench.rtl import events as rtl_events
from cotenant.bench.rtl import figures as rtl_figures
from cotenant.bench.rtl.events import Mark, Stay, Timer, Trap
from cotenant.bench.rtl.systems import Simulation
from cotenant.errors import BenchError
from cotenant.ranges import Range

LOG = """\
timer 100
retire 101 80000000 1
mark 110 0 1
stay 8000000000000007 80000044 120 125 200 320 80081000
stay 2 80081010 330 335 210 530 80000044
trap 8000000000000005 80081010 540 545 80081000
mark 600 0 2
"""

MEMORY = {"rtl-load": Range(0x80000000, 0x80000), "rtl-rtos": Range(0x80080000, 0x40000)}


def simulation(log: str, text: str = "") -> Simulation:
    return Simulation(list(rtl_events.parse(log.splitlines())), MEMORY, text)


def test_every_kind_of_event_is_read() -> None:
    events = simulation(LOG).events
    assert events[0] == Timer(100)
    assert events[1] == Mark(110, 0, 1)
    assert isinstance(events[2], Stay)
    assert (events[2].length, events[2].instructions, events[2].first) == (200, 200, 125)
    assert events[4] == Trap(rtl_events.SUPERVISOR_TIMER, 0x80081010, 540, 545, 0x80081000)
    assert len(events) == 6


@pytest.mark.parametrize(
    "line", ["stay 7 80000000 1 2", "mark 1", "timer soon", "nonsense 1", "trap 1 2 3 4 zz"]
)
def test_a_damaged_log_is_refused(line: str) -> None:
    with pytest.raises(BenchError, match="damaged"):
        list(rtl_events.parse([line]))


def test_what_follows_a_mark() -> None:
    events = simulation(LOG).events
    assert rtl_events.after(events, 0, 1)[0] == events[2]
    assert rtl_events.until_mark(rtl_events.after(events, 0, 1)) == events[2:5]
    with pytest.raises(BenchError, match="never reached mark 7"):
        rtl_events.after(events, 0, 7)


def switching(rounds: int) -> str:
    lines = ["mark 1 0 1"]
    for number in range(rounds):
        start = 1000 * (number + 1)
        lines += [
            f"timer {start}",
            f"stay 8000000000000007 80000044 {start + 3} {start + 8} 150 {start + 203} 80081000",
            f"stay 9 80081004 {start + 220} {start + 225} 34 {start + 270} 80081008",
            f"stay 2 80081010 {start + 300} {start + 305} 160 {start + 520} 80000044",
        ]
    return "\n".join([*lines, "mark 99999 0 2"])


def test_switches_in_both_directions() -> None:
    found = rtl_figures.switches(simulation(switching(20)))
    assert (found.back.least, found.back.middle, found.back.most) == (200, 200, 200)
    assert (found.away.middle, found.away_instructions) == (220, 160)
    assert found.back_instructions == 150


def test_latency_is_counted_from_the_interrupt_line() -> None:
    found = rtl_figures.latencies(simulation(switching(20)))
    assert (found.least, found.mean, found.most) == (203, 203, 203)


def test_no_figure_without_a_measurement() -> None:
    with pytest.raises(BenchError, match="nothing was measured"):
        rtl_figures.switches(simulation("mark 1 0 1\nmark 2 0 2"))


def test_calls_by_the_names_that_the_program_prints() -> None:
    stays = [
        f"stay 9 80000010 {100 * n} {100 * n + 5} 30 {100 * n + 20 + n} 80000014" for n in (1, 2, 3)
    ]
    log = "\n".join(["mark 1 0 1", *stays, "mark 500 0 0"])
    found = rtl_figures.calls(simulation(log, "[0] operation 1 set_timer\n[0] PASS\n"))
    assert list(found) == ["set_timer"]
    assert found["set_timer"].least == 22  # the first one is left out
