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
from cotenant.bounds.stretches import loops


@dataclass(frozen=True)
class _Counted:
    """A loop whose turns are counted anew each time that it is entered from outside of `within`."""

    source: str
    head: int
    most: int
    """0: it is a wait"""
    within: set[int]
    body: set[int]


_Node = tuple[int, int]
"""a function and an instruction of it, by their numbers"""


@dataclass
class _Activation:
    """A function that is executed: the copies that its last instruction can be, and its turns.

    The copies differ in what is known of the registers' values (ways.py): where the code goes on as
    none of them does, that knowledge is wrong.
    """

    function: Function
    nodes: set[_Node]
    turns: dict[int, int] = field(default_factory=dict)
    waited: dict[int, int] = field(default_factory=dict)
    """of a wait that has gone round, by its head: the stretch with the first turn"""


class Observer:
    """Follows paths through the graph of a monitor."""

    def __init__(self, bounds: MonitorBounds) -> None:
        self._bounds = bounds
        self._entries: dict[int, set[_Node]] = {}
        for each in bounds.functions.values():
            self._entries.setdefault(each.entry, set()).add((each.number, each.entry))
        self._loops: dict[int, list[_Counted]] = {}
        self._continues = set(bounds.continues)
        self.turns: dict[str, int] = {}
        """the most turns that were seen of each loop of the sources"""
        self.longest = 0
        """instructions of the longest stretch, of which one turn of a wait is a part"""

    def problems(self, path: Sequence[int]) -> Iterator[str]:
        """Give what is wrong in a path that begins at an entry, by addresses of instructions."""
        if path[0] not in self._entries:
            return
        stack = [self._entered(path[0])]
        length = 0
        for address, following in pairwise(path):
            now = stack[-1]
            found = [self._functions[f].instructions.get(node) for f, node in now.nodes]
            instruction = next(iter(found), None)
            if instruction is None or instruction.address != address:
                yield f"{now.function.name} has no instruction at {address:#x}"
                return
            length += 1
            self.longest = max(self.longest, length)
            if self._bounds.is_look(instruction):
                length = 0
                for each in stack:
                    each.turns.clear()
                    each.waited.clear()
            if following in self._continues and instruction.kind is Kind.END:
                stack = [self._entered(following)]
                continue
            if not self._goes_on(stack, following):
                yield f"{now.function.name}: {address:#x} does not lead to {following:#x}"
                return
            if stack[-1] is now:
                length = self._without_waits(now, address, following, length)
                yield from self._too_many_turns(now, address, following)
        self.longest = max(self.longest, length + 1)

    @property
    def _functions(self) -> dict[int, Function]:
        return self._bounds.functions

    def _entered(self, entry: int, numbers: set[int] | None = None) -> _Activation:
        """Return a function that is come to, by one of its copies."""
        nodes = {each for each in self._entries[entry] if numbers is None or each[0] in numbers}
        return _Activation(self._functions[min(nodes)[0]], nodes)

    def _goes_on(self, stack: list[_Activation], following: int) -> bool:
        now = stack[-1]
        calls = {n: self._functions[n[0]].calls.get(n[1]) for n in now.nodes}
        called = {c for callees in calls.values() for c in callees or () if place(c) == following}
        if called:
            now.nodes = {n for n, callees in calls.items() if called.intersection(callees or ())}
            stack.append(self._entered(following, called))
            return True
        if any(callees is not None for callees in calls.values()):
            return False
        ahead = {(f, each) for f, node in now.nodes for each in self._functions[f].successors[node]}
        returned = {
            (f, self._functions[f].returned.get(node, 0))
            for f, node in now.nodes
            if node in self._functions[f].returns
        }
        while returned and not ahead:
            stack.pop()
            if not stack:
                return False
            ahead, returned = self._behind(stack[-1].nodes, returned)
        stack[-1].nodes = {each for each in ahead if place(each[1]) == following}
        return bool(stack[-1].nodes)

    def _behind(
        self, calls: set[_Node], returned: set[tuple[int, int]]
    ) -> tuple[set[_Node], set[tuple[int, int]]]:
        """Return what comes behind calls, and what they return themselves if they are the last."""
        ahead = set[_Node]()
        results = set[tuple[int, int]]()
        for number, node in calls:
            function = self._functions[number]
            for callee, index in returned:
                if callee in function.calls[node]:
                    ahead |= {(number, n) for n in function.after_call(node, callee, index)}
                    if node in function.returns:
                        results.add((number, function.after_tail(node, callee, index)))
        return ahead, results

    def _without_waits(self, now: _Activation, address: int, following: int, length: int) -> int:
        """Return the length of a stretch without what a wait has gone round but for once."""
        for loop in self._loops_of(now.function):
            if loop.most or following != loop.head:
                continue
            if address not in loop.within:
                now.waited.pop(loop.head, None)
            else:
                length = now.waited.setdefault(loop.head, length)
        return length

    def _too_many_turns(self, now: _Activation, address: int, following: int) -> Iterator[str]:
        for loop in self._loops_of(now.function):
            if address not in loop.within and following in loop.within:
                now.turns[loop.head] = 0
            if following == loop.head and address in loop.body:
                turns = now.turns[loop.head] = now.turns.get(loop.head, 0) + 1
                self.turns[loop.source] = max(turns, self.turns.get(loop.source, 0))
                if loop.most and turns > loop.most:
                    yield (
                        f"{now.function.name}: {turns} turns of the loop at {loop.head:#x}, "
                        f"not {loop.most}"
                    )

    def _loops_of(self, function: Function) -> list[_Counted]:
        """Return each loop that has an annotation."""
        base = function.base or function
        if base.number not in self._loops:
            found = self._loops[base.number] = []
            ahead = [(each, each, "") for each in loops(base)]
            while ahead:
                loop, outer, source_of_outer = ahead.pop()
                source = self._bounds.source(base, loop)
                ahead += [(each, loop, source) for each in loop.inner]
                most = self._bounds.known_most(base, loop)
                if most is not None:
                    is_over = self._bounds.is_over(base, loop, source_of_outer)
                    body, within = (
                        {place(node) for node in each.body}
                        for each in (loop, outer if is_over else loop)
                    )
                    is_wait = self._bounds.wait(base, loop) is not None
                    most = 0 if is_wait else most
                    found.append(_Counted(source, place(loop.head), most, within, body))
        return self._loops[base.number]
