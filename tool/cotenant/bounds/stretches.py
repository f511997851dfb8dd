# SPDX-License-Identifier: BSD-2-Clause
"""The longest stretches: from a trap's entry, or behind a look at interrupts, to the next look.

What lies ahead of an instruction is, for each outcome, the longest way to it: to a look or the end
of the path (`_STOP`), to the return of the function (`_RETURN`), or, while a loop is worked on, to
its head once more. Functions are done after those that they call, and loops after those in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import networkx

from cotenant.bounds.graph import Function, place
from cotenant.bounds.instructions import Instruction, Kind
from cotenant.bounds.values import ZERO
from cotenant.errors import BoundsError

_STOP = -1
_RETURN = -(1 << 32)
"""less the index of what is returned"""


@dataclass(frozen=True)
class Way:
    """A way through the code: an instruction, a callee or the turns of a loop; then the rest."""

    length: int
    place: int = 0
    """the address of its first instruction"""
    inner: Way | None = None
    """the way through what is called there, or the body of a loop"""
    times: int = 1
    """of a loop's body"""
    rest: Way | None = None


_Ahead = dict[int, Way]
"""ways to a look, to each result, or to the head of a loop"""
_After = dict[tuple[int, int], Way]
"""ways behind calls, by callee and the index of what it returned"""
_EVERYTHING = -3


@dataclass
class Loop:
    """A loop: the instruction by which it is entered, all of it, and the loops in it."""

    head: int
    body: frozenset[int]
    inner: list[Loop] = field(default_factory=list)


@dataclass(frozen=True)
class _Part:
    """A loop of the code that is a part of one in the sources, and its longest turn."""

    loop: Loop
    turn: Way
    source: str = ""
    """of a loop with a bound for as long as the one around it is gone round: its name, ..."""
    most: int = 0
    """... and that bound"""


@dataclass(frozen=True)
class Stretch:
    """The longest way from a place to the next look or the end of the path."""

    start: int
    """the address of the look, or of the entry"""
    function: str
    way: Way


@dataclass
class Summary:
    """The longest ways through a function: to each of its results, and to a look, if there is."""

    returned: dict[int, Way]
    stop: Way | None

    @property
    def through(self) -> Way | None:
        """The longest way to a return."""
        return max(self.returned.values(), key=lambda way: way.length, default=None)


class Loops(Protocol):
    """What is known of loops."""

    def source(self, function: Function, loop: Loop) -> str:
        """Name the loop of the sources: a loop of the code and one in it can be the same there."""

    def most(self, function: Function, loop: Loop) -> int | None:
        """Return how often that is gone round at most without a look; None: not known."""

    def hooks(self, function: Function, loop: Loop) -> tuple[int, ...]:
        """Return the functions that a loop over a table calls, each once; none: it is no such.

        0 among them: a turn that calls none.
        """

    def is_over(self, function: Function, loop: Loop, outer: str) -> bool:
        """Return whether that is the most for as long as `outer`, a source, is gone round."""

    def more(self, function: Function, loop: Loop, turn: int) -> int:
        """Return what counts besides for turns of such a length, all together."""


IsLook = Callable[[Instruction], bool]


class Cost(Protocol):
    """What is counted: instructions, or cycles of a core."""

    @property
    def trap(self) -> int:
        """What a trap in the monitor counts for, besides its instructions."""

    def of(self, instruction: Instruction) -> int:
        """Return what an instruction counts for."""


class Instructions:
    """Counts instructions."""

    trap = 2
    """the one that is repeated or passed by, and the one that the handler goes on with"""

    def of(self, instruction: Instruction) -> int:
        """Return 1."""
        del instruction
        return 1


INSTRUCTIONS = Instructions()


def loops(function: Function) -> list[Loop]:
    """Return the outermost loops. Raises BoundsError for one that is entered at several places."""
    graph = networkx.DiGraph()
    graph.add_nodes_from(function.successors)
    graph.add_edges_from((a, b) for a, each in function.successors.items() for b in each)
    return _loops(graph, {function.entry}, function)


