# SPDX-License-Identifier: BSD-2-Clause
"""A campaign: rounds until enough actions are done, steered by what they reach."""

import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from cotenant import paths
from cotenant.errors import ConfigError
from cotenant.torture.kept import Kept
from cotenant.torture.outcome import Failure, Outcome
from cotenant.torture.report import Finding, Report
from cotenant.torture.rounds import Round, Setting, choose_stress
from cotenant.torture.runner import INSTRUCTION_NS, Runner
from cotenant.torture.shrink import Actions, Shrinker, size

MOST_TOLD = 100
"""actions of a failing sequence that are put into words"""
_ATTEMPTS_UNCOUNTED = 3
"""runs in which a failure may come again where time is not counted"""


@dataclass(frozen=True)
class Extent:
    """How much is to be done."""

    actions: int
    seconds: float | None = None
    shard: tuple[int, int] = (1, 1)
    """this one, counted from 1, of so many"""


Tell = Callable[[str], None]


@dataclass
class Campaign:
    """Runs rounds in a folder, and keeps its report there."""

    setting: Setting
    folder: Path
    shrink_runs: int = 100
    tell: Tell = lambda _line: None
    progress: Callable[[int], None] = lambda _actions: None
    report: Report = field(default_factory=Report)

    def __post_init__(self) -> None:
        self._runner = Runner(self.folder / "round")
        self._failures: list[Failure] = []
        self.report.seeds = [self.setting.seed]
        self.report.harts = [self.setting.harts]
        self.report.commit = commit()

    def run(self, extent: Extent) -> Report:
        """Run until there are enough actions, or time is up."""
        started = time.monotonic()
        for number in self._numbers(extent):
            elapsed = time.monotonic() - started
            if self.report.actions >= extent.actions:
                break
            if extent.seconds is not None and elapsed >= extent.seconds:
                break
            self.run_round(self._choose(number))
            self.report.seconds = time.monotonic() - started
            self.report.write(self.folder)
        return self.report

    def run_round(self, one: Round) -> Outcome:
        """Run a round and count it; shrink what fails."""
        before = self.report.actions
        one, outcome = self._run_what_fits(one, before)
        added = outcome.witnessed.added(INSTRUCTION_NS) if one.setting.counted else (0, 0)
        self.report.count(outcome, one.setting.board, added)
        new = self._cover(one, outcome)
        self.progress(self.report.actions)
        late = f"wake-ups at most {added[0]:,} instructions later; " if one.setting.counted else ""
        self.tell(
            f"round {one.number}: {outcome.actions:,} actions with {', '.join(one.stress)}; "
            f"{late}{new} new blocks, {len(self.report.ran)} of {self.report.blocks} in all"
        )
        if outcome.failure is not None:
            self._keep(one, outcome.failure)
        return outcome

    def _numbers(self, extent: Extent) -> Iterator[int]:
        shard, shards = extent.shard
        number = shard
        while True:
            yield number
            number += shards

    def _choose(self, number: int) -> Round:
        chance = random.Random(f"stress {self.setting.seed} {number}")
        weights = self.report.merits.weights()
        stress = choose_stress(chance, weights, self.setting.board)
        return Round(self.setting, number, tuple(stress))

    def _run_what_fits(self, one: Round, before: int) -> tuple[Round, Outcome]:
        """A board can have too few PMP entries for all that was chosen: leave out some of it."""
        while True:
            try:
                return one, self._runner.run(one, lambda actions: self.progress(before + actions))
            except ConfigError:
                if not one.stress:
                    raise
                one = replace(one, stress=one.stress[:-1])

    def _cover(self, one: Round, outcome: Outcome) -> int:
        """Note what the round was the first to reach; return how many blocks that are."""
        launch = self._runner.build(one) if not self.report.blocks else None
        blocks = self._runner.blocks(launch) if launch else self._runner.known_blocks
        if blocks is None:
            return 0
        if launch:
            self.report.blocks = len(blocks.leaders)
            self.report.monitor = sha256(launch.built.monitor.elf.read_bytes()).hexdigest()[:16]
        names = set(blocks.names(outcome.blocks))
        new = names - self.report.ran
        self.report.ran |= names
        self.report.merits.learn(one.stress, len(new))
        reached = blocks.addresses(self.report.ran)
        self.report.idle = [(e.name, e.ran, e.blocks) for e in blocks.by_function(reached)]
        return len(new)

    def _keep(self, one: Round, failure: Failure) -> None:
        finding = Finding(one.number, failure.kind, failure.tenant, failure.said, one.command())
        self.report.findings.append(finding)
        self.tell(f"round {one.number}: {failure.kind}: {failure.tenant}: {failure.said}")
        kept = self.folder / f"finding-{len(self.report.findings)}"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(self.folder / "round", kept, ignore=shutil.ignore_patterns("*.bin"))
        self.report.write(self.folder)
        known = any(failure.is_like(other) for other in self._failures)
        self._failures.append(failure)
        if self.shrink_runs and not known:
            self._shrink(one, failure, finding)

    def _shrink(self, one: Round, failure: Failure, finding: Finding) -> None:
        """Find the least of a failing round."""

        def fails(actions: Actions) -> bool:
            candidate = replace(one, kept=dict(actions))
            failed = bool(candidate.finishing) and self._fails(candidate, failure)
            self.tell(f"shrinking: {size(actions):,} actions {'fail' if failed else 'do not'}")
            return failed

        start = one.kept or {
            name: Kept.all(1 if name == one.restless else one.setting.actions)
            for name in one.hostile
        }
        if not fails(start):
            self.tell("shrinking: the failure does not come again")
            return
        left = Shrinker(fails, self.shrink_runs).shrink(start)
        least = replace(one, kept=left)
        finding.shrunk = least.command()
        if size(left) <= MOST_TOLD:
            finding.actions = self._runner.run(replace(least, tell=True)).told
        self.tell(f"shrunk to {size(left):,} actions: {finding.shrunk}")

    def _fails(self, one: Round, failure: Failure) -> bool:
        for _ in range(1 if one.setting.counted else _ATTEMPTS_UNCOUNTED):
            if failure.is_like(self._runner.run(one).failure):
                return True
        return False


def commit() -> str:
    """Return the commit of this tree, marked if there are changes; "" outside of one."""
    if paths.INSTALLED:
        return ""
    command = ["git", "-C", str(paths.ROOT), "describe", "--always", "--dirty", "--abbrev=7"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip()
