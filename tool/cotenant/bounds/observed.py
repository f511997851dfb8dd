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


@dataclass(frozen=True)
class _Counted:
    """A loop whose turns are counted anew each time that it is entered from outside of `within`."""

    source: str
    head: int
    most: int
    within: set[int]
    body: set[int]


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
        self._loops: dict[int, list[_Counted]] = {}
        self._continues = set(bounds.continues)
        self.turns: dict[str, int] = {}
        """the most turns that were seen of each loop of the sources"""

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
            if following in self._continues and instruction.kind is Kind.END:
                stack = [_Activation(self._functions[following])]
                continue
            if not self._goes_on(stack, address, following):
                yield f"{now.function.name}: {address:#x} does not lead to {following:#x}"
                return
            yield from self._too_many_turns(stack[-1], now, address, following)

    def _goes_on(self, stack: list[_Activation], address: int, following: int) -> bool:
        now = stack[-1]
        callees = now.function.calls.get(address)
        if callees is not None:
            called = next((each for each in callees if place(each) == following), None)
            if called is None:
                return False
            now.address = address
            stack.append(_Activation(self._bounds.functions[called]))
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
        for loop in self._loops_of(now.function):
            if address not in loop.within and following in loop.within:
                now.turns[loop.head] = 0
            if following == loop.head and address in loop.body:
                turns = now.turns[loop.head] = now.turns.get(loop.head, 0) + 1
                self.turns[loop.source] = max(turns, self.turns.get(loop.source, 0))
                if turns > loop.most:
                    yield (
                        f"{now.function.name}: {turns} turns of the loop at {loop.head:#x}, "
                        f"not {loop.most}"
                    )

    def _loops_of(self, function: Function) -> list[_Counted]:
        """Return each loop that has an annotation."""
        if function.number not in self._loops:
            found = self._loops[function.number] = []
            ahead = [(each, each, "") for each in self._bounds.stretches.loops[function.number]]
            while ahead:
                loop, outer, source_of_outer = ahead.pop()
                source = self._bounds.source(function, loop)
                ahead += [(each, loop, source) for each in loop.inner]
                most = self._bounds.known_most(function, loop)
                if most is not None:
                    is_over = self._bounds.is_over(function, loop, source_of_outer)
                    body, within = (
                        {place(node) for node in each.body}
                        for each in (loop, outer if is_over else loop)
                    )
                    found.append(_Counted(source, place(loop.head), most, within, body))
        return self._loops[function.number]