def _loops(graph: networkx.DiGraph, entries: set[int], function: Function) -> list[Loop]:
    found = []
    for body in networkx.strongly_connected_components(graph):
        if len(body) == 1 and not graph.has_edge(*(2 * tuple(body))):
            continue
        heads = {b for b in body if b in entries or any(a not in body for a in graph.pred[b])}
        if len(heads) != 1:
            places = ", ".join(f"{each:#x}" for each in sorted(heads))
            raise BoundsError(f"{function.name}: a loop is entered at {places}")
        head = heads.pop()
        rest = networkx.DiGraph(graph.subgraph(body))
        rest.remove_edges_from(list(rest.in_edges(head)))
        inner = _loops(rest, {head}, function)
        found.append(Loop(head, frozenset(body), inner))
    return found


def order(functions: Mapping[int, Function]) -> list[Function]:
    """Return functions after all that they call. Raises BoundsError for a recursion."""
    graph = networkx.DiGraph()
    graph.add_nodes_from(functions)
    for entry, function in functions.items():
        graph.add_edges_from(
            (entry, each) for callees in function.calls.values() for each in callees
        )
    for circle in networkx.simple_cycles(graph):
        names = " -> ".join(functions[each].name for each in circle if each in functions)
        raise BoundsError(f"a recursion has no bound: {names}")
    graph = graph.subgraph(functions)
    return [functions[each] for each in reversed(list(networkx.topological_sort(graph)))]


