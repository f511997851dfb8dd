# SPDX-License-Identifier: BSD-2-Clause
"""What the code does not say of itself: monitor/bounds.toml.

Each annotation is for a line of a source file, by its text, so that it stays true when lines move.
One whose line is not there any more is an error, and so is one that a monitor with all features has
no use for.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from cotenant import abi
from cotenant.errors import BoundsError

LONGEST_STRING = "longest string"
"""the bound of a loop over a text: as long as that is, or as the longest constant one"""

_TERM = r"(?:(?:\d+ \* )?[A-Z_]+|\d+)"
_MOST = re.compile(rf"{_TERM}(?: [+-] {_TERM})*")
_TERMS = re.compile(
    r"(?P<sign>[+-] )?(?:(?P<factor>\d+) \* )?(?:(?P<name>[A-Z_]+)|(?P<number>\d+))"
)
_LOOP = {"file", "text", "most", "why", "function", "over", "bytes", "held"}
_REASON = {"file", "text", "why"}
_WAIT = {"file", "text", "of", "why", "at", "function"}
_PIECE = {"file", "text", "most", "why"}
_CALL = {"file", "text", "struct", "field", "table", "functions", "once", "why"}
_JUMP = {"file", "text", "size", "entries", "table", "returns", "function"}


@dataclass(frozen=True)
class LoopBound:
    """How often a loop is gone through at most each time that it is come to."""

    file: str
    text: str
    most: int | str
    """a number, LONGEST_STRING, or like `2 * MAX_VHARTS_PER_HART + 1`, of abi/limits.h"""
    why: str
    function: str = ""
    over: str = ""
    """the loop around it: `most` is that of all turns together while that one is gone round"""
    bytes: int = 0
    """that a turn takes of the size that the function is called with"""
    held: bool = False
    """a loop that looks at interrupts: `most` is that while the shared lock is held"""

    def turns(self, limits: Mapping[str, int]) -> int:
        """Return the number; `limits` has those that are lower in the system in question."""
        return _number(self.most, limits, f"{self.file}: {self.text}")


@dataclass(frozen=True)
class Wait:
    """A loop that goes round until another hart has done something: no number of its own turns.

    One turn of it counts, that in which the other hart does it.
    """

    file: str
    text: str
    of: str
    """what is waited for; or RETRY: nothing, another hart has changed a word at the same moment"""
    why: str
    at: str = ""
    """a line of the loop: only turns through it wait"""
    function: str = ""


RETRY = "retry"
BOOT_FUNCTIONS = "functions"


@dataclass(frozen=True)
class Sleep:
    """A WFI in such a wait: it is over when what is waited for has come, and is no look."""

    file: str
    text: str
    why: str


@dataclass(frozen=True)
class Zero:
    """A test of a bit in memory (`andi`) that finds it clear, in systems with several harts."""

    file: str
    text: str
    why: str


@dataclass(frozen=True)
class Lock:
    """The shared lock: the function that takes it, which returns whether it has, and the other."""

    take: str = ""
    release: str = ""
    never: tuple[str, ...] = ()
    """functions that are not come to while it is held, though the graph has ways to them"""


@dataclass(frozen=True)
class TextBound:
    """How long the text that a call is made with is at most, with its end."""

    file: str
    text: str
    most: int | str
    why: str

    def length(self, limits: Mapping[str, int]) -> int:
        """Return the number."""
        return _number(self.most, limits, f"{self.file}: {self.text}")


@dataclass(frozen=True)
class Callees:
    """What an indirect call calls: a field of all objects of a struct, a table, or functions.

    Functions may be named beside a struct: those that a field gets while the monitor runs, of which
    a monitor has what it has.
    """

    file: str
    text: str
    struct: str = ""
    field: str = ""
    table: str = ""
    functions: tuple[str, ...] = ()
    once: str = ""
    """a table of such structs: a loop over it calls that of each of them once at most"""


@dataclass(frozen=True)
class Jump:
    """A jump to one of the entries of a table of instructions."""

    file: str
    text: str
    size: int
    """the bytes of an entry"""
    entries: int
    table: str = ""
    """where the first one is; without it, behind the jump"""
    returns: str = ""
    """the register by which an entry jumps back behind the jump, if it does"""
    function: str = ""


@dataclass(frozen=True)
class Recursion:
    """`caller` calls `callee` again, which does not call `caller` a second time."""

    caller: str
    callee: str
    why: str


Annotation = LoopBound | Callees | Jump | TextBound | Wait | Sleep | Zero
Annotated = TypeVar("Annotated", LoopBound, Callees, Jump, TextBound, Wait, Sleep, Zero)


@dataclass
class Annotations:
    """All of them, and which were of use."""

    entries: dict[str, str]
    ends: tuple[str, ...]
    looks: tuple[str, ...]
    faults: dict[str, str]
    texts: tuple[str, ...]
    """functions whose first argument is a text"""
    sizes: tuple[str, ...]
    """functions whose third argument is a size"""
    recursions: tuple[Recursion, ...]
    loops: list[LoopBound]
    calls: list[Callees]
    jumps: list[Jump] = field(default_factory=list)
    lengths: list[TextBound] = field(default_factory=list)
    continues: tuple[str, ...] = ()
    """where mret can go on in machine mode, with interrupts off"""
    waits: list[Wait] = field(default_factory=list)
    sleeps: list[Sleep] = field(default_factory=list)
    zeros: list[Zero] = field(default_factory=list)
    lock: Lock = Lock()
    boot: dict[str, list[str]] = field(default_factory=dict)
    """fields of structs with functions that are called at boot alone, and BOOT_FUNCTIONS"""
    used: set[Annotation] = field(default_factory=set)

    def loop(self, file: str, text: str, function: str, held: bool = False) -> LoopBound | None:
        """Return the bound of a loop that begins in such a line; `held`: while the lock is held."""
        those = (e for e in self._at(self.loops, file, text) if held or not e.held)
        return self._first(each for each in those if each.function in ("", function))

    def wait(self, file: str, text: str, function: str) -> Wait | None:
        """Return what a loop that begins in such a line waits for."""
        those = self._at(self.waits, file, text)
        return self._first(each for each in those if each.function in ("", function))

    def zero(self, file: str, text: str) -> Zero | None:
        """Return the test of such a line, if it is known to find nothing."""
        return self._first(self._at(self.zeros, file, text))

    def sleep(self, file: str, text: str) -> Sleep | None:
        """Return the WFI of such a line, if it is a part of a wait."""
        return self._first(self._at(self.sleeps, file, text))

    def call(self, file: str, text: str) -> Callees | None:
        """Return what the call in such a line calls."""
        return self._first(e for e in self.calls if e.file == file and e.text in text)

    def jump(self, file: str, text: str, function: str) -> Jump | None:
        """Return where the jump in such a line goes."""
        those = self._at(self.jumps, file, text)
        return self._first(each for each in those if each.function in ("", function))

    def length(self, file: str, text: str) -> TextBound | None:
        """Return the bound of the text of the call in such a line."""
        return self._first(self._at(self.lengths, file, text))

    @staticmethod
    def _at(those: Iterable[Annotated], file: str, text: str) -> Iterator[Annotated]:
        """Give those of such a line."""
        return (each for each in those if each.file == file and each.text == text)

    def _first(self, those: Iterable[Annotated]) -> Annotated | None:
        """Return the first, which is of use then."""
        found = next(iter(those), None)
        if found is not None:
            self.used.add(found)
        return found

    @property
    def every(self) -> list[Annotation]:
        """All that are for a line."""
        return [
            *self.loops, *self.calls, *self.jumps, *self.lengths, *self.waits, *self.sleeps,
            *self.zeros,
        ]  # fmt: skip

    @property
    def unused(self) -> list[Annotation]:
        """Those that were of no use to the monitors that were looked at."""
        return [each for each in self.every if each not in self.used]


def read(file: Path) -> Annotations:
    """Read and check a file of annotations, whose folder is that of the sources."""
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BoundsError(f"{file} cannot be read: {error}") from error
    found = Annotations(
        values.get("entries", {}),
        tuple(values.get("ends", ())),
        tuple(values.get("looks", ())),
        values.get("faults", {}),
        tuple(values.get("texts", ())),
        tuple(values.get("sizes", ())),
        tuple(Recursion(**each) for each in values.get("recursion", ())),
        [_loop(each) for each in values.get("loop", ())],
        [_call(each) for each in values.get("call", ())],
        [_jump(each) for each in values.get("jump", ())],
        [_length(each) for each in values.get("length", ())],
        tuple(values.get("continues", ())),
        [_wait(each) for each in values.get("wait", ())],
        [Sleep(**_whole(each)) for each in values.get("sleep", ())],
        [Zero(**_whole(each)) for each in values.get("zero", ())],
        _lock(values.get("lock", {})),
        values.get("boot", {}),
    )
    for annotation in found.every:
        _check(file.parent / annotation.file, annotation)
    return found


def _number(most: int | str, limits: Mapping[str, int], whose: str) -> int:
    """Return a number, or what an expression of a limit comes to."""
    if isinstance(most, int):
        return most
    if _MOST.fullmatch(most) is None:
        raise BoundsError(f"{whose}: what is {most!r}?")
    found = 0
    for term in _TERMS.finditer(most):
        times = int(term["factor"] or 1)
        number = int(term["number"]) if term["number"] else times * _limit(term["name"], limits)
        found += -number if term["sign"] == "- " else number
    return found


def _limit(name: str, limits: Mapping[str, int]) -> int:
    try:
        return limits[name] if name in limits else abi.limit(name)
    except KeyError:
        raise BoundsError(f"abi/limits.h has no COTENANT_{name}") from None


def _check(source: Path, annotation: Annotation) -> None:
    lines = source.read_text(encoding="utf-8").splitlines() if source.is_file() else []
    over = annotation.over if isinstance(annotation, LoopBound) else ""
    at = annotation.at if isinstance(annotation, Wait) else ""
    for text in (annotation.text, over, at):
        if not any(text in line for line in lines):
            raise BoundsError(f"{annotation.file} has no line {text!r}: is that out of date?")


def _loop(values: dict[str, Any]) -> LoopBound:
    _check_keys(values, _LOOP, {"file", "text", "most", "why"})
    return LoopBound(
        values["file"], values["text"], values["most"], values["why"],
        values.get("function", ""), values.get("over", ""), values.get("bytes", 0),
        values.get("held", False),
    )  # fmt: skip


def _wait(values: dict[str, Any]) -> Wait:
    _check_keys(values, _WAIT, _WAIT - {"at", "function"})
    return Wait(**values)


def _lock(values: dict[str, Any]) -> Lock:
    _check_keys(values, {"take", "release", "never"}, set())
    return Lock(
        values.get("take", ""), values.get("release", ""), tuple(values.get("never", ()))
    )  # fmt: skip


def _whole(values: dict[str, Any]) -> dict[str, Any]:
    """Check that it says of a line why, and nothing else."""
    _check_keys(values, _REASON, _REASON)
    return values


def _call(values: dict[str, Any]) -> Callees:
    _check_keys(values, _CALL, {"file", "text"})
    if not values.keys() & {"struct", "table", "functions"}:
        raise BoundsError(f"the annotation of {values['text']!r} does not say what is called")
    return Callees(
        values["file"], values["text"], values.get("struct", ""), values.get("field", ""),
        values.get("table", ""), tuple(values.get("functions", ())), values.get("once", ""),
    )  # fmt: skip


def _length(values: dict[str, Any]) -> TextBound:
    _check_keys(values, _PIECE, _PIECE)
    return TextBound(**values)


def _jump(values: dict[str, Any]) -> Jump:
    _check_keys(values, _JUMP, {"file", "text", "size", "entries"})
    return Jump(**values)


def _check_keys(values: dict[str, Any], known: set[str], needed: set[str]) -> None:
    wrong = values.keys() - known | needed - values.keys()
    if wrong:
        raise BoundsError(f"an annotation has no or unknown {', '.join(sorted(wrong))}: {values}")
