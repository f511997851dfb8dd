# SPDX-License-Identifier: BSD-2-Clause
"""Runs one round under QEMU, to its end or its first failure."""

import re
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cotenant import system as systems
from cotenant.errors import MachineEndedError, RunError
from cotenant.run.launch import Launch, prepare
from cotenant.run.session import Session
from cotenant.torture import outcome
from cotenant.torture.coverage import Blocks, qemu_options
from cotenant.torture.outcome import Failure, Outcome, Witnessed
from cotenant.torture.rounds import KEEPER, WITNESS, Round, foreign_pages

ICOUNT = 3
INSTRUCTION_NS = 1 << ICOUNT
PATIENCE = 180.0
"""seconds of the host without a word of any tenant, after which the machine is taken for dead"""

_POLL = 0.2
_TOLD = re.compile(r"^torture: (hart \d+ action \d+: \w+)\n", re.MULTILINE)

Progress = Callable[[int], None]


@dataclass
class Runner:
    """Runs rounds in a folder, which keeps the files of the last one."""

    folder: Path
    patience: float = PATIENCE
    _blocks: Blocks | None = None

    def build(self, one: Round) -> Launch:
        """Build the system of a round. Raises ConfigError or BuildError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / "system.toml"
        file.write_text(one.describe())
        planned = systems.load(file, console_mode="framed")
        file.write_text(one.describe(foreign_pages(planned, one.hostile)))
        return prepare(file, self.folder / "bundle.bin", console_mode="framed")

    def blocks(self, launch: Launch) -> Blocks:
        """Return the blocks of the monitor that all rounds have."""
        if self._blocks is None:
            self._blocks = Blocks(launch.built.monitor.elf)
        return self._blocks

    @property
    def known_blocks(self) -> Blocks | None:
        """The same, if a round has run."""
        return self._blocks

    def run(self, one: Round, progress: Progress = lambda _actions: None) -> Outcome:
        """Run a round; `progress` gets how many actions are done."""
        launch = self.build(one)
        monitor = launch.built.system.monitor
        log = self.folder / "translated.log"
        log.unlink(missing_ok=True)
        machine = launch.machine(
            icount=ICOUNT if one.setting.counted else None,
            extra=qemu_options(log, monitor.base, monitor.size),
        )
        logs = self.folder / "logs"
        shutil.rmtree(logs, ignore_errors=True)
        found = Outcome()
        with Session(machine, launch.ports, log_dir=logs) as session:
            found.failure = self._follow(one, session, progress)
            outputs = {name: session.output(name) for name in session.tenants}
            if found.failure is None:
                self._ask(one, session, found)
            session.kill()
        for name, output in outputs.items():
            outcome.add(found.counts, outcome.counts_of(output))
            outcome.add(found.counts, outcome.machine_counts(output))
            found.told += [f"{name}: {each}" for each in _TOLD.findall(output)]
        found.witnessed = Witnessed.of(outputs)
        if found.failure is None and one.setting.counted:
            found.failure = _lateness(found.witnessed)
        if log.is_file():
            text = log.read_text(errors="replace")
            found.blocks = self.blocks(launch).ran(text, monitor.base)
        return found

    def _follow(self, one: Round, session: Session, progress: Progress) -> Failure | None:
        """Wait until all have come to their end, without typing: that would not repeat exactly."""
        heard = 0
        deadline = time.monotonic() + self.patience
        while True:
            outputs = {name: session.output(name) for name in session.tenants}
            log = session.monitor_log
            if failure := outcome.find_failure(outputs, log):
                return failure
            counts: outcome.Counts = {}
            for output in outputs.values():
                outcome.add(counts, outcome.counts_of(output))
            progress(sum(map(sum, counts.values())))
            if all(outcome.is_done(outputs[name]) for name in one.finishing):
                return None
            if session.console.ended:
                last = (session.process.last_words() or log[-200:]).strip()
                return Failure("ended", "", f"the machine ended: {last}")
            if (now := sum(map(len, outputs.values())) + len(log)) != heard:
                heard = now
                deadline = time.monotonic() + self.patience
            elif time.monotonic() > deadline:
                return Failure("silent", "", f"no tenant said a word for {self.patience:g} s")
            time.sleep(_POLL)

    def _ask(self, one: Round, session: Session, found: Outcome) -> None:
        """Look at the monitor's own counters when all is done."""
        try:
            stats = session.stats(self.patience).tenants
        except (MachineEndedError, RunError) as error:
            found.failure = Failure("silent", "monitor", str(error))
            return
        for name in (WITNESS, KEEPER):
            each = stats[name]
            if (each.state, each.starts, each.faults) != ("running", 1, 0):
                found.failure = Failure("witness", name, f"the monitor counts {each}")
        found.lives = sum(stats[name].starts for name in one.hostile)
        found.switches = sum(each.switches for each in stats.values())


def _lateness(witnessed: Witnessed) -> Failure | None:
    """Judge the witness's wake-ups, in instructions."""
    added, added_alarm = witnessed.added(INSTRUCTION_NS)
    if added > outcome.MOST_ADDED:
        return Failure(
            "late",
            WITNESS,
            f"a wake-up came {added} instructions later than in quiet times",
        )
    if added_alarm > outcome.MOST_ADDED_ALARM:
        return Failure(
            "late",
            WITNESS,
            f"an alarm came {added_alarm} instructions later than in quiet times",
        )
    return None
