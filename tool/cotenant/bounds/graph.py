# SPDX-License-Identifier: BSD-2-Clause
"""The control-flow graph of each function that can be reached from the monitor's trap entries."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import networkx

from cotenant.bounds.annotations import Jump
from cotenant.bounds.image import Image
from cotenant.bounds.instructions import Decoder, Instruction, Kind
from cotenant.bounds.values import Value
from cotenant.errors import BoundsError

_MOST_BACK = 64
_MOST_CASES = 512
_MOST_COPIES = 16
_LINKS = {"load_pmp_addresses": "t2", "hypervisor_exchange": "t2"}
"""functions of assembly that are called with another link register than ra"""
COPY = 1 << 40
"""between the numbers of an instruction and of its copies"""


@dataclass
class Function:
    """Code from an entry to its returns; a tail call is a call, and then a return."""

    entry: int
    name: str
    number: int
    """the entry, or that of a variant with what is known of some calls of it"""
    instructions: dict[int, Instruction] = field(default_factory=dict)
    successors: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """of each instruction, those that can come next in the function"""
    calls: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """functions that an instruction calls; of an indirect one those that it may call"""
    returns: set[int] = field(default_factory=set)
    """instructions behind which (and behind whose call) the function is over"""
    indirect: set[int] = field(default_factory=set)
    """of the calls, those by a pointer"""
    size: int | None = None
    """of what it is called with, or the length of that text, if it is known"""

    # What ways.py adds.
    base: "Function | None" = None
    """what it is a copy of, the ways that nothing can take included"""
    origins: dict[int, int] = field(default_factory=dict)
    """of an instruction, the one that it is a copy of"""
    results: list[tuple[Value | None, Value | None]] = field(default_factory=lambda: [(None, None)])
    """what it returns, told apart"""
    returned: dict[int, int] = field(default_factory=dict)
    """of an instruction in `returns`, which of the results that is"""
    behind: dict[tuple[int, int, int], tuple[int, ...]] = field(default_factory=dict)
    """what comes behind a call, by its callee and which of the callee's results it returned"""
    behind_return: dict[tuple[int, int, int], int] = field(default_factory=dict)
    """the same of a call in `returns`: which of the own results it is then"""

    def after_call(self, node: int, callee: int, index: int) -> tuple[int, ...]:
        """Return what comes behind a call of a function that has returned one of its results."""
        return self.behind.get((node, callee, index), self.successors[node])

    def after_tail(self, node: int, callee: int, index: int) -> int:
        """Return which result it is when the last call has returned one of its results."""
        return self.behind_return.get((node, callee, index), 0)


