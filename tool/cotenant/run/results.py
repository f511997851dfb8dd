# SPDX-License-Identifier: BSD-2-Clause
"""What a run tells about each tenant: the monitor's counters and what the tenant printed."""

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from cotenant.run.crash import Crash

_TIME_LINE = re.compile(r"stats time_ns=(\d+)")
_TENANT_LINE = re.compile(r"tenant (\S+)((?: \w+=\S+)+)")
_LATENCY_LINE = re.compile(
    r"^.*?latency: samples=(?P<samples>\d+) min=(?P<min>[\d.]+)us avg=(?P<avg>[\d.]+)us"
    r" max=(?P<max>[\d.]+)us missed=(?P<missed>\d+)\n",
    re.MULTILINE,
)
_COUNTERS = ("cpu_ns", "switches", "interrupts", "faults", "starts", "hangs", "only_faults")


@dataclass(frozen=True)
class TenantStats:
    """One tenant's line of the monitor's answer to `stats`."""

    state: str = "unknown"
    cpu_ns: int = 0
    switches: int = 0
    interrupts: int = 0
    faults: int = 0
    starts: int = 0
    """how often it was started, and how often it has hung, since boot"""
    hangs: int = 0
    only_faults: int = 0
    """1: it has done nothing but fault, in this life"""


@dataclass(frozen=True)
class Stats:
    """The monitor's answer to `stats`: `time_ns` is the machine's own time, in nanoseconds."""

    time_ns: int = 0
    tenants: dict[str, TenantStats] = field(default_factory=dict)


def parse_stats(lines: Iterable[str]) -> Stats:
    """Parse the lines between the command `stats` and `stats end`; other lines are skipped."""
    time_ns = 0
    tenants = {}
    for line in lines:
        if found := _TIME_LINE.fullmatch(line.strip()):
            time_ns = int(found[1])
        elif found := _TENANT_LINE.fullmatch(line.strip()):
            values = dict(item.split("=", 1) for item in found[2].split())
            counters = {name: int(values.get(name, "0")) for name in _COUNTERS}
            tenants[found[1]] = TenantStats(state=values.get("state", "unknown"), **counters)
    return Stats(time_ns, tenants)


@dataclass(frozen=True)
class Latency:
    """The latency application's last line: cumulative since the tenant's start."""

    samples: int
    min_us: float
    avg_us: float
    max_us: float
    missed: int


def parse_latency(output: str) -> Latency | None:
    """Return the last complete `latency:` line of a tenant's output, or None."""
    lines = deque(_LATENCY_LINE.finditer(output), maxlen=1)
    if not lines:
        return None
    last = lines.pop()
    return Latency(
        samples=int(last["samples"]),
        min_us=float(last["min"]),
        avg_us=float(last["avg"]),
        max_us=float(last["max"]),
        missed=int(last["missed"]),
    )


@dataclass(frozen=True)
class CommandResult:
    """What a command typed into a tenant's shell gave; no exit code if the tenant ended in it."""

    command: str
    exit_code: int | None
    output: str


@dataclass
class TenantResult:
    """All that a batch run reports of one tenant."""

    stats: TenantStats
    ready: bool
    output: str
    commands: list[CommandResult] = field(default_factory=list)
    expected: bool = True
    """whether it should run at all: not if it was never started"""
    crash: Crash | None = None
    """the last one, if it crashed at all"""
    symptoms: tuple[str, ...] = ()
    """signs that its image is not for where it runs"""

    def failure(self) -> str | None:
        """Say what was not as it should be, or None."""
        if self.crash is not None and self.crash.by_itself:
            seconds = self.stats.cpu_ns / 1e9
            return f"failed: it shut down and said so, after {seconds:.3f} s of its time"
        how = f": {self.crash}" if self.crash else ""
        if self.expected and not self.ready:
            return f"never became ready (state {self.stats.state}){how}"
        if self.stats.state == "crashed":
            return f"crashed{how}"
        if self.stats.only_faults:
            return "; ".join(("does nothing but fault", *self.symptoms))
        failed = next((each for each in self.commands if each.exit_code not in (0, None)), None)
        if failed:
            return f"command {failed.command!r} ended with exit code {failed.exit_code}"
        return None

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        app = parse_latency(self.output)
        return {
            **asdict(self.stats),
            "ready": self.ready,
            "output": self.output,
            "app": asdict(app) if app else None,
            "crash": self.crash.as_dict() if self.crash else None,
            "symptoms": list(self.symptoms),
            "commands": [asdict(each) for each in self.commands],
        }


@dataclass
class RunResult:
    """The outcome of a batch run; `problem` is a sentence when something went wrong."""

    tenants: dict[str, TenantResult]
    time_ns: int
    problem: str | None = None
    counted: bool = False
    """whether time was counted in instructions; else the host's scheduling is in all times"""

    @property
    def ok(self) -> bool:
        """Whether the run went to its end and every tenant did as expected."""
        return not self.problems()

    def problems(self) -> list[str]:
        """Return a sentence for each thing that went wrong."""
        problems = [self.problem] if self.problem else []
        for name, tenant in self.tenants.items():
            if failure := tenant.failure():
                problems.append(f"tenant {name}: {failure}")
        return problems

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "ok": self.ok,
            "problems": self.problems(),
            "time_ns": self.time_ns,
            "counted": self.counted,
            "tenants": {name: tenant.as_dict() for name, tenant in self.tenants.items()},
        }
