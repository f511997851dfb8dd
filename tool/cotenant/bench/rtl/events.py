# SPDX-License-Identifier: BSD-2-Clause
"""The event log of the RTL simulation (its format: bench/rtl/harness/watch.h)."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cotenant.errors import BenchError

INTERRUPT = 1 << 63
MACHINE_TIMER = INTERRUPT | 7
SUPERVISOR_TIMER = INTERRUPT | 5
ILLEGAL_INSTRUCTION = 2
LOAD_MISALIGNED = 4
LOAD_ACCESS = 5
ECALL_FROM_SUPERVISOR = 9


@dataclass(frozen=True)
class Timer:
    """The machine timer's interrupt line went up."""

    cycle: int


@dataclass(frozen=True)
class Mark:
    """A tenant wrote `value` to its result port."""

    cycle: int
    port: int
    value: int


@dataclass(frozen=True)
class Stay:
    """A stay in M-mode, from the trap to the first instruction of a tenant after it."""

    cause: int
    from_pc: int
    cycle: int
    """the clock cycle of the trap"""
    first: int
    """that of the monitor's first instruction"""
    instructions: int
    """retired in M-mode"""
    end: int
    """that of the tenant's first instruction after it, at `to_pc`"""
    to_pc: int

    @property
    def length(self) -> int:
        """Cycles: the whole path, as the tenants lose it."""
        return self.end - self.cycle


@dataclass(frozen=True)
class Trap:
    """A trap from a tenant to itself."""

    cause: int
    from_pc: int
    cycle: int
    end: int
    to_pc: int


Event = Timer | Mark | Stay | Trap


def read(path: Path) -> list[Event]:
    """Return the events of a log in their order. Raises BenchError if it is damaged."""
    with path.open(encoding="ascii") as file:
        return list(parse(file))


def parse(lines: Iterable[str]) -> Iterable[Event]:
    """Yield the events of the lines of a log; single instructions are left out."""
    for line in lines:
        kind, *values = line.split()
        try:
            if kind == "timer":
                yield Timer(int(values[0]))
            elif kind == "mark":
                yield Mark(*(int(each) for each in values))
            elif kind == "stay":
                cause, from_pc, cycle, first, instructions, end, to_pc = values
                yield Stay(
                    cause=int(cause, 16),
                    from_pc=int(from_pc, 16),
                    cycle=int(cycle),
                    first=int(first),
                    instructions=int(instructions),
                    end=int(end),
                    to_pc=int(to_pc, 16),
                )
            elif kind == "trap":
                cause, from_pc, cycle, end, to_pc = values
                yield Trap(int(cause, 16), int(from_pc, 16), int(cycle), int(end), int(to_pc, 16))
            elif kind != "retire":
                raise ValueError
        except (ValueError, TypeError) as error:
            raise BenchError(f"the event log of the simulation is damaged: {line!r}") from error


def after(events: list[Event], port: int, value: int) -> list[Event]:
    """Return what follows a mark. Raises BenchError if it was never reached."""
    for index, event in enumerate(events):
        if isinstance(event, Mark) and (event.port, event.value) == (port, value):
            return events[index + 1 :]
    raise BenchError(f"the simulated tenant at result port {port} never reached mark {value}")


def until_mark(events: list[Event]) -> list[Event]:
    """Return what comes before the next mark."""
    for index, event in enumerate(events):
        if isinstance(event, Mark):
            return events[:index]
    return events
