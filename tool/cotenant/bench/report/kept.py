# SPDX-License-Identifier: BSD-2-Clause
"""Results that are kept in the repository, from which the documents have their figures.

    bench/results/BENCHMARK.json    {"commit": TEXT, "measured": TIME, "rows": [ROW...]}

`cotenant report --docs` takes over what was measured here since; only complete runs of
what a commit holds are kept, not those with fewer samples or of files that were changed.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from cotenant import paths
from cotenant.bench.report.store import CHANGED, Result, Store
from cotenant.bench.row import Row
from cotenant.errors import BenchError

FOLDER = paths.ROOT / "bench" / "results"


@dataclass(frozen=True)
class Kept:
    """The figures of a benchmark, the commit that they are of, and when they were measured."""

    commit: str
    measured: str
    rows: list[Row]


def read(folder: Path = FOLDER) -> dict[str, Kept]:
    """Return the kept results by the names of the benchmarks; raises BenchError if one is bad."""
    found = {}
    for file in sorted(folder.glob("*.json")):
        try:
            values = json.loads(file.read_text(encoding="utf-8"))
            rows = [Row(**each) for each in values["rows"]]
            found[file.stem] = Kept(values["commit"], values["measured"], rows)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BenchError(f"{paths.shown(file)} cannot be read: {error}") from error
    return found


def row_named(kept: Kept, benchmark: str, name: str) -> Row:
    """Return the one row of a name, which may be its beginning: `longest stretch*`.

    Raises BenchError, which names the benchmark, if there is none or more than one.
    """
    found = rows_named(kept, name)
    if len(found) != 1:
        raise BenchError(f"{benchmark} has {len(found)} rows {name!r} instead of one")
    return found[0]


def rows_named(kept: Kept, name: str) -> list[Row]:
    """Return all rows of a name, or with the beginning before its `*`."""
    beginning = name.removesuffix("*")
    return [
        row
        for row in kept.rows
        if row.name == name or (name != beginning and row.name.startswith(beginning))
    ]


def take_over(store: Store, folder: Path = FOLDER) -> list[str]:
    """Keep each complete result that is newer than the kept one; return the names of those."""
    old = read(folder)
    names = []
    for name, result in store.results.items():
        is_of_a_commit = result.commit and not result.commit.endswith(CHANGED)
        is_newer = name not in old or result.measured > old[name].measured
        if is_of_a_commit and is_newer and not result.quick:
            _write(folder / f"{name}.json", result)
            names.append(name)
    return names


def _write(file: Path, result: Result) -> None:
    values = {
        "commit": result.commit,
        "measured": result.measured,
        "rows": [row.as_dict() for row in result.rows],
    }
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BenchError(f"{paths.shown(file)} cannot be written: {error.strerror}") from error