class Explorer:
    """Follows code from entries; `jump` says where a jump by a table of instructions goes."""

    def __init__(self, image: Image, jump: Callable[[int], Jump | None] = lambda _: None) -> None:
        self.image = image
        self._decoder = Decoder(image.fetch)
        self._jump_by_table = jump
        self._links = dict(_LINKS)

    def function(self, entry: int) -> Function:
        """Return the function that begins at an address. Raises BoundsError for unknown jumps."""
        found = Function(entry, self.image.name(entry), entry)
        ahead = [entry]
        while ahead:
            address = ahead.pop()
            if address in found.instructions:
                continue
            instruction = self._decoder.at(address)
            found.instructions[address] = instruction
            following = self._following(found, instruction)
            found.successors[address] = tuple(dict.fromkeys(following))
            ahead += following
        return found

    def _following(self, function: Function, each: Instruction) -> list[int]:
        if each.kind is Kind.BRANCH:
            return [each.after, *self._jump(function, each, each.target)]
        if each.kind is Kind.JUMP:
            return self._jump(function, each, each.target)
        if each.kind is Kind.CALL:
            function.calls[each.address] = (each.target,)
            return [each.after]
        if each.kind is Kind.INDIRECT_CALL:
            target = self._constant(function, each)
            if target is None:
                function.indirect.add(each.address)
            function.calls[each.address] = () if target is None else (target,)
            return [each.after]
        if each.kind is Kind.INDIRECT_JUMP:
            return self._indirect_jump(function, each)
        return [] if each.kind is Kind.END else [each.after]

    def _jump(self, function: Function, each: Instruction, target: int) -> list[int]:
        """A jump to another function is a tail call; a branch to one has to be followed."""
        is_other = target in self.image.functions and target != function.entry
        if is_other and each.kind is not Kind.BRANCH:
            function.calls[each.address] = (target,)
            function.returns.add(each.address)
            return []
        return [target]

    def _indirect_jump(self, function: Function, each: Instruction) -> list[int]:
        if each.register in ("ra", self._link(function)):
            function.returns.add(each.address)
            return []
        target = self._constant(function, each)
        if target is not None:
            return self._jump(function, each, target)
        cases = self._cases(function, each)
        if cases:
            return cases
        jump = self._jump_by_table(each.address)
        if jump is not None:
            return self._entries(function, each, jump)
        function.calls[each.address] = ()
        function.indirect.add(each.address)
        function.returns.add(each.address)
        return []

    def _entries(self, function: Function, each: Instruction, jump: Jump) -> list[int]:
        """Return where a jump by a table of instructions leads in the function."""
        first = self.image.address(jump.table) if jump.table else each.after
        entries = [first + i * jump.size for i in range(jump.entries)]
        if not jump.returns:
            return entries
        self._links[self.image.name(first)] = jump.returns
        function.calls[each.address] = tuple(entries)
        return [each.after]

    def _link(self, function: Function) -> str:
        """Return the register by which it returns, if it is not ra."""
        return (
            "t0"
            if function.name.startswith("__riscv_save_")
            else self._links.get(function.name, "ra")
        )

    def _before(self, function: Function, each: Instruction) -> Iterable[Instruction]:
        """Give what stands before an instruction and has been followed, the nearest first."""
        known = sorted((a for a in function.instructions if a < each.address), reverse=True)
        return (function.instructions[address] for address in known[:_MOST_BACK])

    def _constant(self, function: Function, each: Instruction) -> int | None:
        """Return the target of `auipc` and a jump."""
        register = each.register.partition("(")[2].rstrip(")") or each.register
        offset = int(each.register.partition("(")[0] or "0", 0) if "(" in each.register else 0
        for other in self._before(function, each):
            if other.operands.partition(",")[0].strip() == register:
                if other.mnemonic == "auipc" and other.after == each.address:
                    return other.address + (_second(other) << 12) + offset
                return None
        return None

    def _cases(self, function: Function, each: Instruction) -> list[int]:
        """Return the targets of a `switch`: a table of offsets from itself in the constants.

        The compiler may put other instructions between the load of the offset, the addition and the
        jump: what counts is which instruction was the last one to write each register.
        """
        before = list(self._before(function, each))
        addition = _writer(before, each.register)
        if addition is None or not before[addition].mnemonic.endswith("add"):
            return []
        fields = [part.strip() for part in before[addition].operands.split(",")]
        before = before[addition + 1 :]
        one, other = fields[-2:]
        for base, offset in ((one, other), (other, one)):
            load = _writer(before, offset)
            if load is None or before[load].mnemonic not in ("lw", "c.lw"):
                continue
            table = _address(before, base)
            count = _count(before[load + 1 :])
            if table is None or count is None:
                continue
            found = [table + self.image.word(table + 4 * i, 4, signed=True) for i in range(count)]
            if all(self._is_near(function, target) for target in found):
                return list(dict.fromkeys(found))
        return []

    def _is_near(self, function: Function, address: int) -> bool:
        symbol = self.image.symbol_at(address)
        return (
            symbol is not None and symbol.name.partition(".")[0] == function.name.partition(".")[0]
        )


