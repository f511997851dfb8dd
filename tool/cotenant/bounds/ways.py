# SPDX-License-Identifier: BSD-2-Clause
"""Leaves ways out of the graph that no values of the registers can take.

Each instruction gets a copy for each state in which it is come to: what is known of the registers
that later branches, or what is returned, depend on (values.py). A branch that goes one way only in
a state has no other way on in that copy. A function is done once for each state of its arguments,
and its returns are told apart by what they return, so that a caller's test of that leads to what
belongs to it.

Sound, since nothing is known where in doubt: of what is loaded from memory, of registers that a
loop writes when it is come to, of what a call may change, and in functions that may go on elsewhere
by a fault. Functions in C keep to the calling convention; calls in assembly may change all.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from cotenant.bounds.graph import COPY, Function, place
from cotenant.bounds.instructions import Instruction, Kind
from cotenant.bounds.stretches import Loop, loops
from cotenant.bounds.values import (
    ARGUMENTS,
    NOT_ZERO,
    POINTER,
    RESULTS,
    SAVED,
    ZERO,
    Operation,
    Value,
    common,
    copied,
    is_understood,
    known_too,
    moved,
    operation,
    refined,
    result,
    simplified,
)

_MOST_STATES = (32, 16, 4, 1)
"""of an instruction; fewer where the copies come to more than _MOST_COPIES of the function"""
_MOST_COPIES = 4000
_MOST_VARIANTS = 12
_MOST_RESULTS = 6
_FIRST_VARIANT = 1 << 16
_RESTORE = "__riscv_restore_"
_SAVE = "__riscv_save_"

_State = frozenset[tuple[str, Value]]
_NOTHING: _State = frozenset()


@dataclass
class _Known:
    """What does not depend on states: of a function."""

    operations: dict[int, Operation]
    relevant: dict[int, frozenset[str]]
    """before each instruction, the registers that something depends on"""
    within: dict[int, tuple[Loop, ...]]
    """the loops around each instruction, the outermost first"""
    written: dict[int, frozenset[str] | None]
    """of each loop, by its head: the registers that it writes; None: perhaps all"""


@dataclass(frozen=True)
class _Node:
    """An instruction in a state, and the copies of the heads of the loops that it is in."""

    address: int
    heads: tuple[int, ...]
    state: _State


@dataclass
class _Copies:
    """What is made of a function."""

    numbers: dict[_Node, int] = field(default_factory=dict)
    states: dict[tuple[int, tuple[int, ...]], set[_State]] = field(default_factory=dict)
    common: dict[tuple[int, tuple[int, ...]], _State] = field(default_factory=dict)
    """what is known in all states of an instruction, where there are too many"""
    ahead: list[_Node] = field(default_factory=list)


class _TooManyError(Exception):
    """There are more copies than there may be."""


class Ways:
    """Makes copies of functions, by states; `functions` has them when it is done."""

    def __init__(
        self,
        functions: Mapping[int, Function],
        is_assembly: Callable[[int], bool],
        opaque: frozenset[int],
        zeros: frozenset[int] = frozenset(),
    ) -> None:
        self._all = functions
        self._is_assembly = is_assembly
        self._opaque = opaque
        """functions of which nothing is known, since a fault in them goes on elsewhere"""
        self._zeros = zeros
        """instructions that leave 0, as is known of what they read"""
        self._known: dict[int, _Known] = {}
        self._variants: dict[int, dict[_State, Function]] = {}
        self._made = _FIRST_VARIANT
        self.functions: dict[int, Function] = {}

    def of(self, number: int, state: _State = _NOTHING) -> Function:
        """Return a function with the ways that are left when it is called in a state."""
        base = self._all[number]
        known = self._what_is_known(base)
        state = frozenset(each for each in state if each[0] in known.relevant[base.entry])
        variants = self._variants.setdefault(number, {})
        if state not in variants and len(variants) >= _MOST_VARIANTS:
            state = _NOTHING
        if state not in variants:
            own = number
            if state:
                self._made += 1
                own = place(number) + self._made * COPY
            variants[state] = self.functions[own] = self._followed(base, own, state)
        return variants[state]

    # What does not depend on states.

    def _what_is_known(self, base: Function) -> _Known:
        if base.number not in self._known:
            operations = {node: operation(each) for node, each in base.instructions.items()}
            within: dict[int, tuple[Loop, ...]] = dict.fromkeys(base.instructions, ())
            written: dict[int, frozenset[str] | None] = {}
            ahead = loops(base)
            while ahead:
                loop = ahead.pop()
                ahead += loop.inner
                for node in loop.body:
                    within[node] = (*within[node], loop)
                written[loop.head] = self._written(base, loop, operations)
            relevant = self._relevant(base, operations)
            self._known[base.number] = _Known(operations, relevant, within, written)
        return self._known[base.number]

    def _written(
        self, base: Function, loop: Loop, operations: Mapping[int, Operation]
    ) -> frozenset[str] | None:
        found = set[str]()
        for node in loop.body:
            kept = self._kept(base, node, operations[node])
            if kept is None:
                found.add(operations[node].target)
            elif not kept:
                return None
            else:
                found |= {*ARGUMENTS, *(f"t{i}" for i in range(7)), "ra"}
        return frozenset(found)

    def _kept(self, base: Function, node: int, each: Operation) -> frozenset[str] | None:
        """Return the registers that survive an instruction; None: all but its target."""
        if node in base.calls or base.instructions[node].kind is Kind.INDIRECT_CALL:
            link = base.instructions[node].link
            name = base.name if link in ("", "ra") else ""
            if not name and all(self._is_save(each) for each in base.calls.get(node, ())):
                return SAVED | set(ARGUMENTS)
            return SAVED if name and not self._is_assembly(place(node)) else frozenset()
        return frozenset() if each.writes_all else None

    def _is_save(self, number: int) -> bool:
        return number in self._all and self._all[number].name.startswith(_SAVE)

    def _relevant(
        self, base: Function, operations: Mapping[int, Operation]
    ) -> dict[int, frozenset[str]]:
        relevant: dict[int, frozenset[str]] = dict.fromkeys(base.instructions, frozenset[str]())
        before: dict[int, list[int]] = {}
        for node, after in base.successors.items():
            for each in after:
                before.setdefault(each, []).append(node)
        ahead = list(base.instructions)
        waiting = set(ahead)
        while ahead:
            node = ahead.pop()
            waiting.discard(node)
            found = self._relevant_before(base, node, operations[node], relevant)
            if found != relevant[node]:
                relevant[node] = found
                more = [each for each in before.get(node, ()) if each not in waiting]
                waiting.update(more)
                ahead += more
        return relevant

    def _relevant_before(
        self,
        base: Function,
        node: int,
        each: Operation,
        relevant: Mapping[int, frozenset[str]],
    ) -> frozenset[str]:
        after = set[str]().union(*(relevant[other] for other in base.successors[node]))
        if node in base.returns:
            after |= set(RESULTS)
        kept = self._kept(base, node, each)
        if kept is not None:
            is_restore = self._is_restore(base, node)
            after = {name for name in after if name in kept or (is_restore and name in RESULTS)}
            after |= self._arguments(base, node)
        elif base.instructions[node].kind is Kind.BRANCH:
            after |= set(each.sources)
        elif each.target in after:
            after.discard(each.target)
            if is_understood(each):
                after |= set(each.sources)
        return frozenset(after - {"zero"})

    def _arguments(self, base: Function, node: int) -> set[str]:
        """Return the arguments that something in a callee depends on."""
        found = set[str]()
        for callee in base.calls.get(node, ()):
            if callee in self._all and callee not in self._opaque:
                function = self._all[callee]
                found |= self._what_is_known(function).relevant[function.entry] & set(ARGUMENTS)
        return found

    def _is_restore(self, base: Function, node: int) -> bool:
        callees = base.calls.get(node, ())
        return bool(callees) and all(
            each in self._all and self._all[each].name.startswith(_RESTORE) for each in callees
        )

    # Copies.

    def _followed(self, base: Function, number: int, state: _State) -> Function:
        for most in () if base.entry in self._opaque else _MOST_STATES:
            try:
                return self._copied(base, number, state, most)
            except _TooManyError:
                continue
        for callee in {each for callees in base.calls.values() for each in callees}:
            if callee in self._all:
                self.of(callee)
        return replace(base, number=number, base=base)

    def _copied(self, base: Function, number: int, state: _State, most: int) -> Function:
        known = self._what_is_known(base)
        made = replace(
            base, number=number, base=base, instructions={}, successors={}, calls={},
            returns=set(), indirect=set(), results=[], returned={}, behind={}, origins={},
        )  # fmt: skip
        copies = _Copies()

        def numbered(node: _Node) -> int:
            if node not in copies.numbers:
                if len(copies.numbers) > _MOST_COPIES + len(base.instructions):
                    raise _TooManyError
                index = len(copies.numbers)
                own = base.entry if not index else place(node.address) + index * COPY
                copies.numbers[node] = own
                copies.ahead.append(node)
                made.instructions[own] = base.instructions[node.address]
                made.origins[own] = node.address
            return copies.numbers[node]

        def come_to(source: _Node, target: int, values: Mapping[str, Value]) -> int:
            chain, own = known.within[target], known.within[source.address]
            shared = 0
            while shared < min(len(chain), len(own)) and chain[shared] is own[shared]:
                shared += 1
            heads = source.heads[:shared]
            if shared and chain[shared - 1].head == target and len(chain) == shared:
                return heads[-1]  # once more round the loop
            needed = known.relevant[target]
            if len(chain) > shared:
                written = known.written[target]
                needed = frozenset() if written is None else needed - written
            facts = simplified(values, needed)
            return numbered(self._limited(copies, target, heads, frozenset(facts.items()), most))

        first = _Node(base.entry, (), state)
        if known.within[base.entry]:
            first = replace(first, state=_NOTHING)
        numbered(first)
        while copies.ahead:
            node = copies.ahead.pop()
            self._go_on(base, made, node, copies.numbers[node], come_to)
        return made

    @staticmethod
    def _limited(
        copies: _Copies, target: int, heads: tuple[int, ...], state: _State, most: int
    ) -> _Node:
        states = copies.states.setdefault((target, heads), set())
        if state not in states and len(states) >= most:
            known = copies.common.get((target, heads))
            others = states if known is None else {known}
            state = frozenset(common([dict(state), *map(dict, others)]).items())
            copies.common[target, heads] = state
        states.add(state)
        return _Node(target, heads, state)

    def _go_on(
        self,
        base: Function,
        made: Function,
        node: _Node,
        own: int,
        come_to: Callable[[_Node, int, Mapping[str, Value]], int],
    ) -> None:
        """Follow an instruction in a state."""
        known = self._known[base.number]
        loop = known.within[node.address]
        is_head = bool(loop) and loop[-1].head == node.address
        inside = replace(node, heads=(*node.heads, own)) if is_head else node
        each = known.operations[node.address]
        values = dict(node.state)
        if node.address in base.indirect:
            made.indirect.add(own)
        if node.address in base.calls:
            self._call(base, made, inside, own, come_to)
            return
        if node.address in base.returns:
            made.returns.add(own)
            made.returned[own] = _index(made, values)
        found: list[int] = []
        instruction = base.instructions[node.address]
        for target in base.successors[node.address]:
            after = self._after(instruction, each, values, target)
            if after is not None:
                found.append(come_to(inside, target, after))
        made.successors[own] = tuple(dict.fromkeys(found))

    def _after(
        self, instruction: Instruction, each: Operation, values: dict[str, Value], target: int
    ) -> dict[str, Value] | None:
        if instruction.kind is Kind.BRANCH:
            taken = place(target) == instruction.target
            if taken and instruction.target == instruction.after:
                return values
            return refined(values, each, taken)
        if each.writes_all:
            return {}
        after = dict(values)
        if each.base and each.base not in ("sp", "zero"):
            # It did not fault, and at 0 there is nothing.
            known = after.get(each.base)
            if known is None or not known.is_one:
                after = known_too(after, each.base, POINTER)
        source = copied(values, each)
        if source and each.target != "zero":
            return moved(after, each.target, source, instruction.address)
        if each.target:
            after.pop(each.target, None)
            value = result(values, each) if is_understood(each) else None
            value = ZERO if instruction.address in self._zeros else value
            if value is not None and each.target != "zero":
                after[each.target] = value
        return after

    def _call(
        self,
        base: Function,
        made: Function,
        node: _Node,
        own: int,
        come_to: Callable[[_Node, int, Mapping[str, Value]], int],
    ) -> None:
        known = self._known[base.number]
        kept = self._kept(base, node.address, known.operations[node.address]) or frozenset()
        values = dict(node.state)
        rest = {name: value for name, value in values.items() if name in kept}
        is_return = node.address in base.returns
        is_restore = self._is_restore(base, node.address)
        arguments = frozenset(
            (n, replace(v, copy=0)) for n, v in values.items() if n in ARGUMENTS and v.numbers
        )
        callees: list[int] = []
        found: list[int] = []
        if is_return:
            made.returns.add(own)
        for number in base.calls[node.address]:
            if number not in self._all:
                callees.append(number)  # it never returns
                continue
            callee = self.of(number, arguments)
            callees.append(callee.number)
            for index, returned in enumerate(callee.results):
                results = {n: v for n, v in zip(RESULTS, returned, strict=True) if v is not None}
                if is_restore:
                    results = {n: values[n] for n in RESULTS if n in values}
                if is_return:
                    made.behind_return[own, callee.number, index] = _index(made, results)
                after = tuple(
                    come_to(node, target, rest | results)
                    for target in base.successors[node.address]
                )
                made.behind[own, callee.number, index] = after
                found += after
        made.calls[own] = tuple(dict.fromkeys(callees))
        made.successors[own] = tuple(dict.fromkeys(found))


def _index(made: Function, values: Mapping[str, Value]) -> int:
    """Return which of the function's results that is."""
    first, second = (values.get(name) for name in RESULTS)
    if first is not None:
        first = replace(first, copy=0) if first.numbers else None
    found: tuple[Value | None, Value | None] = first, None
    if second is not None and second.is_not_zero:
        found = first, NOT_ZERO
    elif first == second == ZERO:
        found = first, ZERO
    if found not in made.results:
        if len(made.results) >= _MOST_RESULTS and found != (None, None):
            return _index(made, {})
        made.results.append(found)
    return made.results.index(found)
