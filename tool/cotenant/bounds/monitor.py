# SPDX-License-Identifier: BSD-2-Clause
"""The bounds of one monitor: its graph, with its annotations, and the longest stretches in it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from cotenant import paths
from cotenant.bounds.annotations import (
    BOOT_FUNCTIONS,
    LONGEST_STRING,
    RETRY,
    Annotations,
    Jump,
    Wait,
    read,
)
from cotenant.bounds.graph import (
    COPY,
    Explorer,
    Function,
    explore,
    place,
    size_argument,
    text_argument,
)
from cotenant.bounds.image import Image
from cotenant.bounds.instructions import Instruction, Kind
from cotenant.bounds.objects import Objects
from cotenant.bounds.sources import Frame, Sources
from cotenant.bounds.stretches import (
    INSTRUCTIONS,
    Cost,
    Loop,
    Loops,
    Stretch,
    Stretches,
    Way,
    loops,
    order,
)
from cotenant.bounds.waits import MANY, HeldTurns, Marked, WaitingTurns, endless
from cotenant.bounds.ways import Ways
from cotenant.errors import BoundsError

ANNOTATIONS = paths.MONITOR / "bounds.toml"

_HOOKS = "core/hooks.h"
_FOR_EACH = re.compile(r"FOR_EACH_IN_TABLE\((\w+),")
_MOSTLY = 0.6
_SIZES = 1000


@dataclass(frozen=True)
class Span:
    """Lines of a function."""

    frame: Frame
    first: int
    last: int

    def __contains__(self, other: Frame) -> bool:
        own = self.frame
        return (other.file, other.function) == (own.file, own.function) and (
            self.first <= other.line <= self.last
        )


@dataclass(frozen=True)
class Step:
    """Instructions of a way that are in one function, one after the other."""

    frame: Frame
    instructions: int
    times: int
    """how often: the turns of the loops around it"""


@dataclass(frozen=True)
class Bound:
    """The longest stretch from one place."""

    start: Frame
    function: str
    instructions: int
    steps: tuple[Step, ...]

    @property
    def profile(self) -> str:
        """The functions in which most of it is, with their instructions."""
        counts: dict[str, int] = {}
        for step in self.steps:
            name = step.frame.function
            counts[name] = counts.get(name, 0) + step.instructions * step.times
        most = sorted(counts.items(), key=lambda each: -each[1])[:4]
        return " ".join(f"{name}:{number}" for name, number in most)


class MonitorBounds:
    """Computes the bounds of a monitor; BoundsError names all that is not annotated."""

    def __init__(
        self,
        elf: Path,
        annotations: Annotations | None = None,
        root: Path = paths.MONITOR,
        limits: Mapping[str, int] | None = None,
    ) -> None:
        self.image = Image(elf)
        self.annotations = read(ANNOTATIONS) if annotations is None else annotations
        self._root = root
        self._limits = limits or {}
        self._missing: list[str] = []
        self._source_loops: dict[tuple[int, int, int], tuple[str, int, str]] = {}
        self._base_loops: dict[int, dict[int, Loop]] = {}
        self.entries = [name for name in self.annotations.entries if self.image.has(name)]
        self._ends = frozenset(
            self.image.address(name) for name in self.annotations.ends if self.image.has(name)
        )
        self.continues = [
            self.image.address(name) for name in self.annotations.continues if self.image.has(name)
        ]
        self.functions = explore(
            Explorer(self.image, self._jump),
            [*(self.image.address(name) for name in self.entries), *self.continues],
            self._callees,
            self._ends,
        )
        self._missing += self.unused_pointers()
        self._unroll()
        self.sources = Sources(elf, root, self._addresses())
        self._know_sizes()
        self._leave_out_ways()
        self._looks = frozenset(
            address for address in self._addresses() if self._is_look_at(address)
        )
        self.stretches = self.counting(INSTRUCTIONS)
        if self._missing:
            raise BoundsError("\n".join(dict.fromkeys(self._missing)))
        self._waiting: dict[str, Stretches] = {}

    def of_entries(self, stretches: Stretches | None = None) -> dict[str, Bound]:
        """Return the longest stretch from each entry."""
        found = stretches or self.stretches
        return {
            name: self._described(found.of_entry(self.image.address(name))) for name in self.entries
        }

    def of_looks(self, stretches: Stretches | None = None) -> list[Bound]:
        """Return, for each function that looks at interrupts, the longest stretch behind a look."""
        longest = self._longest((stretches or self.stretches).of_looks())
        found = [self._described(stretch, name) for name, stretch in longest.items()]
        return sorted(found, key=lambda bound: -bound.instructions)

    def counting(self, cost: Cost) -> Stretches:
        """Return the stretches where instructions count for what `cost` says."""
        extra = self._faults(cost) | self._after_mret(cost)
        return Stretches(self.functions, self, self.is_look, extra, cost)

    # Waits for other harts.

    @property
    def waits(self) -> list[str]:
        """What the monitor's harts wait for of each other."""
        found = dict.fromkeys(each.of for each in self.annotations.waits)
        return [of for of in found if of != RETRY and any(self._marks(of))]

    def waits_of_entries(self, of: str) -> dict[str, int]:
        """Return, from each entry, how often a stretch waits at most."""
        counted = self._counted(of)
        return {
            name: counted.of_entry(self.image.address(name)).way.length // MANY
            for name in self.entries
        }

    def waits_of_looks(self, of: str) -> dict[str, int]:
        """Return the same behind a look, by the names of `of_looks`."""
        longest = self._longest(self._counted(of).of_looks())
        return {name: stretch.way.length // MANY for name, stretch in longest.items()}

    def of_holds(self) -> list[Bound]:
        """Return, for each function that takes the shared lock, how long that is held at most.

        From the call by which it is taken, its last turn of waiting included, to the end of its
        release. Raises BoundsError for what has no bound then, waits, or does not release it.
        """
        lock = self.annotations.lock
        if not self.image.has(lock.take) or not self.image.has(lock.release):
            return []
        names = filter(self.image.has, (lock.release, *lock.never))
        ends = {self.image.address(each) for each in names}
        never = {
            each.address: MANY
            for function in self.functions.values()
            for each in function.instructions.values()
            if each.mnemonic == "mret"
        }
        take = self.image.address(lock.take)
        turns = HeldTurns(self, take)
        held = Stretches(
            self.functions,
            turns,
            lambda instruction: instruction.address in ends,
            self._faults(INSTRUCTIONS) | never,
        )
        longest = self._longest(held.of_calls(take))

        def named(at: int) -> str:
            return turns.unknown.get(place(at)) or str(self.sources.at(place(at)))

        endings = [
            end
            for stretch in longest.values()
            if stretch.way.length >= MANY
            for end in endless(stretch.way, named)
        ]
        if endings:
            places = ", ".join(dict.fromkeys(endings))
            raise BoundsError(f"the shared lock is held without a bound: {places}")
        found = [self._described(each, name, self._release()) for name, each in longest.items()]
        return sorted(found, key=lambda bound: -bound.instructions)

    def _release(self) -> Way | None:
        entry = self.image.address(self.annotations.lock.release)
        ways = (
            self.stretches.summaries[each.number].through
            for each in self.functions.values()
            if each.entry == entry
        )
        return max((way for way in ways if way), key=lambda way: way.length, default=None)

    def _counted(self, of: str) -> Stretches:
        """Return the stretches in which only the waits for one thing count, each MANY."""
        if of not in self._waiting:
            cost = Marked(frozenset(self._marks(of)))
            turns = WaitingTurns(self, of)
            after = self._after_mret(cost, turns)
            self._waiting[of] = Stretches(self.functions, turns, self.is_look, after, cost)
        return self._waiting[of]

    def _marks(self, of: str) -> Iterator[int]:
        """Give the instructions of the lines by which a turn waits."""
        waits = [each for each in self.annotations.waits if each.of == of]
        for address in self._addresses():
            for frame in self.sources.frames(address):
                text = self.sources.text(frame)
                if any(e.file == frame.file and (e.at or e.text) == text for e in waits):
                    yield address

    def _longest(self, stretches: Iterable[Stretch]) -> dict[str, Stretch]:
        """Return the longest that begins in each function."""
        longest: dict[str, Stretch] = {}
        for stretch in stretches:
            name = self._looking(stretch)
            if name not in longest or longest[name].way.length < stretch.way.length:
                longest[name] = stretch
        return longest

    def _looking(self, stretch: Stretch) -> str:
        """Name the function that a stretch begins in, or that has a function of a header in it."""
        frames = self.sources.frames(place(stretch.start))
        own = stretch.function.partition(".")[0]
        return next((f.function for f in frames if not f.file.endswith(".h")), own)

    def _described(self, stretch: Stretch, name: str = "", then: Way | None = None) -> Bound:
        """Describe a stretch, and what comes behind it."""
        frames = self.sources.frames(place(stretch.start))
        frame = next((each for each in frames if not each.file.endswith(".h")), frames[0])
        steps = (*self._steps(stretch.way), *self._steps(then))
        length = stretch.way.length + (then.length if then else 0)
        return Bound(frame, name or stretch.function, length, steps)

    def _steps(self, way: Way | None) -> Iterator[Step]:
        frame, count, times = Frame("", "", 0), 0, 1
        for address, own, turns in _flat(way):
            here = self.sources.at(place(address))
            if count and (here.function, turns) == (frame.function, times):
                count += own
                continue
            if count:
                yield Step(frame, count, times)
            frame, count, times = here, own, turns
        if count:
            yield Step(frame, count, times)

    def _addresses(self) -> set[int]:
        return {
            each.address
            for function in self.functions.values()
            for each in function.instructions.values()
        }

    def is_look(self, instruction: Instruction) -> bool:
        """Whether an instruction looks at the interrupts that are pending, or waits for one."""
        if instruction.kind is Kind.WAIT:
            frame = self.sources.at(instruction.address)
            return self.annotations.sleep(frame.file, self.sources.text(frame)) is None
        return instruction.address in self._looks

    def _is_look_at(self, address: int) -> bool:
        """Whether an instruction reads mip in a line that looks for all machine interrupts."""
        code = self.image.fetch(address, 4)
        word = int.from_bytes(code, "little")
        if word & 0x7F != 0x73 or word >> 20 != 0x344 or not word >> 7 & 31:
            return False
        text = self.sources.text(self.sources.at(address))
        return any(look in text for look in self.annotations.looks)

    # Indirect calls.

    @cached_property
    def _objects(self) -> Objects:
        return Objects(self.image.file)

    def _callees(self, address: int) -> tuple[int, ...]:
        sources = Sources(self.image.file, self._root, [address])
        frame = sources.at(address)
        table = frame.function
        if table in self.image.tables:
            return self._table(table)
        text = sources.text(frame)
        known = self.annotations.call(frame.file, text)
        if known is None:
            self._missing.append(
                f"{frame}: {frame.function}: not annotated what is called: {text} ({address:#x})"
            )
            return ()
        if known.table:
            return self._table(known.table)
        named = tuple(place for each in known.functions for place in self.image.addresses(each))
        if known.struct:
            found = (
                self._pointer(each) for each in self._objects.fields(known.struct, known.field)
            )
            return tuple(dict.fromkeys(each for each in (*found, *named) if each))
        if not named:
            self._missing.append(f"{frame}: there is none of what {text} calls: {known.functions}")
        return named

    def _jump(self, address: int) -> Jump | None:
        sources = Sources(self.image.file, self._root, [address])
        frame = sources.at(address)
        return self.annotations.jump(frame.file, sources.text(frame), frame.function)

    def _table(self, name: str) -> tuple[int, ...]:
        start, stop = self.image.tables.get(name, (0, 0))
        return tuple(dict.fromkeys(self.image.pointers(start, stop, 8, 0)))

    def _entries(self, name: str) -> int:
        """Return how many entries a table has, or could have: one takes 8 bytes at least."""
        start, stop = self.image.tables.get(name, (0, 0))
        types = (each for each in self._objects.objects.values() if start <= each.address < stop)
        sizes = [self._objects.structures[each.structure].size for each in types]
        return (stop - start) // (min(sizes) if sizes else 8)

    def _pointer(self, address: int) -> int:
        """Return the function that a field points to; 0: none, or it is set later."""
        data = self.image.fetch(address, 8)
        value = int.from_bytes(data, "little")
        return value if value in self.image.functions else 0

    def unused_pointers(self) -> list[str]:
        """Name each function to which there is a pointer, though no call that is known uses it.

        The hooks of a table without structs are all called by the call that goes through the table,
        wherever that is; if it is not in the graph, nor are they. Nor are those of boot.
        """
        structs = self._objects.objects
        by_name = set(self.annotations.boot.get(BOOT_FUNCTIONS, ()))
        boot = {
            place
            for structure, fields in self.annotations.boot.items()
            if structure in self._objects.structures
            for each in fields
            for place in self._objects.fields(structure, each)
        }
        hooks = [
            range(start, stop)
            for start, stop in self.image.tables.values()
            if not any(start <= each < stop for each in structs)
        ]
        return [
            f"{self.image.name(target)}: there is a pointer to it, but no call that uses it"
            for address, target in self.image.relocated.items()
            if target in self.image.functions
            and target not in self.functions
            and address not in boot
            and not any(address in table for table in hooks)
            and self.image.name(target).partition(".")[0] not in by_name
        ]

    def _unroll(self) -> None:
        """Give the caller of a recursion a callee of its own that does not call it."""
        pairs = [
            (caller, callee)
            for each in self.annotations.recursions
            for caller in self._named(each.caller)
            for callee in self._named(each.callee)
        ]
        for index, (caller, callee) in enumerate(pairs, 1):
            calls = {
                address: tuple(each for each in callees if each != caller.entry)
                for address, callees in callee.calls.items()
            }
            # What would be called once more is never come to: a call of nothing has no way on.
            number = callee.entry + index * COPY
            self.functions[number] = replace(callee, number=number, calls=calls)
            _redirect(caller, callee.entry, number)

    def _named(self, name: str) -> list[Function]:
        """Return the functions of a name; the compiler puts more behind it when it changes one."""
        return [each for each in self.functions.values() if each.name.partition(".")[0] == name]

    def _know_sizes(self) -> None:
        """Give calls with a constant text or size a callee of their own, which knows that."""
        self._know_sizes_of(self.annotations.texts)
        self._know_sizes_of(self.annotations.sizes)

    def _know_sizes_of(self, names: tuple[str, ...]) -> None:
        sized = {self.image.address(each) for each in names if self.image.has(each)}
        sized &= self.functions.keys()
        made: dict[tuple[int, int], int] = {}

        def known(entry: int, size: int) -> int:
            if (entry, size) not in made:
                number = made[entry, size] = entry + (_SIZES + size) * COPY
                function = self.functions[entry]
                calls = {
                    address: tuple(known(c, size) if c in sized else c for c in callees)
                    for address, callees in function.calls.items()
                }
                self.functions[number] = replace(function, number=number, calls=calls, size=size)
            return made[entry, size]

        for function in list(self.functions.values()):
            if function.entry in sized:
                continue
            for address, callees in list(function.calls.items()):
                if sized.intersection(callees):
                    size = self._size(function, address, callees[0])
                    if size is not None:
                        function.calls[address] = tuple(
                            known(c, size) if c in sized else c for c in callees
                        )

    def _size(self, function: Function, address: int, callee: int) -> int | None:
        """Return the length of the text, or the size, that a call is made with, if it is known."""
        if self.image.name(callee) in self.annotations.sizes:
            length = size_argument(function, address)
        else:
            length = text_argument(function, address, self.image)
        if length is None:
            frame = self.sources.at(place(address))
            bound = self.annotations.length(frame.file, self.sources.text(frame))
            length = None if bound is None else bound.length(self._limits)
        return length

    def _leave_out_ways(self) -> None:
        """Take those out of the graph that no values of the registers can take."""
        order(self.functions)
        opaque = {self.image.address(e) for e in self.annotations.faults if self.image.has(e)}
        ways = Ways(
            self.functions,
            lambda address: self.sources.at(address).file.endswith(".S"),
            frozenset(opaque),
            frozenset(self._zeros()),
        )
        for entry in (*(self.image.address(name) for name in self.entries), *self.continues):
            ways.of(entry)
        self.functions = ways.functions

    def _zeros(self) -> Iterator[int]:
        """Give the tests that find nothing in a system with several harts, if it is one."""
        if self._limits.get("MAX_HARTS", 1) == 1:
            return
        for function in self.functions.values():
            for each in function.instructions.values():
                if each.mnemonic in ("andi", "c.andi"):
                    frame = self.sources.at(each.address)
                    if self.annotations.zero(frame.file, self.sources.text(frame)) is not None:
                        yield each.address

    # Loops.

    def source(self, function: Function, loop: Loop) -> str:
        """Name the loop of the sources that a loop of the code is a part of."""
        return ":".join(map(str, self._source_loop(function, loop)))

    def most(self, function: Function, loop: Loop) -> int | None:
        """Return the most turns of a loop that can be gone round without a look; note if none."""
        found = self.known_most(function, loop)
        if found is None:
            file, line, name = self._source_loop(function, loop)
            text = self.sources.text(Frame(name, file, line))
            self._missing.append(
                f"{file}:{line}: {name}: a loop without a bound: {text} "
                f"({function.name} {place(loop.head):#x})"
            )
        return found

    def wait(self, function: Function, loop: Loop) -> Wait | None:
        """Return what a loop waits for, if it does."""
        file, line, name = self._source_loop(function, loop)
        return self.annotations.wait(file, self.sources.text(Frame(name, file, line)), name)

    def more(self, function: Function, loop: Loop, turn: int) -> int:
        """Nothing counts but instructions."""
        del function, loop, turn
        return 0

    def known_most(self, function: Function, loop: Loop, *, held: bool = False) -> int | None:
        """Return the most turns of a loop by its annotation, or by the table that is its own.

        Of a wait that is one, whatever it takes; `held`: while the shared lock is held.
        """
        if self.wait(function, loop) is not None:
            return 1
        file, line, name = self._source_loop(function, loop)
        text = self.sources.text(Frame(name, file, line)) if line else ""
        table = _FOR_EACH.match(text)
        if table or (file == _HOOKS and name in self.image.tables):
            return self._entries(table[1] if table else name)
        known = self.annotations.loop(file, text, name, held)
        if known is None:
            return None
        if known.most == LONGEST_STRING:
            return self.image.longest_string if function.size is None else function.size
        most = known.turns(self._limits)
        if known.bytes and function.size is not None:
            return min(most, function.size // known.bytes)
        return most

    def hooks(self, function: Function, loop: Loop) -> tuple[int, ...]:
        """Return the functions that a loop over a table calls, each once; none: it is no such.

        Of a table of structs they are those of the field that is called, 0 where it has none.
        """
        file, line, name = self._source_loop(function, loop)
        table = _FOR_EACH.match(self.sources.text(Frame(name, file, line)))
        start, stop = self.image.tables.get(table[1] if table else name, (0, 0))
        has_structs = any(start <= each < stop for each in self._objects.objects)
        if table and has_structs:
            return self._called_once(loop.body & function.indirect, table[1])
        if has_structs or not (table or file == _HOOKS):
            return ()
        return tuple(self.image.pointers(start, stop, 8, 0))

    def _called_once(self, calls: Iterable[int], table: str) -> tuple[int, ...]:
        """Return what a loop over a table of structs calls by a field, if it does so once each."""
        start, stop = self.image.tables[table]
        for address in calls:
            frame = self.sources.at(place(address))
            known = self.annotations.call(frame.file, self.sources.text(frame))
            if known is not None and known.once == table:
                fields = sorted(self._objects.fields(known.struct, known.field))
                return tuple(self._pointer(each) for each in fields if start <= each < stop)
        return ()

    def _source_loop(self, function: Function, loop: Loop) -> tuple[str, int, str]:
        """Return the loop of the sources: file, first line, function."""
        base = function.base or function
        if base is not function:
            # Of the loop that it is a copy of: some of its ways may have been left out.
            head = function.origins.get(loop.head, loop.head)
            return self._source_loop(base, self._base_loop(base, head))
        key = (function.number, loop.head, len(loop.body))
        if key not in self._source_loops:
            self._source_loops[key] = self._found_source_loop(function, loop)
        return self._source_loops[key]

    def _base_loop(self, base: Function, head: int) -> Loop:
        """Return the loop of a function by its head."""
        if base.number not in self._base_loops:
            found = self._base_loops[base.number] = {}
            ahead = loops(base)
            while ahead:
                loop = ahead.pop()
                found[loop.head] = loop
                ahead += loop.inner
        return self._base_loops[base.number][head]

    def _found_source_loop(self, function: Function, loop: Loop) -> tuple[str, int, str]:
        heads = [loop.head, *(a for a in loop.body if loop.head in function.successors[a])]
        frames = {a: self.sources.frames(place(a)) for a in loop.body}
        best: tuple[tuple[int, int], Frame] | None = None
        # A function that is inlined deeper has the inner loop.
        depths = {f: len(frames[a]) - i for a in heads for i, f in enumerate(frames[a])}
        for frame, depth in depths.items():
            if frame.file == _HOOKS and frame.function in self.image.tables:
                spans = [(frame.line, frame.line)]
            else:
                spans = self.sources.loops(frame.file)
            for first, last in spans:
                span = Span(frame, first, last)
                if frame.line not in range(first, last + 1):
                    continue
                inside = {a for a, each in frames.items() if any(f in span for f in each)}
                is_whole = len(inside) >= _MOSTLY * len(frames) and set(heads[1:]) <= inside
                order = (-depth, last - first)
                if is_whole and (best is None or order < best[0]):
                    best = (order, replace(frame, line=first))
        found = best[1] if best else self.sources.at(place(heads[-1]))
        return found.file, found.line, found.function

    def is_over(self, function: Function, loop: Loop, outer: str, *, held: bool = False) -> bool:
        """Whether the bound of a loop is that of all its turns while the outer one is gone round.

        `outer` names that as `source` does.
        """
        file, line, name = self._source_loop(function, loop)
        text = self.sources.text(Frame(name, file, line))
        known = self.annotations.loop(file, text, name, held)
        if known is None or not known.over or not outer:
            return False
        place_of_outer, _, _ = outer.rpartition(":")
        file_of_outer, _, line_of_outer = place_of_outer.rpartition(":")
        frame = Frame("", file_of_outer, int(line_of_outer))
        return file_of_outer == file and self.sources.text(frame) == known.over

    # Loads that may fault, and mret.

    def _faults(self, cost: Cost) -> dict[int, int]:
        """Return what a trap costs at each load that may fault: the way to its handler and back."""
        found: dict[int, int] = {}
        for name, handler in self.annotations.faults.items():
            if self.image.has(name) and self.image.has(handler):
                explored = explore(
                    Explorer(self.image), [self.image.address(handler)], lambda _: (), self._ends
                )
                alone = Stretches(explored, self, lambda _: False, cost=cost)
                way = alone.summaries[self.image.address(handler)].stop
                if way is None:
                    raise BoundsError(f"{handler} does not come to an end")
                found[self.image.address(name)] = way.length + cost.trap
        return found

    def _after_mret(self, cost: Cost, known: Loops | None = None) -> dict[int, int]:
        """Return what goes on behind each mret, if it is to machine mode."""
        if not self.continues:
            return {}
        explored = explore(Explorer(self.image), self.continues, lambda _: (), self._ends)
        alone = Stretches(explored, known or self, self.is_look, cost=cost)
        longest = max(alone.of_entry(each).way.length for each in self.continues)
        return {
            each.address: longest
            for function in self.functions.values()
            for each in function.instructions.values()
            if each.mnemonic == "mret"
        }


def _redirect(function: Function, old: int, new: int) -> None:
    for address, callees in function.calls.items():
        function.calls[address] = tuple(new if each == old else each for each in callees)


def _flat(way: Way | None, times: int = 1) -> Iterator[tuple[int, int, int]]:
    """Give address, instructions and turns of each piece of a way, callees and loops included."""
    while way is not None:
        rest = way.rest.length if way.rest else 0
        inner = way.inner.length if way.inner else 0
        own = way.length - rest - inner * way.times
        if own:
            yield way.place, own, times
        if way.inner is not None:
            yield from _flat(way.inner, times * way.times)
        way = way.rest
