# SPDX-License-Identifier: BSD-2-Clause
"""What the monitor recorded of a real run makes sense, and no tenant suffers from it."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest
from systems import freertos, is_long, linux, payload, system

from cotenant.errors import RunError
from cotenant.run import tracing
from cotenant.run.batch import Plan
from cotenant.run.launch import prepare
from cotenant.run.results import RunResult, parse_latency
from cotenant.trace import ring, timeline
from cotenant.trace.system import read_bundle
from cotenant.trace.timeline import HartTimeline, Track

Traced = Callable[..., tuple[RunResult, ring.Ring, HartTimeline]]


@pytest.fixture
def traced(tmp_path: Path) -> Traced:
    """Return a function that runs a system for some seconds and gives the trace of its hart."""

    def run(
        text: str, seconds: float, *, size: int = 16 << 20, sstc: bool | None = None
    ) -> tuple[RunResult, ring.Ring, HartTimeline]:
        file = tmp_path / "system.toml"
        file.write_text(text)
        launch = prepare(
            file, tmp_path / "bundle.bin", console_mode="framed", sstc=sstc, trace_ring=size
        )
        described = read_bundle(launch.built.bundle)
        result, memory = tracing.run(launch, Plan(seconds=seconds), 4, (), lambda step: None)
        (recorded,) = ring.decode(memory, described)
        (hart,) = timeline.build([recorded], described)
        return result, recorded, hart

    return run


@pytest.mark.long_form
@pytest.mark.parametrize("sstc", [True, False] if is_long() else [True])
def test_trace_of_linux_and_freertos(traced: Traced, sstc: bool) -> None:
    result, recorded, hart = traced(system(linux(), freertos()), 0.5, sstc=sstc)
    assert result.ok, result.problems()
    latency = parse_latency(result.tenants["freertos"].output)
    assert latency is not None
    assert latency.missed == 0

    assert recorded.lost == 0
    assert all(before.time <= after.time for before, after in pairwise(recorded.records))
    # One tick of 100 ns is 100 of the cycles that QEMU counts with -icount.
    assert recorded.ticks_per_cycle == pytest.approx(0.01, rel=0.01)

    assert {event.name for event in hart.running} == {"linux", "freertos"}
    for before, after in pairwise(hart.running):
        assert before.name != after.name
        assert before.start <= before.end == after.start
    for events in hart.tracks.values():
        assert all(before.end <= after.start for before, after in pairwise(events))

    wakes = [event.start for event in hart.running if event.name == "freertos"]
    gaps = [after - before for before, after in pairwise(wakes)]
    assert len(gaps) >= 500
    assert median(gaps) == pytest.approx(1_000_000, rel=0.01)
    assert sum(900_000 < gap < 1_100_000 for gap in gaps) >= 0.95 * len(gaps)

    names = {track: {event.name for event in events} for track, events in hart.tracks.items()}
    assert "timer interrupt" in names[Track.INTERRUPTS]
    assert {"TIME set_timer", "BASE get_spec_version"} <= names[Track.CALLS]
    assert {"load UART+0x5", "store UART+0x0"} <= names[Track.DEVICES]
    assert names[Track.WAITS] == {"wait for interrupt"}
    assert {"linux loading", "linux started", "freertos started"} <= names[Track.TENANTS]


def test_trace_of_a_tenant_in_machine_mode(traced: Traced) -> None:
    """When it has the hart: for each of its ticks, and never at the same time as the other one."""
    rtos = freertos(
        mode="machine",
        image="machine-freertos-latency",
        memory={"base": 0x8000_0000, "size": "4M"},
        fp=False,
    )
    result, recorded, hart = traced(system(payload("spin", priority=1), rtos), 0.2)
    assert result.ok, result.problems()
    assert recorded.lost == 0
    assert {event.name for event in hart.running} == {"spin", "freertos"}
    wakes = [event.start for event in hart.running if event.name == "freertos"]
    gaps = [after - before for before, after in pairwise(wakes)]
    assert len(gaps) >= 150
    assert median(gaps) == pytest.approx(1_000_000, rel=0.01)
    names = {track: {event.name for event in events} for track, events in hart.tracks.items()}
    assert {"freertos loading", "freertos started"} <= names[Track.TENANTS]


def test_a_small_ring_keeps_the_newest(traced: Traced) -> None:
    text = system(payload("spin", priority=1), freertos())
    result, recorded, hart = traced(text, 1.0, size=16384)
    assert result.ok, result.problems()
    assert recorded.lost > 0
    assert len(recorded.records) == (16384 - 48) // 16
    assert {event.name for event in hart.running} == {"spin", "freertos"}
    length = hart.running[-1].end - hart.running[0].start
    assert length < 1_000_000_000
    # The machine is halted after its last answer; how long after depends on the host's load.
    assert hart.running[-1].end >= result.time_ns - 10_000_000


def test_a_machine_that_powered_itself_off_has_no_trace(traced: Traced) -> None:
    with pytest.raises(RunError, match="ended before its trace could be read: all tenants shut"):
        traced(system(payload("hello")), 60.0)
