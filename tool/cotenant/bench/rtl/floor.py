# SPDX-License-Identifier: BSD-2-Clause
"""What the core alone needs: bench/rtl/bare/floor.S, without the monitor."""

import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

from cotenant.bench.rtl import events as rtl_events
from cotenant.bench.rtl import simulator as rtl_simulator
from cotenant.bench.rtl import toolchain as rtl_toolchain
from cotenant.bench.rtl.events import ECALL_FROM_SUPERVISOR, MACHINE_TIMER, Stay, Timer
from cotenant.errors import BenchError

_SOURCE = rtl_toolchain.BARE / "floor.S"
_RAM = 0x8000_0000
_MAX_CYCLES = 100_000


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
