# SPDX-License-Identifier: BSD-2-Clause
"""Figures from the event log of a simulated run, in clock cycles."""

import re
from dataclasses import dataclass
from statistics import mean, median

from cotenant.bench.rtl.events import (
    ECALL_FROM_SUPERVISOR,
    ILLEGAL_INSTRUCTION,
    LOAD_ACCESS,
    LOAD_MISALIGNED,
    MACHINE_TIMER,
    SUPERVISOR_TIMER,
    Event,
    Stay,
    Timer,
    Trap,
    after,
    until_mark,
)
from cotenant.bench.rtl.systems import Simulation
from cotenant.errors import BenchError

_OPERATION = re.compile(r"^\[0\] operation (\d+) (\S+)$", re.MULTILINE)
# By which trap an operation comes to the monitor, where that is not an ecall.
_CAUSES = {
    "timer_interrupt": MACHINE_TIMER,
    "device_read": LOAD_ACCESS,
    "read_time": ILLEGAL_INSTRUCTION,
    "misaligned_load": LOAD_MISALIGNED,
}


@dataclass(frozen=True)
class Spread:
    """Of a number of equal measurements: least, middle, mean and most."""

    least: float
    middle: float
    mean: float
    most: float


def spread(values: list[int], what: str) -> Spread:
    """Return the spread. Raises BenchError if there is nothing to measure."""
    if not values:
        raise BenchError(f"the simulation shows no {what}: nothing was measured")
    return Spread(min(values), median(values), mean(values), max(values))


def calls(run: Simulation) -> dict[str, Spread]:
    """Return the length of the monitor's stay for each operation of rtl-calls, by its name.

    The first of each kind is left out: it brings the code into the caches.
    """
    found = {}
    for number, name in _OPERATION.findall(run.text):
        events = until_mark(after(run.events, 0, int(number)))
        cause = _CAUSES.get(name, ECALL_FROM_SUPERVISOR)
        stays = [event for event in events if isinstance(event, Stay) and event.cause == cause]
        found[name] = spread([stay.length for stay in stays[1:]], f"{name} twice")
    return found


@dataclass(frozen=True)
class Switches:
    """World switches between the RTOS and the other tenant: whole paths, and instructions."""

    away: Spread
    """the RTOS waits, the other goes on"""
    back: Spread
    """the RTOS is due, the other is interrupted"""
    away_instructions: float
    back_instructions: float


def switches(run: Simulation) -> Switches:
    """Return the world switches of a run with two tenants, without the first rounds."""
    stays = [event for event in _measured(run) if isinstance(event, Stay)]
    pairs = [(run.owner(stay.from_pc), run.owner(stay.to_pc), stay) for stay in stays]
    away = [stay for one, other, stay in pairs if (one, other) == ("rtl-rtos", "rtl-load")]
    back = [stay for one, other, stay in pairs if (one, other) == ("rtl-load", "rtl-rtos")]
    return Switches(
        spread([stay.length for stay in away], "switch from the RTOS"),
        spread([stay.length for stay in back], "switch to the RTOS"),
        median(stay.instructions for stay in away),
        median(stay.instructions for stay in back),
    )


def latencies(run: Simulation) -> Spread:
    """Return the time from the timer's interrupt to the first instruction of the RTOS' handler."""
    found = []
    due: int | None = None
    for event in _measured(run):
        if isinstance(event, Timer):
            due = event.cycle
        elif isinstance(event, (Stay, Trap)) and due is not None and _is_wake(run, event):
            found.append(event.end - due)
            due = None
    return spread(found, "interrupt of the RTOS")


def _is_wake(run: Simulation, event: Stay | Trap) -> bool:
    cause = MACHINE_TIMER if isinstance(event, Stay) else SUPERVISOR_TIMER
    return event.cause == cause and run.owner(event.to_pc) == "rtl-rtos"


def _measured(run: Simulation) -> list[Event]:
    """Return what happened to the RTOS' end but the first quarter, in which the caches settle."""
    events = after(run.events, 0, 1)
    return events[len(events) // 4 :]
