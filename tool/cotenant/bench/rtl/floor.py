# SPDX-License-Identifier: BSD-2-Clause
"""What the core alone needs, without the monitor: bench/rtl/bare/floor.S, and bench/floors."""

import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

from cotenant.bench import samples
from cotenant.bench.floors import counts, program
from cotenant.bench.rtl import events as rtl_events
from cotenant.bench.rtl import simulator as rtl_simulator
from cotenant.bench.rtl import toolchain as rtl_toolchain
from cotenant.bench.rtl.events import (
    ECALL_FROM_SUPERVISOR,
    ILLEGAL_INSTRUCTION,
    MACHINE_TIMER,
    Event,
    Stay,
    Timer,
    after,
    until_mark,
)
from cotenant.errors import BenchError

_SOURCE = rtl_toolchain.BARE / "floor.S"
_RAM = 0x8000_0000
_MAX_CYCLES = 100_000
_MAX_CYCLES_OF_SWITCHES = 2_000_000
_BOARD = "rocket"


@dataclass(frozen=True)
class Floor:
    """Clock cycles: an ecall and back, and the timer's interrupt to the first instruction."""

    ecall: float
    timer: float


def measure() -> Floor:
    """Return the floor. Raises BenchError if it cannot be measured."""
    with tempfile.TemporaryDirectory(prefix="cotenant-rtl.") as name:
        folder = Path(name)
        image, log = folder / "image", folder / "events"
        image.write_bytes(rtl_toolchain.assemble(_SOURCE, _RAM, folder))
        rtl_simulator.run(image, log, max_cycles=_MAX_CYCLES)
        events = rtl_events.read(log)
    stays = [event for event in events if isinstance(event, Stay)]
    ecalls = [stay.length for stay in stays if stay.cause == ECALL_FROM_SUPERVISOR]
    delays = [
        stay.first - timer.cycle
        for timer, stay in pairwise(events)
        if isinstance(timer, Timer) and isinstance(stay, Stay) and stay.cause == MACHINE_TIMER
    ]
    if not ecalls or not delays:
        raise BenchError("the simulation of the core alone shows neither calls nor interrupts")
    return Floor(median(ecalls), median(delays))


@dataclass(frozen=True)
class Switch:
    """Of a world switch without any decision, each way: clock cycles, and instructions."""

    into: float
    out: float
    into_instructions: float
    out_instructions: float


def measure_switches() -> tuple[Switch, Switch]:
    """Return the floor of a world switch, without page tables and with Sv39.

    Raises BenchError if it cannot be measured, or if the worlds were not switched.
    """
    with tempfile.TemporaryDirectory(prefix="cotenant-rtl.") as name:
        folder = Path(name)
        image, log = folder / "image", folder / "events"
        made = program.build(counts.PROGRAMS["switch"].files, _BOARD, folder / "switch.elf")
        image.write_bytes(rtl_toolchain.raw(made.elf, folder))
        text = rtl_simulator.run(image, log, max_cycles=_MAX_CYCLES_OF_SWITCHES)
        events = rtl_events.read(log)
    samples.medians(text.replace("[0] ", ""), "the floor of a world switch on the core")
    # Its first line is the end of the worlds without page tables.
    return _switch(until_mark(events)), _switch(until_mark(after(events, 0, 1)))


def _switch(events: list[Event]) -> Switch:
    stays = [event for event in events if isinstance(event, Stay)]
    into = [stay for stay in stays if stay.cause == MACHINE_TIMER]
    out = [stay for stay in stays if stay.cause == ILLEGAL_INSTRUCTION]
    if not into or not out:
        raise BenchError("the simulation of the core alone shows no world switches")
    return Switch(
        median(stay.length for stay in into),
        median(stay.length for stay in out),
        median(stay.instructions for stay in into),
        median(stay.instructions for stay in out),
    )
