# SPDX-License-Identifier: BSD-2-Clause
"""Results as tables for documents in Markdown."""

from collections.abc import Iterable

from cotenant.bench.report.store import Store
from cotenant.bench.row import Row, printed

# Rows `WORK: STATISTIC` of these become the columns of one line.
_STATISTICS = ("min", "average", "p99.9", "max")


def tables(store: Store) -> str:
    """Return every benchmark's figures, each under a heading."""
    parts = []
    for name, result in store.results.items():
        parts.append(f"## {name}\n")
        statistics = [row for row in result.rows if _statistic(row)]
        others = [row for row in result.rows if not _statistic(row)]
        if statistics:
            parts.append(_statistics_table(statistics))
        if others:
            parts.append(_plain_table(others))
    return "\n".join(parts)


def _statistic(row: Row) -> str | None:
    last = row.name.rpartition(": ")[2]
    return last if last in _STATISTICS else None


def _plain_table(rows: list[Row]) -> str:
    lines = ["| work | unit | Cotenant | the other | budget |", "|---|---|---:|---:|---:|"]
    for row in rows:
        ours = printed(row.ours)
        if row.within is False:
            ours = f"**{ours}**"
        cells = [row.name, row.unit, ours, printed(row.other), printed(row.budget)]
        lines.append(_line(cells))
    return "\n".join([*lines, ""])


def _statistics_table(rows: list[Row]) -> str:
    """Return a line for each work; the other's average and maximum come last."""
    works: dict[str, dict[str, Row]] = {}
    for row in rows:
        work, _, statistic = row.name.rpartition(": ")
        works.setdefault(work, {})[statistic] = row
    heads = ["work", *_STATISTICS, "the other: average", "max"]
    lines = [_line(heads), _line(["---", *["---:"] * (len(heads) - 1)])]
    for work, found in works.items():
        cells = [printed(found[each].ours if each in found else None) for each in _STATISTICS]
        cells += [
            printed(found[each].other if each in found else None) for each in ("average", "max")
        ]
        lines.append(_line([work, *cells]))
    return "\n".join([*lines, ""])


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
