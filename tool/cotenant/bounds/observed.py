# SPDX-License-Identifier: BSD-2-Clause
"""Whether what the monitor was seen to execute is what its bounds were computed of.

A recorded path has to follow the graph, call by call and jump by jump, and no loop may go round
more often than its annotation says.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from cotenant.bounds.graph import Function, place
from cotenant.bounds.instructions import Kind
from cotenant.bounds.monitor import MonitorBounds
from cotenant.bounds.stretches import Loop


@dataclass
class _Activation:
    """A function that is executed, where it made its call, and the turns of its loops."""

    function: Function
    address: int = 0
    turns: dict[int, int] = field(default_factory=dict)


class Observer:
    """Follows paths through the graph of a monitor."""

    def __init__(self, bounds: MonitorBounds) -> None:
        self._bounds = bounds
        self._functions = {each.entry: each for each in reversed(list(bounds.functions.values()))}
        self._successors: dict[int, dict[int, set[int]]] = {}
        self._loops: dict[int, list[tuple[int, set[int], int]]] = {}

    def problems(self, path: Sequence[int]) -> Iterator[str]:
        """Give what is wrong in a path that begins at an entry, by addresses of instructions."""
        if path[0] not in self._functions:
            return
        stack = [_Activation(self._functions[path[0]])]
        for address, following in pairwise(path):
            now = stack[-1]
            instruction = now.function.instructions.get(address)
            if instruction is None:
                yield f"{now.function.name} has no instruction at {address:#x}"
                return
            if self._bounds.is_look(instruction) or instruction.kind is Kind.WAIT:
                for each in stack:
                    each.turns.clear()
            if not self._goes_on(stack, address, following):
                yield f"{now.function.name}: {address:#x} does not lead to {following:#x}"
                return
            yield from self._too_many_turns(stack[-1], now, address, following)

    def _goes_on(self, stack: list[_Activation], address: int, following: int) -> bool:
        now = stack[-1]
        callees = now.function.calls.get(address)
        if callees is not None:
            if following not in {place(each) for each in callees}:
                return False
            now.address = address
            stack.append(_Activation(self._functions[following]))
            return True
        while address in now.function.returns:
            stack.pop()
            if not stack:
                return False
            now = stack[-1]
            address = now.address
        return following in self._successors_of(now.function).get(address, set())

    def _successors_of(self, function: Function) -> dict[int, set[int]]:
        if function.entry not in self._successors:
            found = self._successors[function.entry] = {}
            for node, after in function.successors.items():
                found.setdefault(place(node), set()).update(map(place, after))
        return self._successors[function.entry]

    def _too_many_turns(
        self, now: _Activation, before: _Activation, address: int, following: int
    ) -> Iterator[str]:
        if now is not before:
            return
        for head, body, most in self._loops_of(now.function):
            if following == head:
                turns = now.turns.get(head, 0) + 1 if address in body else 0
                now.turns[head] = turns
                if turns > most:
                    yield f"{now.function.name}: {turns} turns of the loop at {head:#x}, not {most}"

    def _loops_of(self, function: Function) -> list[tuple[int, set[int], int]]:
        """Return the head, the body and the most turns of each loop that has an annotation."""
        if function.entry not in self._loops:
            found = self._loops[function.entry] = []
            ahead: list[Loop] = list(self._bounds.stretches.loops[function.number])
            while ahead:
                loop = ahead.pop()
                ahead += loop.inner
                most = self._bounds.known_most(function, loop)
                if most is not None:
                    found.append((place(loop.head), {place(each) for each in loop.body}, most))
        return self._loops[function.entry]