def text_argument(function: Function, call: int, image: Image) -> int | None:
    """Return the length of the longest text that a0 can point to at a call; None: not known."""
    found = _constants(function, _predecessors(function), call, "a0", set())
    if not found:
        return None
    lengths = [image.text_length(each) for each in found]
    return None if None in lengths else max(each for each in lengths if each is not None)


def size_argument(function: Function, call: int) -> int | None:
    """Return the largest constant that a2 can be at a call; None: it can be something else."""
    before = _predecessors(function)
    found = 0
    ahead, seen = [call], set[int]()
    while ahead:
        node = ahead.pop()
        if node == function.entry or not before.get(node):
            return None
        for each in before[node]:
            instruction = function.instructions[each]
            number = _loaded(instruction, "a2")
            if number is not None:
                found = max(found, number)
            elif each in function.calls or instruction.writes("a2"):
                return None
            elif each not in seen:
                seen.add(each)
                ahead.append(each)
    return found


def _loaded(each: Instruction, register: str) -> int | None:
    """Return the number that an instruction loads into a register, if it does."""
    fields = [part.strip() for part in each.operands.split(",")]
    if fields[0] != register:
        return None
    is_number = each.mnemonic in ("c.li", "li") or (each.mnemonic == "addi" and fields[1] == "zero")
    number = _second(each) if is_number else -1
    return number if number >= 0 else None


def _predecessors(function: Function) -> dict[int, list[int]]:
    before: dict[int, list[int]] = {}
    for node, after in function.successors.items():
        for each in after:
            before.setdefault(each, []).append(node)
    return before


def _constants(
    function: Function, before: dict[int, list[int]], node: int, register: str, seen: set[int]
) -> set[int]:
    """Return what a register can hold before an instruction; nothing if that is not known."""
    found: set[int] = set()
    if node == function.entry:
        return found
    for each in before.get(node, []):
        if each in seen:
            continue
        seen.add(each)
        instruction = function.instructions[each]
        fields = [part.strip() for part in instruction.operands.split(",")]
        if each in function.calls:
            return set()
        if fields[0] == register and instruction.kind is Kind.PLAIN:
            if instruction.mnemonic not in ("addi", "c.addi") or "(" in fields[-1]:
                return set()
            source = fields[-2]
            high = _upper(function, before, each, source)
            if high is None:
                return set()
            found.add(high + int(fields[-1], 0))
            continue
        inner = _constants(function, before, each, register, seen)
        if not inner and each not in seen - {each}:
            return set()
        found |= inner
    return found


def _upper(
    function: Function, before: dict[int, list[int]], node: int, register: str
) -> int | None:
    """Return what the `auipc` leaves in a register that is the only way to an instruction."""
    while len(before.get(node, [])) == 1 and node != function.entry:
        node = before[node][0]
        instruction = function.instructions[node]
        if node in function.calls:
            return None
        if instruction.operands.partition(",")[0].strip() == register:
            if instruction.mnemonic != "auipc":
                return None
            return instruction.address + (_second(instruction) << 12)
    return None


def _writer(before: list[Instruction], register: str) -> int | None:
    """Return which one was the last to write a register; None: none, or perhaps a call."""
    for index, each in enumerate(before):
        if each.kind in (Kind.CALL, Kind.INDIRECT_CALL):
            return None
        if each.writes(register):
            return index
    return None


def _second(each: Instruction) -> int:
    return int(each.operands.rpartition(",")[2], 0)


def _address(before: list[Instruction], register: str) -> int | None:
    """Return what `auipc` and `addi` leave in a register."""
    low = None
    for each in before:
        fields = [part.strip() for part in each.operands.split(",")]
        if fields[0] != register:
            continue
        if low is None and each.mnemonic in ("addi", "c.addi") and fields[-2] == register:
            low = _second(each)
        elif each.mnemonic == "auipc" and low is not None:
            return each.address + (_second(each) << 12) + low
        else:
            return None
    return None


