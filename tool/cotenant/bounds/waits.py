# SPDX-License-Identifier: BSD-2-Clause
"""How often a stretch waits for another hart, and how long a hart has the shared lock at most.

Both are longest ways through the same graph as the stretches are. For the waits, nothing counts but
the turns that wait. For the lock, what ends a way is its release, and no look.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from cotenant.bounds.annotations import RETRY, Wait
from cotenant.bounds.graph import Function, place
from cotenant.bounds.instructions import Instruction
from cotenant.bounds.stretches import Loop, Loops, Way

MANY = 1 << 40
"""far above the instructions of any way that is bounded"""


@dataclass(frozen=True)
class Marked:
    """Counts the instructions at certain addresses, and nothing else."""

    addresses: frozenset[int]
    trap: int = 0

    def of(self, instruction: Instruction) -> int:
        """Return 1 for one of them."""
        return int(instruction.address in self.addresses)


class KnownWaits(Loops, Protocol):
    """What is known of loops, some of which are waits."""

    def is_over(self, function: Function, loop: Loop, outer: str, *, held: bool = False) -> bool:
        """Return whether its bound is that for as long as `outer` is gone round."""

    def wait(self, function: Function, loop: Loop) -> Wait | None:
        """Return what a loop waits for, if it does."""

    def known_most(self, function: Function, loop: Loop, *, held: bool = False) -> int | None:
        """Return the most turns of a loop; `held`: while the lock is held, if that is fewer."""


@dataclass(frozen=True)
class _View:
    """Loops as they are known, but for what is said here."""

    known: KnownWaits

    def source(self, function: Function, loop: Loop) -> str:
        """Name the loop as it is."""
        return self.known.source(function, loop)

    def hooks(self, function: Function, loop: Loop) -> tuple[int, ...]:
        """Return what it calls once each."""
        return self.known.hooks(function, loop)

    def is_over(self, function: Function, loop: Loop, outer: str) -> bool:
        """Return whether its bound is over the loop around it."""
        return self.known.is_over(function, loop, outer, held=False)


@dataclass(frozen=True)
class WaitingTurns(_View):
    """Of loops that wait for one thing, a turn that waits counts MANY: once each time."""

    of: str

    def most(self, function: Function, loop: Loop) -> int | None:
        """Return its most turns."""
        return self.known.most(function, loop)

    def more(self, function: Function, loop: Loop, turn: int) -> int:
        """Return MANY if such turns wait."""
        wait = self.known.wait(function, loop)
        if wait is None or wait.of != self.of:
            return 0
        return MANY if turn or not wait.at else 0


@dataclass(frozen=True)
class HeldTurns(_View):
    """While the lock is held, a look ends no loop: one without a bound has MANY turns.

    So has a wait, but for that in which the lock is taken.
    """

    take: int
    """the function that takes the lock"""
    unknown: dict[int, str] = field(default_factory=dict)
    """the names of those, by the addresses of their heads"""

    def most(self, function: Function, loop: Loop) -> int | None:
        """Return its most turns then."""
        most = self.known.known_most(function, loop, held=True)
        wait = self.known.wait(function, loop)
        if wait is not None and wait.of != RETRY and function.entry != self.take:
            most = None
        if most is None:
            self.unknown[place(loop.head)] = self.known.source(function, loop)
        return MANY if most is None else most

    def is_over(self, function: Function, loop: Loop, outer: str) -> bool:
        """Return whether the bound that it has then is over the loop around it."""
        return self.known.is_over(function, loop, outer, held=True)

    def more(self, function: Function, loop: Loop, turn: int) -> int:
        """Nothing counts but instructions."""
        del function, loop, turn
        return 0


def endless(way: Way | None, name: Callable[[int], str]) -> Iterator[str]:
    """Name what makes a way longer than any bound."""
    while way is not None:
        rest = way.rest.length if way.rest else 0
        inner = way.inner.length if way.inner else 0
        if way.times >= MANY or way.length - rest - inner * way.times >= MANY:
            yield name(way.place)
        elif way.inner is not None and inner >= MANY:
            yield from endless(way.inner, name)
        way = way.rest