class Stretches:
    """Computes them for functions."""

    def __init__(
        self,
        functions: Mapping[int, Function],
        known: Loops,
        is_look: IsLook,
        extra: Mapping[int, int] | None = None,
        cost: Cost = INSTRUCTIONS,
    ) -> None:
        self.functions = functions
        self._known = known
        self._is_look = is_look
        self._extra = extra or {}
        self._cost = cost
        self.summaries: dict[int, Summary] = {}
        self._only: dict[int, int] = {}
        """the one function that a call goes to for now"""
        self._ahead: dict[int, dict[int, _Ahead]] = {}
        self._order = order(functions)
        self.loops: dict[int, list[Loop]] = {}
        for function in self._order:
            self._summarise(function)

    def of_entry(self, entry: int) -> Stretch:
        """Return the longest stretch from an entry."""
        way = self.summaries[entry].stop
        if way is None:
            raise BoundsError(f"{self.functions[entry].name} has no end")
        return Stretch(entry, self.functions[entry].name, way)

    def of_looks(self) -> Iterator[Stretch]:
        """Give the longest stretch behind each look."""
        after = self._after_returns()
        for function in self._order:
            for address, instruction in function.instructions.items():
                if self._is_look(instruction):
                    ahead = self._behind(function, address, self._ahead[function.number])
                    way = self._on(function, ahead, after)
                    if way is not None:
                        yield Stretch(address, function.name, way)

    def of_calls(self, entry: int) -> Iterator[Stretch]:
        """Give, for each call of a function, the longest stretch of it and behind it.

        Only what follows where it has returned something that is true counts, if that is told apart
        from what is not.
        """
        after = self._after_returns()
        for function in self._order:
            for address, callees in function.calls.items():
                for callee in callees:
                    known = self.functions.get(callee)
                    if known is None or known.entry != entry:
                        continue
                    everything = self._ahead[function.number]
                    for index in _true_results(known):
                        ahead = self._after(function, address, everything, callee, index)
                        way = self._on(function, ahead, after)
                        through = self.summaries[callee].through
                        if way is not None and through is not None:
                            yield Stretch(address, function.name, _joined(through, way))

    def _on(self, function: Function, ahead: _Ahead, after: _After) -> Way | None:
        """Return the longest way that goes on with what lies ahead, the callers' included."""
        found = [ahead[_STOP]] if _STOP in ahead else []
        for outcome, way in ahead.items():
            if outcome <= _RETURN and (function.number, _RETURN - outcome) in after:
                found.append(_joined(way, after[function.number, _RETURN - outcome]))
        return max(found, key=lambda way: way.length, default=None)

    def _after_returns(self) -> _After:
        """Return, for each result of each function, the longest way behind a call of it."""
        after: _After = {}
        for function in reversed(self._order):
            everything = self._ahead[function.number]
            for address, callees in function.calls.items():
                for callee in callees:
                    known = self.functions.get(callee)
                    for index in range(len(known.results) if known else 0):
                        ahead = self._after(function, address, everything, callee, index)
                        way = self._on(function, ahead, after)
                        own = callee, index
                        if way and (own not in after or after[own].length < way.length):
                            after[own] = way
        return after

    def _summarise(self, function: Function) -> None:
        self.loops[function.number] = loops(function)
        ahead: dict[int, _Ahead] = {}
        everything = Loop(
            _EVERYTHING, frozenset(function.instructions), self.loops[function.number]
        )
        self._work(function, everything, [], ahead, "")
        self._ahead[function.number] = ahead
        own = ahead[function.entry]
        returned = {_RETURN - o: way for o, way in own.items() if o <= _RETURN}
        self.summaries[function.number] = Summary(returned, own.get(_STOP))

    def _work(
        self,
        function: Function,
        loop: Loop,
        heads: list[int],
        ahead: dict[int, _Ahead],
        source: str,
    ) -> list[_Part]:
        """Find what lies ahead of each instruction in a loop, or in all of a function."""
        heads = [*heads, loop.head]
        parts: list[_Part] = []
        belongs = {each: inner for inner in loop.inner for each in inner.body}
        graph = networkx.DiGraph()
        for address in loop.body:
            own = belongs[address].head if address in belongs else address
            graph.add_node(own)
            for successor in function.successors[address]:
                other = belongs[successor].head if successor in belongs else successor
                if successor in loop.body and successor != loop.head and own != other:
                    graph.add_edge(own, other)
        for address in reversed(list(networkx.topological_sort(graph))):
            if address in belongs:
                parts += self._close(function, belongs[address], heads, ahead, source)
            else:
                ahead[address] = self._at(function, address, ahead, heads)
        return parts

    def _close(
        self, function: Function, loop: Loop, heads: list[int], ahead: dict[int, _Ahead], outer: str
    ) -> list[_Part]:
        """Do an inner loop, and put the turns that it may make into what lies ahead.

        If it is a part of the loop around it in the sources, the turns of both together are
        bounded: they are left to that one, and the parts with their longest turns returned. So
        they are if its bound is one for as long as that one is gone round.
        """
        source = self._known.source(function, loop)
        parts = self._work(function, loop, heads, ahead, source)
        own = dict(ahead[loop.head])
        again = own.pop(loop.head, None)
        if again is not None:
            parts.append(_Part(loop, again))
        is_part = source == outer
        if parts and not is_part and self._known.is_over(function, loop, outer):
            parts = self._over(function, loop, source, parts)
            is_part = True
        turns: Way | None = None
        if parts and not is_part:
            turns = self._hook_turns(function, loop, heads, ahead, source)
            turns = turns or self._turns(function, loop, parts)
            own = {outcome: _behind_turns(turns, way) for outcome, way in own.items()}
        for address in loop.body:
            values = dict(ahead[address])
            back = values.pop(loop.head, None)
            if back is not None:
                _take_longer(values, {o: _joined(back, way) for o, way in own.items()})
            ahead[address] = values
        ahead[loop.head] = own
        if is_part:
            return parts
        for part in parts:
            if part.loop is not loop:
                for address in part.loop.body:
                    ahead[address] = {
                        o: _behind_turns(turns, way) for o, way in ahead[address].items()
                    }
        return []

    def _over(self, function: Function, loop: Loop, source: str, parts: list[_Part]) -> list[_Part]:
        """Return a loop's parts as those of the loop around it, with a bound of their own."""
        if any(part.source for part in parts):
            raise BoundsError(f"{source}: it is over a loop, and one in it is over this one")
        most = self._known.most(function, loop) or 0
        return [_Part(part.loop, part.turn, source, most) for part in parts]

    def _hook_turns(
        self,
        function: Function,
        loop: Loop,
        heads: list[int],
        ahead: Mapping[int, _Ahead],
        source: str,
    ) -> Way | None:
        """Return all turns of a loop that calls each function of a table once.

        Those of a function are turns only where it returns what the loop goes on with.
        """
        hooks = self._known.hooks(function, loop)
        calls = {each for each in loop.body & function.indirect if each in function.calls}
        called = {self._entry(each) for call in calls for each in function.calls[call]}
        if not hooks or len({place(each) for each in calls}) != 1 or called - set(hooks):
            return None
        turns: Way | None = None
        before = self._only
        for each in hooks:
            self._only = before | dict.fromkeys(calls, each)
            without = dict(ahead)
            parts = self._work(function, loop, heads, without, source)
            self._only = before
            if parts:
                return None
            turn = without[loop.head].get(loop.head)
            if turn is not None:
                own = Way(turn.length, loop.head, turn)
                turns = own if turns is None else _joined(own, turns)
        return turns

    def _entry(self, number: int) -> int:
        return self.functions[number].entry if number in self.functions else number

    def _turns(self, function: Function, loop: Loop, parts: list[_Part]) -> Way | None:
        """Return all turns that a loop and its parts make."""
        longest: dict[str, _Part] = {}
        for part in parts:
            if part.source not in longest or longest[part.source].turn.length < part.turn.length:
                longest[part.source] = part
        turns: Way | None = None
        for part in longest.values():
            most = part.most if part.source else self._known.most(function, loop) or 0
            if most:
                more = self._known.more(function, loop, part.turn.length)
                way = Way(most * part.turn.length + more, loop.head, part.turn, most)
                turns = way if turns is None else _joined(way, turns)
        return turns

    def _behind(
        self,
        function: Function,
        address: int,
        ahead: Mapping[int, _Ahead],
        heads: list[int] | None = None,
    ) -> _Ahead:
        """Return what lies behind an instruction that is no call."""
        found: _Ahead = {}
        if address in function.returns:
            found[_RETURN - function.returned.get(address, 0)] = Way(0)
        _add_ahead(found, function.successors[address], ahead, heads)
        return found

    def _after(
        self,
        function: Function,
        address: int,
        ahead: Mapping[int, _Ahead],
        callee: int,
        index: int,
        heads: list[int] | None = None,
    ) -> _Ahead:
        """Return what lies behind a call that has returned one of the callee's results."""
        found: _Ahead = {}
        if address in function.returns:
            found[_RETURN - function.after_tail(address, callee, index)] = Way(0)
        _add_ahead(found, function.after_call(address, callee, index), ahead, heads)
        return found

    def _at(
        self, function: Function, address: int, ahead: Mapping[int, _Ahead], heads: list[int]
    ) -> _Ahead:
        instruction = function.instructions[address]
        own = self._cost.of(instruction) + self._extra.get(place(address), 0)
        if instruction.kind is Kind.END or self._is_look(instruction):
            return {_STOP: Way(own, address)}
        callees = function.calls.get(address)
        if callees is None:
            behind = self._behind(function, address, ahead, heads)
            return {o: Way(own + way.length, address, rest=way) for o, way in behind.items()}
        found: _Ahead = {}
        for callee in callees:
            summary = self.summaries.get(callee)
            if self._only.get(address, self._entry(callee)) != self._entry(callee):
                continue
            if summary is None:
                _take_longer(found, {_STOP: Way(own, address)})  # it never returns
                continue
            if summary.stop is not None:
                way = Way(own + summary.stop.length, address, summary.stop)
                _take_longer(found, {_STOP: way})
            for index, way in summary.returned.items():
                behind = self._after(function, address, ahead, callee, index, heads)
                _take_longer(
                    found,
                    {
                        o: Way(own + way.length + rest.length, address, way, rest=rest)
                        for o, rest in behind.items()
                    },
                )
        return found


def _true_results(function: Function) -> list[int]:
    """Return which results are true; where none is known to be, those that may be."""
    first = [result for result, _ in function.results]
    found = [i for i, each in enumerate(first) if each is not None and each.is_not_zero]
    return found or [i for i, each in enumerate(first) if each != ZERO]


def _add_ahead(
    found: _Ahead, nodes: Iterable[int], ahead: Mapping[int, _Ahead], heads: list[int] | None
) -> None:
    for node in nodes:
        if heads is not None and node in heads:
            _take_longer(found, {node: Way(0)})
        else:
            _take_longer(found, ahead[node])


def _take_longer(into: _Ahead, other: Mapping[int, Way]) -> None:
    for outcome, way in other.items():
        if outcome not in into or into[outcome].length < way.length:
            into[outcome] = way


def _behind_turns(turns: Way | None, way: Way) -> Way:
    return way if turns is None else _joined(turns, way)


def _joined(first: Way, then: Way) -> Way:
    """Return a way behind another one."""
    return Way(first.length + then.length, first.place, first, 1, then) if first.length else then
