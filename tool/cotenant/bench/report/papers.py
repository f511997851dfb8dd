# SPDX-License-Identifier: BSD-2-Clause
"""The papers whose tables are measured again, and what stands beside each of their figures.

    bench/papers/NAME.toml

    title, authors, published    the paper
    machine                      what it measured on
    about                        what it is, and what of Cotenant stands for it

    [[table]]                    one of its tables or figures
    title, how, limps            what it is; how ours was measured; where the comparison limps
    unknown                      why no figure of the paper stands in it, if that is so
    picture                      the name of a picture of ours, if there is one
    [[table.row]]
    what                         the work
    paper, unit                  the paper's figure, left out where it is unknown
    ours                         "BENCHMARK: ROW", or of that row "BENCHMARK other: ROW", or
                                 "BENCHMARK ratio: ROW" (ours to the other), or "inverse"
    missing                      instead of `ours`: why there is none

The paper's figures are typed, with where they come from; ours never are.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cotenant import paths
from cotenant.bench.report.kept import Kept, row_named
from cotenant.errors import BenchError

FOLDER = paths.ROOT / "bench" / "papers"
NAMES = ("osswitch", "cooperative", "spumone", "hijack", "gandalf")

_REFERENCE = re.compile(r"(?P<benchmark>\w+)(?: (?P<field>\w+))?: (?P<row>.+)")
_FIELDS = ("ours", "other", "ratio", "inverse")

Results = Mapping[str, Kept]


@dataclass(frozen=True)
class Ours:
    """A figure of ours; `unit` is empty for a ratio."""

    value: float
    unit: str


@dataclass(frozen=True)
class Line:
    """A figure of a paper and what is ours for it."""

    what: str
    paper: float | None
    unit: str
    ours: str
    missing: str

    def benchmark(self) -> str:
        """Return the name of the benchmark that has our figure; nothing if none has."""
        return self.ours.partition(":")[0].partition(" ")[0]

    def find(self, results: Results) -> Ours | None:
        """Return our figure, or None where there cannot be one.

        Raises BenchError if the results do not have the row.
        """
        if not self.ours:
            return None
        found = _REFERENCE.fullmatch(self.ours)
        field = (found["field"] or "ours") if found else ""
        if found is None or field not in _FIELDS:
            raise BenchError(f"{self.ours!r} is not of the form 'BENCHMARK: ROW'")
        name = found["benchmark"]
        if name not in results:
            raise BenchError(f"there is no result of {name!r}: run 'cotenant bench {name}'")
        row = row_named(results[name], name, found["row"])
        if field == "ours":
            return Ours(row.ours, row.unit)
        if row.other is None:
            raise BenchError(f"{self.ours!r} has no other figure")
        if field == "other":
            return Ours(row.other, row.unit)
        return Ours(row.ours / row.other if field == "ratio" else row.other / row.ours, "")


@dataclass(frozen=True)
class Table:
    """A table or figure of a paper."""

    title: str
    how: str
    limps: str
    unknown: str
    picture: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Paper:
    """A paper and its tables."""

    name: str
    title: str
    authors: str
    published: str
    machine: str
    about: str
    tables: tuple[Table, ...]

    def benchmarks(self) -> list[str]:
        """Return the benchmarks that its figures of ours come from."""
        lines = (line for table in self.tables for line in table.lines if line.ours)
        return list(dict.fromkeys(line.benchmark() for line in lines))


def read_all(folder: Path = FOLDER) -> list[Paper]:
    """Return all papers, in the order of the page."""
    return [read(name, folder) for name in NAMES]


def read(name: str, folder: Path = FOLDER) -> Paper:
    """Return a paper. Raises BenchError if its file is missing or says too little."""
    file = folder / f"{name}.toml"
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
        return _paper(name, values)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise BenchError(f"{paths.shown(file)} cannot be read: {error}") from error
    except KeyError as error:
        raise BenchError(f"{paths.shown(file)} does not have {error}") from error
    except BenchError as error:
        raise BenchError(f"{paths.shown(file)}: {error}") from error


def _paper(name: str, values: dict[str, Any]) -> Paper:
    return Paper(
        name,
        values["title"],
        values["authors"],
        values["published"],
        values["machine"],
        values["about"],
        tuple(_table(each) for each in values["table"]),
    )


def _table(values: dict[str, Any]) -> Table:
    table = Table(
        values["title"],
        values["how"],
        values["limps"],
        values.get("unknown", ""),
        values.get("picture", ""),
        tuple(_line(each) for each in values["row"]),
    )
    without = [line.what for line in table.lines if line.paper is None]
    if without and not table.unknown:
        raise BenchError(f"{table.title}: why is there no figure of the paper for {without[0]!r}?")
    return table


def _line(values: dict[str, Any]) -> Line:
    line = Line(
        values["what"],
        values.get("paper"),
        values.get("unit", ""),
        values.get("ours", ""),
        values.get("missing", ""),
    )
    if bool(line.ours) == bool(line.missing):
        raise BenchError(f"{line.what!r} needs either a figure of ours or why there is none")
    return line
