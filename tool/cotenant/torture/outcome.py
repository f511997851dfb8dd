# SPDX-License-Identifier: BSD-2-Clause
"""What a round gave: counts from what the tenants printed, and whether a promise was broken."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cotenant.torture.rounds import KEEPER, WITNESS

OUTCOMES = ("done", "refused", "faulted")
MOST_ADDED = 1200
"""instructions by which a wake-up of the witness may be later than in quiet times"""
MOST_ADDED_ALARM = 1800

_BEGINS = re.compile(r"^torture: begins at=\d+\n", re.MULTILINE)
_AT = re.compile(r"^torture: at=\d+((?: \w+=\d+/\d+/\d+)+)\n", re.MULTILINE)
_KIND = re.compile(r"(\w+)=(\d+)/(\d+)/(\d+)")
_STORM = re.compile(r"^storm: (\d+) instructions, (\d+) exceptions\n", re.MULTILINE)
_WITNESS = re.compile(
    r"^neighbour: wakes=(\d+) worst=(\d+) alarms=(\d+) worst-alarm=(\d+) sweeps=(\d+)\n",
    re.MULTILINE,
)
_ROUNDS = re.compile(r"^fp-witness: rounds=(\d+) sweeps=(\d+)\n", re.MULTILINE)
_BAD = re.compile(r"(FAIL [\w-]+: .*|unexpected trap: .*)\n")
_CRASH = re.compile(r"^monitor: tenant (\S+): (crashed.*)\n", re.MULTILINE)
_QUIET = slice(1, 3)
_DONE = re.compile(r"^torture: done\n", re.MULTILINE)

Counts = dict[str, list[int]]


def counts_of(output: str) -> Counts:
    """Return how the actions of a tenant ended, by kind, over all of its lives."""
    sums: Counts = {}
    for life in _BEGINS.split(output)[1:]:
        reports = _AT.findall(life)
        if reports:
            for kind, *numbers in _KIND.findall(reports[-1]):
                add(sums, {kind: list(map(int, numbers))})
    return sums


def machine_counts(output: str) -> Counts:
    """Return the same of a tenant in machine mode."""
    sums: Counts = {}
    before = 0
    for done, exceptions in _STORM.findall(output):
        if int(done) <= before:  # it has begun anew
            before = 0
        before = int(done)
        sums["machine"] = [int(done) - int(exceptions), 0, int(exceptions)]
    return sums


def add(sums: Counts, more: Mapping[str, Iterable[int]]) -> None:
    """Add counts to others."""
    for kind, numbers in more.items():
        old = sums.get(kind, [0] * len(OUTCOMES))
        sums[kind] = [one + other for one, other in zip(old, numbers, strict=True)]


@dataclass
class Witnessed:
    """What the honest tenants have seen; times in nanoseconds of the machine."""

    wakes: int = 0
    alarms: int = 0
    quiet: int = 0
    """the worst wake-up before the attacks, and during all of the round"""
    worst: int = 0
    quiet_alarm: int = 0
    worst_alarm: int = 0
    sweeps: int = 0
    rounds: int = 0

    @classmethod
    def of(cls, outputs: Mapping[str, str]) -> "Witnessed":
        """Read what they have reported."""
        reports = [list(map(int, each)) for each in _WITNESS.findall(outputs.get(WITNESS, ""))]
        rounds = [int(each[0]) for each in _ROUNDS.findall(outputs.get(KEEPER, ""))]
        found = cls(rounds=rounds[-1] if rounds else 0)
        # Of the first one tenants were still being started.
        quiet, later = reports[_QUIET], reports[1:]
        found.wakes = sum(each[0] for each in reports)
        found.alarms = sum(each[2] for each in reports)
        found.sweeps = reports[-1][4] if reports else 0
        if quiet:
            found.quiet = max(each[1] for each in quiet)
            found.quiet_alarm = max(each[3] for each in quiet)
            found.worst = max(each[1] for each in later)
            found.worst_alarm = max(each[3] for each in later)
        return found

    def added(self, instruction_ns: int) -> tuple[int, int]:
        """Return by how many instructions the worst wake-up, and alarm, were later."""
        return (
            (self.worst - self.quiet) // instruction_ns,
            (self.worst_alarm - self.quiet_alarm) // instruction_ns,
        )


@dataclass(frozen=True)
class Failure:
    """A broken promise: what kind of, of whom, and what was seen."""

    kind: str
    """escape, witness, late, tenant, silent, ended"""
    tenant: str
    said: str

    def is_like(self, other: "Failure | None") -> bool:
        """Whether it is the same promise that is broken."""
        return other is not None and (self.kind, self._who) == (other.kind, other._who)

    @property
    def _who(self) -> str:
        return self.tenant if self.kind in ("witness", "late") else ""

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"kind": self.kind, "tenant": self.tenant, "said": self.said}


def find_failure(outputs: Mapping[str, str], monitor_log: str) -> Failure | None:
    """Look for what no tenant may print, and for tenants that ended."""
    honest = (WITNESS, KEEPER)
    for name in honest:
        if found := _BAD.search(outputs.get(name, "")):
            return Failure("witness", name, found[1])
    for name, output in outputs.items():
        if found := _BAD.search(output):
            kind = "escape" if "escape: " in found[1] else "tenant"
            return Failure(kind, name, found[1])
    for name, how in _CRASH.findall(monitor_log):
        if name in honest:
            return Failure("witness", name, how)
        if name.startswith("hostile"):
            return Failure("tenant", name, how)
    return None


def is_done(output: str) -> bool:
    """Whether a hostile tenant has come to its end."""
    return _DONE.search(output) is not None


@dataclass
class Outcome:
    """All that a round gave."""

    counts: Counts = field(default_factory=dict)
    witnessed: Witnessed = field(default_factory=Witnessed)
    failure: Failure | None = None
    blocks: set[int] = field(default_factory=set)
    lives: int = 0
    switches: int = 0
    told: list[str] = field(default_factory=list)

    @property
    def actions(self) -> int:
        """How many actions were done."""
        return sum(map(sum, self.counts.values()))
