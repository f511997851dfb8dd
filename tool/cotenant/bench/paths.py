# SPDX-License-Identifier: BSD-2-Clause
"""The monitor's paths, instruction by instruction: from each trap to the return from it.

The monitor runs with interrupts off, so a path's length is what it can delay an interrupt by. A
path ends early where the hart waits (WFI in the monitor, when no vhart can run); what comes after
is a path of its own, `idle`.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import median, mode

from cotenant.bench.monitor_code import MonitorCode
from cotenant.bench.qemu_trace import QemuTrace
from cotenant.bench.systems import TIMEOUT, built
from cotenant.bounds import annotations
from cotenant.bounds.monitor import ANNOTATIONS
from cotenant.errors import BenchError
from cotenant.run.launch import Launch
from cotenant.run.session import Session

_ENTRIES = (
    "trap_entry",
    "machine_entry",
    "machine_confined_entry",
    "machine_plain_entry",
)
_IDLE = "idle"
# QEMU's names of the traps that come to the monitor.
_REASONS = {
    "m_timer": "timer interrupt",
    "m_external": "external interrupt",
    "m_software": "software interrupt",
    "supervisor_ecall": "SBI call",
    "illegal_instruction": "WFI or illegal instruction",
    "fault_load": "load from a device",
    "fault_store": "store to a device",
    "exec_fault": "fetch fault",
}
_SHOWN_FUNCTIONS = 4
_POLL_INTERVAL = 0.05


@dataclass(frozen=True)
class MonitorPath:
    """One way through the monitor, and how often it was taken."""

    reason: str
    """the trap"""
    offsets: tuple[int, ...]
    count: int
    code: MonitorCode

    @property
    def length(self) -> int:
        """Instructions, the first and the last (mret) included."""
        return len(self.offsets)

    @cached_property
    def functions(self) -> Counter[str]:
        """Instructions by function."""
        return Counter(self.code.function(offset) for offset in self.offsets)

    @cached_property
    def switches(self) -> bool:
        """Whether another tenant runs after it."""
        return any(self.code.loads_world(offset) for offset in self.offsets)

    @property
    def kind(self) -> str:
        """The trap, and whether the world was switched."""
        return f"{self.reason}, world switch" if self.switches else self.reason

    @property
    def place(self) -> str:
        """The function in which most of it was spent."""
        return self.functions.most_common(1)[0][0]

    @property
    def profile(self) -> str:
        """The functions in which most of it was spent, with their instructions."""
        most = self.functions.most_common(_SHOWN_FUNCTIONS)
        return " ".join(f"{name}:{number}" for name, number in most)

    @property
    def longest_stretch(self) -> int:
        """Instructions between two looks at all pending interrupts, or from one to an end."""
        return self._longest_between(self.code.looks_for_interrupts)

    @property
    def longest_timer_stretch(self) -> int:
        """The same, where a look at the timer interrupt alone counts, too."""
        return self._longest_between(self.code.looks_for_timer)

    def _longest_between(self, looks: Callable[[int], bool]) -> int:
        longest = length = 0
        for offset in self.offsets:
            length += 1
            if looks(offset):
                longest, length = max(longest, length), 0
        return max(longest, length)


@dataclass(frozen=True)
class Kind:
    """All paths of one kind."""

    name: str
    count: int
    shortest: int
    median: float
    longest: MonitorPath


@dataclass
class _Hart:
    """The path that a hart is on."""

    reason: str = ""
    next_reason: str = ""
    offsets: list[int] | None = None


class PathRecorder:
    """Collects the paths of one machine while its trace is on.

    `mark` is QEMU's name of a trap, which a tenant may take by itself: `marked` has how many paths
    there were before each, but for the last one.
    """

    def __init__(self, launch: Launch, mark: str | None = None) -> None:
        self.mark = mark
        self.marked: list[int] = []
        monitor = launch.built.monitor
        known = annotations.read(ANNOTATIONS)
        sleeps = [(each.file, each.text) for each in known.sleeps]
        self._code = MonitorCode(monitor.elf, monitor.image, known.looks, sleeps)
        self._base = launch.built.system.monitor.base
        self._entries = {
            address for name in _ENTRIES if (address := self._code.find(name)) is not None
        }
        self._counts: Counter[tuple[str, tuple[int, ...]]] = Counter()
        self._harts: defaultdict[int, _Hart] = defaultdict(_Hart)
        self.trace = QemuTrace(
            self._base, self._code.size, self._executed, self._trapped, self._taken_back
        )

    @property
    def paths(self) -> list[MonitorPath]:
        """The paths that were complete when the trace stopped, the longest first."""
        found = [
            MonitorPath(reason, offsets, count, self._code)
            for (reason, offsets), count in self._counts.items()
        ]
        return sorted(found, key=lambda path: path.length, reverse=True)

    @property
    def total(self) -> int:
        """How many paths there were so far."""
        return self._counts.total()

    def _executed(self, number: int, address: int) -> None:
        hart = self._harts[number]
        offset = address - self._base
        if offset in self._entries:
            self._finish(hart)
            hart.reason, hart.offsets = hart.next_reason, []
        if hart.offsets is None:
            return
        hart.offsets.append(offset)
        if self._code.is_wfi(offset):
            self._finish(hart)
            hart.reason, hart.offsets = _IDLE, []

    def _trapped(self, number: int, name: str) -> None:
        self._harts[number].next_reason = _REASONS.get(name, name)
        if name == self.mark:
            self.marked.append(self.total)

    def _taken_back(self, number: int) -> None:
        offsets = self._harts[number].offsets
        if offsets:
            offsets.pop()

    def _finish(self, hart: _Hart) -> None:
        if hart.offsets:
            self._counts[hart.reason, tuple(hart.offsets)] += 1


def record(
    description: str,
    *,
    sstc: bool,
    icount: int | None,
    prepare: Callable[[Session], None],
    total: int,
) -> list[MonitorPath]:
    """Boot a system, `prepare` it, and return the next `total` paths, the longest first.

    Without `icount`, which is not for several harts, QEMU lets them take turns in one thread.
    """
    with built(description, sstc=sstc) as launch:
        recorder = PathRecorder(launch)
        _trace(launch, recorder, icount, prepare, lambda: recorder.total, total)
    return recorder.paths


def between(
    mark: str, description: str, *, sstc: bool, prepare: Callable[[Session], None], total: int
) -> int:
    """Boot a system, `prepare` it, and return how many paths most often follow a mark.

    `mark` is QEMU's name of a trap, `total` how many of them are looked at.
    """
    with built(description, sstc=sstc) as launch:
        recorder = PathRecorder(launch, mark)
        _trace(launch, recorder, 0, prepare, lambda: len(recorder.marked), total)
    return mode(after - before for before, after in pairwise(recorder.marked))


def _trace(
    launch: Launch,
    recorder: PathRecorder,
    icount: int | None,
    prepare: Callable[[Session], None],
    count: Callable[[], int],
    total: int,
) -> None:
    """Trace a system, once it is prepared, until the count of what is looked for is `total`."""
    turns = () if icount is not None else ("-accel", "tcg,thread=single")
    machine = launch.machine(icount, (*recorder.trace.arguments, *turns))
    with recorder.trace, Session(machine, launch.ports, timeout=TIMEOUT) as session:
        prepare(session)
        deadline = time.monotonic() + TIMEOUT
        recorder.trace.start()
        while count() < total:
            if session.console.ended:
                raise BenchError(f"the machine ended after {count()} of {total}")
            if time.monotonic() > deadline:
                raise BenchError(f"only {count()} of {total} came within {TIMEOUT:g} s")
            time.sleep(_POLL_INTERVAL)
        recorder.trace.stop()


def kinds(paths: Iterable[MonitorPath]) -> list[Kind]:
    """Group paths by kind, the most frequent kind first."""
    groups: dict[str, list[MonitorPath]] = {}
    for path in paths:
        groups.setdefault(path.kind, []).append(path)
    found = []
    for name, members in groups.items():
        lengths = [path.length for path in members for _ in range(path.count)]
        longest = max(members, key=lambda path: path.length)
        found.append(Kind(name, len(lengths), min(lengths), median(lengths), longest))
    return sorted(found, key=lambda kind: kind.count, reverse=True)
