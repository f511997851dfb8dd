# SPDX-License-Identifier: BSD-2-Clause
"""The report of a campaign: as JSON, which is merged and gone on with, and for people."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from cotenant import durable
from cotenant.errors import RunError
from cotenant.torture.outcome import OUTCOMES, Counts, Outcome, Witnessed, add
from cotenant.torture.rounds import KINDS, SPICES
from cotenant.torture.steering import Merits

JSON = "report.json"
MARKDOWN = "report.md"
_FORM = 1
_SHOWN_FUNCTIONS = 20


@dataclass
class Finding:
    """A failure, how to repeat it, and what it was shrunk to."""

    round: int
    kind: str
    tenant: str
    said: str
    command: str
    shrunk: str = ""
    """the command that repeats the least of it"""
    actions: list[str] = field(default_factory=list)
    """what is done then, in words"""


@dataclass
class Report:
    """Sums over rounds of a campaign, or of several."""

    boards: dict[str, int] = field(default_factory=dict)
    """actions on each"""
    seeds: list[int] = field(default_factory=list)
    harts: list[int] = field(default_factory=list)
    rounds: int = 0
    seconds: float = 0.0
    """of the host"""
    counts: Counts = field(default_factory=dict)
    lives: int = 0
    switches: int = 0
    witnessed: Witnessed = field(default_factory=Witnessed)
    added: int = 0
    """instructions by which the worst wake-up, and alarm, came later than in quiet times"""
    added_alarm: int = 0
    monitor: str = ""
    """checksum of the monitor whose blocks are named"""
    commit: str = ""
    blocks: int = 0
    """how many the monitor has"""
    ran: set[str] = field(default_factory=set)
    idle: list[tuple[str, int, int]] = field(default_factory=list)
    """functions, the least covered first: how many of how many blocks ran"""
    merits: Merits = field(default_factory=Merits)
    findings: list[Finding] = field(default_factory=list)

    @property
    def actions(self) -> int:
        """How many were done."""
        return sum(map(sum, self.counts.values()))

    def count(self, outcome: Outcome, board: str, added: tuple[int, int]) -> None:
        """Add a round."""
        self.rounds += 1
        self.boards[board] = self.boards.get(board, 0) + outcome.actions
        add(self.counts, outcome.counts)
        self.lives += outcome.lives
        self.switches += outcome.switches
        self._witness(outcome.witnessed)
        self.added = max(self.added, added[0])
        self.added_alarm = max(self.added_alarm, added[1])

    def _witness(self, more: Witnessed) -> None:
        mine = self.witnessed
        for name in ("wakes", "alarms", "sweeps", "rounds"):
            setattr(mine, name, getattr(mine, name) + getattr(more, name))
        for name in ("quiet", "worst", "quiet_alarm", "worst_alarm"):
            setattr(mine, name, max(getattr(mine, name), getattr(more, name)))

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self) | {
            "form": _FORM,
            "actions": self.actions,
            "ran": sorted(self.ran),
            "merits": self.merits.as_dict(),
        }

    @classmethod
    def of(cls, data: dict[str, Any]) -> "Report":
        """Read the JSON form. Raises RunError for another one."""
        if data.get("form") != _FORM:
            raise RunError("this is no report of a campaign")
        fields = {key: value for key, value in data.items() if key not in ("form", "actions")}
        return cls(
            **fields
            | {
                "witnessed": Witnessed(**data["witnessed"]),
                "ran": set(data["ran"]),
                "idle": [tuple(each) for each in data["idle"]],
                "merits": Merits.of(data["merits"]),
                "findings": [Finding(**each) for each in data["findings"]],
            }
        )

    def write(self, folder: Path) -> None:
        """Write both forms; a run that is killed leaves those of its last round."""
        folder.mkdir(parents=True, exist_ok=True)
        texts = {JSON: json.dumps(self.as_dict(), indent=1) + "\n", MARKDOWN: markdown(self)}
        for name, text in texts.items():
            with durable.replacing(folder / name) as file:
                file.write(text.encode())


def read(place: Path) -> Report:
    """Read a report, or that in a folder. Raises RunError."""
    file = place / JSON if place.is_dir() else place
    try:
        return Report.of(json.loads(file.read_text()))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{file} is no report of a campaign: {error}") from error


def merge(reports: Sequence[Report]) -> Report:
    """Make one of the reports of several campaigns, or of shards of one."""
    whole = Report()
    monitors = {each.monitor for each in reports}
    whole.monitor = monitors.pop() if len(monitors) == 1 else ""
    commits = {each.commit for each in reports}
    whole.commit = ", ".join(sorted(commits))
    for each in reports:
        whole.rounds += each.rounds
        whole.seconds += each.seconds
        whole.lives += each.lives
        whole.switches += each.switches
        add(whole.counts, each.counts)
        whole._witness(each.witnessed)
        whole.added = max(whole.added, each.added)
        whole.added_alarm = max(whole.added_alarm, each.added_alarm)
        for board, actions in each.boards.items():
            whole.boards[board] = whole.boards.get(board, 0) + actions
        whole.findings += each.findings
        whole.merits.join(each.merits)
        if whole.monitor:
            whole.blocks = each.blocks
            whole.ran |= each.ran
    whole.seeds = sorted({seed for each in reports for seed in each.seeds})
    whole.harts = sorted({harts for each in reports for harts in each.harts})
    whole.idle = _idle_of_all(reports) if whole.monitor else []
    return whole


def _idle_of_all(reports: Sequence[Report]) -> list[tuple[str, int, int]]:
    """Blocks are known by name, so a function's can be counted anew."""
    totals = {name: total for each in reports for name, _, total in each.idle}
    ran: dict[str, int] = {}
    for block in set().union(*(each.ran for each in reports)):
        name = block.rpartition("+")[0]
        ran[name] = ran.get(name, 0) + 1
    found = [(name, ran.get(name, 0), total) for name, total in totals.items()]
    return sorted(found, key=lambda each: (each[1] / each[2], -each[2], each[0]))


