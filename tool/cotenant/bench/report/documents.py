# SPDX-License-Identifier: BSD-2-Clause
"""Figures in documents: what stands between two marks is made from a table and the kept results.

    <!-- figures: NAME -->
    what bench/tables/NAME.md says, with its places filled in
    <!-- end of figures -->

A place is `{{BENCHMARK: ROW}}`, with what is wanted of the row, if it is not our own figure, and
how to print it, in front: `{{sbi other: set_timer, round trip}}`, `{{sample raw: linux cpu_ns}}`,
`{{sample .1f: last max_us}}`; `ratio` is that to the other figure, `ratio .4f` with so many digits.
A row may be named by its beginning: `longest stretch*`. And `{{BENCHMARK measured}}` says of which
commit the figures are, and of which day; `{{BENCHMARK list: BEGINNING*}}` is a line of a table for
each row, `{{BENCHMARK table: BEGINNING*}}` one for all rows `THING: FIGURE` of a thing. With a
number, `list 8` and `table 8`, it is the eight lines with the largest first figures.

The tables called `paper-NAME` are made from bench/papers/NAME.toml: see papers.py.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from cotenant import paths
from cotenant.bench.report import paper_markdown, papers
from cotenant.bench.report.kept import Kept, row_named, rows_named
from cotenant.bench.row import Row, printed
from cotenant.errors import BenchError

TABLES = paths.ROOT / "bench" / "tables"

_BLOCK = re.compile(
    r"(<!-- figures: (?P<name>[\w-]+) -->\n).*?(<!-- end of figures -->\n)", re.DOTALL
)
_PLACE = re.compile(r"\{\{(?P<benchmark>\w+)(?P<how>(?: [\w.+]+)*)(?:: (?P<row>[^{}]+))?\}\}")
_PAPER = "paper-"
_FIELDS = ("ours", "other", "budget")

Results = Mapping[str, Kept]


def documents(root: Path = paths.ROOT) -> Iterator[Path]:
    """Give the documents in which figures can stand."""
    yield root / "README.md"
    yield from sorted((root / "docs").glob("**/*.md"))


def outdated(results: Results, root: Path = paths.ROOT, tables: Path = TABLES) -> dict[Path, str]:
    """Return the documents that are not what they should be, each with its text as it should be.

    Raises BenchError for a table or a figure that there is not.
    """
    found = {}
    for document in documents(root):
        text = document.read_text(encoding="utf-8")
        right = renewed(text, results, tables)
        if right != text:
            found[document] = right
    return found


def renewed(text: str, results: Results, tables: Path = TABLES) -> str:
    """Return the text of a document with all its figures made anew."""

    def block(found: re.Match[str]) -> str:
        return f"{found[1]}{_filled(found['name'], results, tables)}{found[3]}"

    return _BLOCK.sub(block, text)


def _filled(table: str, results: Results, tables: Path) -> str:
    if table.startswith(_PAPER):
        return paper_markdown.text(papers.read(table.removeprefix(_PAPER)), results)
    file = tables / f"{table}.md"
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise BenchError(f"{paths.shown(file)} cannot be read: {error.strerror}") from error
    try:
        return _PLACE.sub(lambda place: _figure(place, results), text)
    except BenchError as error:
        raise BenchError(f"{paths.shown(file)}: {error}") from error


def _figure(place: re.Match[str], results: Results) -> str:
    """Return what a place stands for."""
    benchmark, how = place["benchmark"], place["how"].split()
    if benchmark not in results:
        raise BenchError(f"there is no kept result of {benchmark!r}: run 'cotenant bench'")
    kept = results[benchmark]
    if how == ["measured"]:
        return f"measured at commit {kept.commit}, {kept.measured[:10]}"
    if how[:1] in (["list"], ["table"]):
        name = _thing if how[0] == "table" else _name
        lines = _lines(rows_named(kept, place["row"] or ""), name)
        if how[1:]:
            lines = dict(sorted(lines.items(), key=lambda each: -each[1][0])[: int(how[1])])
        return "\n".join(
            f"| `{each}` | {' | '.join(map(printed, figures))} |" for each, figures in lines.items()
        )
    field = how.pop(0) if how and how[0] in _FIELDS else "ours"
    row = row_named(kept, benchmark, place["row"] or "")
    if how[:1] == ["ratio"] and row.other:
        return f"{row.ours / row.other:{how[1] if how[1:] else '.2f'}}"
    value = getattr(row, field)
    if value is None or how[:1] == ["ratio"]:
        raise BenchError(f"{place[0]} has no figure")
    return _printed(value, how[0] if how else "")


def _lines(rows: Iterable[Row], name: Callable[[Row], str]) -> dict[str, list[float]]:
    """Return the lines of a table, each with the figures of all rows that it names."""
    lines: dict[str, list[float]] = {}
    for row in rows:
        lines.setdefault(name(row), []).append(row.ours)
    return lines


def _name(row: Row) -> str:
    return row.name


def _thing(row: Row) -> str:
    return row.name.rpartition(": ")[0]


def _printed(value: float, how: str) -> str:
    """Return a figure; `how` is empty, 'raw', or like '.1f', with a '+' before it if signed."""
    if how == "raw":
        return f"{value:.0f}"
    sign = "+" if how.startswith("+") else ""
    return f"{value:{sign},{how.removeprefix('+')}}" if how else printed(value)
