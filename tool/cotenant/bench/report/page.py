# SPDX-License-Identifier: BSD-2-Clause
"""The report: one HTML page with every figure that was measured last, as pictures and tables.

The page is complete in itself: it loads nothing.
"""

from collections.abc import Iterable
from html import escape
from pathlib import Path

from cotenant.bench.registry import BENCHMARKS
from cotenant.bench.report import charts, html
from cotenant.bench.report.store import TIMELINE, Histogram, Result, Store
from cotenant.bench.row import Row, printed

PAGE = "index.html"

# More bars than this are no picture any more.
_MOST_BARS = 26

_INTRODUCTION = """Instructions are exact: QEMU counts them (<code>-icount</code>). &ldquo;The
other&rdquo; is what people would use instead, measured in the same run: the OpenSBI that Debian
packages, unless a row says otherwise. A budget is the most that a figure may be."""


def write_page(store: Store) -> Path:
    """Write the page of all results in a store; raises BenchError if that cannot be done."""
    names = [name for name in BENCHMARKS if name in store.results]
    sections = [_section(name, store.results[name], store) for name in names]
    if not names:
        sections = ["<p>Nothing has been measured yet: run <code>cotenant bench</code>.</p>"]
    links = {name: name for name in names}
    html.write(store.folder / PAGE, "Cotenant: measurements", _INTRODUCTION, links, sections)
    return store.folder / PAGE


def _section(name: str, result: Result, store: Store) -> str:
    parts = [f'<h2 id="{name}">{name}</h2>', f"<p>{escape(_sentence(name))}</p>"]
    quick = ", with fewer samples than there could be" if result.quick else ""
    parts.append(f'<p class="note">Measured {escape(result.measured)}{quick}.</p>')
    if name == "latency":
        parts += [
            html.figure(title, picture) for title, picture in _latency_pictures(store.histograms)
        ]
        parts += _timeline(store.folder / TIMELINE)
    else:
        parts += [html.figure("", charts.bars(rows)) for rows in _groups(result.rows)]
    table = _table(result.rows)
    if len(result.rows) > _MOST_BARS:
        table = f"<details><summary>All {len(result.rows)} figures</summary>{table}</details>"
    return "\n".join([*parts, table])


def _sentence(name: str) -> str:
    description = BENCHMARKS[name].description
    return f"{description[0].upper()}{description[1:]}."


def _groups(rows: list[Row]) -> Iterable[list[Row]]:
    """Return the rows by unit; of very many, only those that can be compared with something."""
    units = dict.fromkeys(row.unit for row in rows)
    for unit in units:
        group = [row for row in rows if row.unit == unit]
        if len(group) > _MOST_BARS:
            group = [row for row in group if row.other is not None or row.budget is not None]
        for start in range(0, len(group), _MOST_BARS):
            yield group[start : start + _MOST_BARS]


def _latency_pictures(histograms: dict[str, Histogram]) -> Iterable[tuple[str, str]]:
    """Return a picture for each `MODE: POINT` of the names `MODE: POINT: LOAD`."""
    groups: dict[str, list[tuple[str, Histogram]]] = {}
    for name, histogram in histograms.items():
        title, _, load = name.rpartition(": ")
        groups.setdefault(title, []).append((load, histogram))
    for title, group in groups.items():
        yield title, charts.histograms(group)


def _timeline(file: Path) -> list[str]:
    if not file.is_file():
        return []
    picture = charts.as_element(file.read_text(encoding="utf-8"))
    return [html.figure("Who has the hart, and what the monitor does meanwhile", picture)]


def _table(rows: list[Row]) -> str:
    lines = [
        '<table><tr><th>work</th><th>unit</th><th class="number">Cotenant</th>'
        '<th class="number">the other</th><th class="number">budget</th><th>within</th></tr>'
    ]
    for row in rows:
        cells = [f"<td>{escape(row.name)}</td><td>{escape(row.unit)}</td>"]
        cells += [
            f'<td class="number">{printed(value)}</td>'
            for value in (row.ours, row.other, row.budget)
        ]
        verdict = {
            None: "<td></td>",
            True: '<td class="yes">yes</td>',
            False: '<td class="no">no</td>',
        }
        lines.append(f"<tr>{''.join(cells)}{verdict[row.within]}</tr>")
    return "\n".join([*lines, "</table>"])