def _count(before: list[Instruction]) -> int | None:
    """Return the cases that the comparison before a jump by a table lets through."""
    for index, each in enumerate(before):
        if each.kind is Kind.BRANCH and each.mnemonic == "bltu":
            limit = each.operands.partition(",")[0].strip()
            for other in before[index + 1 :]:
                if other.operands.partition(",")[0].strip() == limit:
                    is_number = other.mnemonic in ("c.li", "addi", "li")
                    count = _second(other) + 1 if is_number else 0
                    return count if 0 < count <= _MOST_CASES else None
    return None


Resolver = Callable[[int], tuple[int, ...]]
"""tells which functions the indirect call at an address may call"""


def explore(
    explorer: Explorer, entries: Iterable[int], resolve: Resolver, ends: frozenset[int]
) -> dict[int, Function]:
    """Return all functions that entries come to, by address; those in `ends` never return."""
    found: dict[int, Function] = {}
    ahead = list(entries)
    while ahead:
        entry = ahead.pop()
        if entry in found:
            continue
        function = found[entry] = explorer.function(entry)
        for address in sorted(function.indirect):
            function.calls[address] = resolve(address)
        for address, callees in function.calls.items():
            if ends.intersection(callees):
                function.successors[address] = ()
                function.returns.discard(address)
            ahead += [each for each in callees if each not in ends]
        _drop_unreachable(function)
        split_side_entries(function)
    return found


def _drop_unreachable(function: Function) -> None:
    """Forget what only stood behind calls that never return."""
    reached: set[int] = set()
    ahead = [function.entry]
    while ahead:
        address = ahead.pop()
        if address not in reached:
            reached.add(address)
            ahead += function.successors[address]
    for address in [each for each in function.instructions if each not in reached]:
        del function.instructions[address], function.successors[address]
        function.calls.pop(address, None)
        function.returns.discard(address)
        function.indirect.discard(address)


def split_side_entries(function: Function) -> None:
    """Give each loop one entry: a way into its middle gets a copy of what is there, up to its head.

    A copy of an instruction has a number of its own, of which `place` is the address.
    """
    copies = 0
    while True:
        graph = networkx.DiGraph()
        graph.add_nodes_from(function.successors)
        graph.add_edges_from((a, b) for a, each in function.successors.items() for b in each)
        found = _side_entries(graph, {function.entry})
        if found is None:
            return
        copies += 1
        if copies > _MOST_COPIES:
            raise BoundsError(f"{function.name}: its loops are entered in too many ways")
        _copy(function, *found, copies * COPY)


def _side_entries(
    graph: networkx.DiGraph, entries: set[int]
) -> tuple[int, set[int], set[int]] | None:
    """Return the head, the other heads and the body of a loop that has several heads."""
    for body in networkx.strongly_connected_components(graph):
        if len(body) == 1:
            continue
        heads = {b for b in body if b in entries or any(a not in body for a in graph.pred[b])}
        # The head is what most ways in the loop lead back to.
        head = max(heads, key=lambda each: (sum(a in body for a in graph.pred[each]), -each))
        if len(heads) > 1:
            return head, heads - {head}, body
        rest = networkx.DiGraph(graph.subgraph(body))
        rest.remove_edges_from(list(rest.in_edges(head)))
        found = _side_entries(rest, {head})
        if found:
            return found
    return None


def _copy(function: Function, head: int, others: set[int], body: set[int], base: int) -> None:
    def copied(node: int) -> int:
        return node + base if node in body and node != head else node

    for node in list(function.successors):
        after = function.successors[node]
        if node not in body:
            function.successors[node] = tuple(
                copied(each) if each in others else each for each in after
            )
            continue
        if node == head:
            continue
        new = node + base
        function.instructions[new] = function.instructions[node]
        function.successors[new] = tuple(copied(each) for each in after)
        if node in function.calls:
            function.calls[new] = function.calls[node]
        if node in function.returns:
            function.returns.add(new)
        if node in function.indirect:
            function.indirect.add(new)
    _drop_unreachable(function)


def place(node: int) -> int:
    """Return the address of an instruction or of a copy of one."""
    return node % COPY