def markdown(report: Report) -> str:
    """Return the report for people."""
    verdict = "No promise was broken." if not report.findings else "**Promises were broken.**"
    lines = ["# Torture", "", verdict, "", *_facts(report), "", "## Actions", ""]
    lines += ["| kind | " + " | ".join(OUTCOMES) + " |", "|---|" + "---:|" * len(OUTCOMES)]
    for kind, numbers in sorted(report.counts.items(), key=lambda each: -sum(each[1])):
        lines.append(f"| {kind} | " + " | ".join(f"{each:,}" for each in numbers) + " |")
    if report.findings:
        lines += ["", "## Findings", ""]
        lines += [line for each in report.findings for line in _finding(each)]
    lines += ["", "## What the campaign learned", "", *_merits(report)]
    if report.idle:
        lines += ["", "## Functions of the monitor that ran least", ""]
        lines += ["| function | blocks that ran | of |", "|---|---:|---:|"]
        lines += [f"| `{n}` | {ran} | {all_} |" for n, ran, all_ in report.idle[:_SHOWN_FUNCTIONS]]
    return "\n".join(lines) + "\n"


def _facts(report: Report) -> Iterable[str]:
    one = report.witnessed
    boards = ", ".join(f"{board} {count:,}" for board, count in sorted(report.boards.items()))
    yield "| | |"
    yield "|---|---|"
    yield f"| actions | {report.actions:,} ({boards}) |"
    yield f"| rounds | {report.rounds:,}, seeds {', '.join(map(str, report.seeds))} |"
    yield f"| harts | {', '.join(map(str, report.harts))} |"
    yield f"| time of the host | {report.seconds / 3600:.2f} h |"
    yield f"| monitor | commit {report.commit or 'unknown'} |"
    yield f"| lives of hostile tenants, switches | {report.lives:,}, {report.switches:,} |"
    yield f"| wake-ups of the witness, alarms | {one.wakes:,}, {one.alarms:,}, none lost |"
    yield f"| its memory was found good | {one.sweeps:,} times |"
    yield f"| registers and memory of the keeper were found good | {one.rounds:,} times |"
    if report.harts == [1] or not report.harts:
        yield (
            f"| worst wake-up, alarm | {report.added:,} and {report.added_alarm:,} "
            "instructions later than in quiet times |"
        )
    if report.blocks:
        share = 100 * len(report.ran) / report.blocks
        yield (
            f"| basic blocks of the monitor that ran | {len(report.ran):,} of "
            f"{report.blocks:,} ({share:.1f} %) |"
        )


def _finding(each: Finding) -> Iterable[str]:
    yield f"- round {each.round}, {each.kind}: {each.tenant}: {each.said}"
    yield f"  - again: `cotenant {each.command}`"
    if each.shrunk:
        yield f"  - the least of it: `cotenant {each.shrunk}`"
    for action in each.actions:
        yield f"    - {action}"


def _merits(report: Report) -> Iterable[str]:
    yield "| emphasis | rounds | blocks that it was the first to reach |"
    yield "|---|---:|---:|"
    for name in (*KINDS, *SPICES):
        rounds, found = report.merits.of_name(name)
        if rounds:
            yield f"| {name} | {rounds} | {found} |"
