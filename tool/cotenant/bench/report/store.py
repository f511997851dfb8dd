# SPDX-License-Identifier: BSD-2-Clause
"""Results on disk: what was measured last, by benchmark, from which the report is made.

    build/report/rows.json          {BENCHMARK: {"commit": TEXT, "measured": TIME, "quick": BOOL,
                                             "rows": [ROW...]}}
    build/report/histograms.json    {NAME: {"unit": TEXT, "counts": {VALUE: COUNT}}}
    build/report/timeline.svg       a picture that the latency benchmark draws

A benchmark that did not come to its end leaves nothing: its older result goes too.
"""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cotenant import durable, paths
from cotenant.bench.row import Row
from cotenant.errors import BenchError
from cotenant.one_at_a_time import alone

REPORT = paths.BUILD / "report"
ROWS = "rows.json"
HISTOGRAMS = "histograms.json"
TIMELINE = "timeline.svg"
_LOCK = "lock"
CHANGED = "+"
"""behind the name of a commit: files of it were changed"""


@dataclass(frozen=True)
class Histogram:
    """How often each value was seen; values are the lower ends of buckets."""

    unit: str
    counts: dict[int, int]


@dataclass
class Result:
    """A complete run of one benchmark."""

    commit: str
    """what was checked out then; with CHANGED behind it if files of it were changed"""
    measured: str
    quick: bool
    rows: list[Row]


@dataclass
class Store:
    """The results in a folder; every change is made to what is there then.

    So two runs of different benchmarks in one checkout keep both their results.
    """

    folder: Path = REPORT
    results: dict[str, Result] = field(default_factory=dict)
    histograms: dict[str, Histogram] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path = REPORT) -> "Store":
        """Read what is there. Raises BenchError if it is damaged."""
        store = cls(folder, _read_results(folder))
        for name, value in _read(folder / HISTOGRAMS).items():
            counts = {int(low): count for low, count in value["counts"].items()}
            store.histograms[name] = Histogram(value["unit"], counts)
        return store

    def forget(self, name: str) -> None:
        """Drop a benchmark's older result: a run of it begins, and may fail."""
        with self._latest():
            self.results.pop(name, None)

    def put(self, name: str, rows: list[Row], *, quick: bool) -> None:
        """Keep a complete result."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._latest():
            self.results[name] = Result(_commit(), now, quick, rows)

    def put_histograms(self, histograms: dict[str, Histogram]) -> None:
        """Replace all histograms."""
        self.histograms = histograms
        values = {
            name: {"unit": each.unit, "counts": {str(k): v for k, v in sorted(each.counts.items())}}
            for name, each in histograms.items()
        }
        self._write(HISTOGRAMS, values)

    @contextmanager
    def _latest(self) -> Iterator[None]:
        """Read the results again, and write them with what is changed to them inside."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with alone(self.folder / _LOCK, lambda: None):
                self.results = _read_results(self.folder)
                yield
                self._write_rows()
        except OSError as error:
            raise BenchError(f"{self.folder} cannot be written: {error.strerror}") from error

    def _write_rows(self) -> None:
        values = {
            name: {
                "commit": result.commit,
                "measured": result.measured,
                "quick": result.quick,
                "rows": [row.as_dict() for row in result.rows],
            }
            for name, result in self.results.items()
        }
        self._write(ROWS, values)

    def _write(self, name: str, values: dict[str, Any]) -> None:
        try:
            with durable.replacing(self.folder / name) as file:
                file.write((json.dumps(values, indent=1) + "\n").encode())
        except OSError as error:
            raise BenchError(f"{self.folder / name} cannot be written: {error.strerror}") from error


def _read_results(folder: Path) -> dict[str, Result]:
    return {
        name: Result(
            value.get("commit", ""),
            value["measured"],
            value["quick"],
            [Row(**each) for each in value["rows"]],
        )
        for name, value in _read(folder / ROWS).items()
    }


def _commit() -> str:
    """Return the name of the commit that is checked out; nothing if this is no repository."""
    command = ["git", "describe", "--always", "--abbrev=7", "--exclude=*", f"--dirty={CHANGED}"]
    done = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise BenchError(f"{path} cannot be read: {error.strerror}") from error
    try:
        values = json.loads(text)
        if not isinstance(values, dict):
            raise ValueError
    except ValueError as error:
        raise BenchError(f"{path} is damaged: remove it, and run 'cotenant bench' again") from error
    return values
