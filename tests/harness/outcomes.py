# SPDX-License-Identifier: BSD-2-Clause
"""What became of each test of a pytest session, from the record that the recorder writes.

A record is a file of JSON lines. It grows during the session, so that it also tells of a session
that was killed: a test that was collected and never finished has failed.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Exit statuses of pytest that say nothing of a test: an internal error, wrong usage, no test found.
_FLAWED = (3, 4, 5)


@dataclass
class Count:
    """How many checks or tests passed, failed and were skipped."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0


@dataclass
class Outcomes:
    """The tests of a session by their node ids."""

    passed: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    skipped: set[str] = field(default_factory=set)
    seconds: dict[str, float] = field(default_factory=dict)
    flaws: int = 0
    """failures of no single test: a file that cannot be collected, a session that went wrong"""
    second_run: set[str] = field(default_factory=set)
    """the tests that failed at first and passed when they ran again"""

    def count(self) -> Count:
        """Return the totals."""
        return Count(len(self.passed), len(self.failed) + self.flaws, len(self.skipped))

    def after_second_run(self, second: "Outcomes") -> "Outcomes":
        """Return the outcomes when those that failed have run once more: only a pass counts."""
        mended = self.failed & second.passed
        return Outcomes(
            passed=self.passed | mended,
            failed=self.failed - mended,
            skipped=self.skipped,
            seconds=self.seconds,
            flaws=self.flaws,
            second_run=mended,
        )


def read(record: Path, status: int) -> Outcomes:
    """Return the outcomes of a session that ended with this exit status of pytest."""
    try:
        lines = record.read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    return _outcomes(_entries(lines), status)


def slowest(seconds: dict[str, float], number: int) -> list[tuple[str, float]]:
    """Return the tests that took longest, the longest first."""
    return sorted(seconds.items(), key=lambda each: (-each[1], each[0]))[:number]


def _entries(lines: Iterable[str]) -> Iterable[dict[str, Any]]:
    for line in lines:
        try:
            yield json.loads(line)
        except ValueError:  # the line that was being written when the session was killed
            continue


def _outcomes(entries: Iterable[dict[str, Any]], status: int) -> Outcomes:
    found = Outcomes()
    collected: set[str] = set()
    finished: set[str] = set()
    uncollectable: set[str] = set()
    for entry in entries:
        collected.update(entry.get("collected", ()))
        uncollectable.update(entry.get("uncollectable", ()))
        if "test" in entry:
            _note_phase(found, finished, entry)
    found.flaws = len(uncollectable)
    found.failed |= (collected - finished) - found.failed
    found.skipped -= found.failed
    found.passed = finished - found.failed - found.skipped
    if status in _FLAWED or (status != 0 and not found.failed and not found.flaws):
        found.flaws += 1
    return found


def _note_phase(found: Outcomes, finished: set[str], entry: dict[str, Any]) -> None:
    """Take in a phase of a test: its setup, call or teardown, or the crash of its worker."""
    test = entry["test"]
    found.seconds[test] = found.seconds.get(test, 0.0) + entry["seconds"]
    if entry["outcome"] == "failed":
        found.failed.add(test)
    elif entry["outcome"] == "skipped":
        found.skipped.add(test)
    if entry["when"] == "teardown":
        finished.add(test)
