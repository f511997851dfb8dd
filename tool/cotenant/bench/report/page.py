# SPDX-License-Identifier: BSD-2-Clause
"""The report: one HTML page with every figure that was measured last, as pictures and tables.

The page is complete in itself: it loads nothing.
"""

from collections.abc import Iterable
from html import escape
from pathlib import Path
from string import Template

from cotenant.bench.registry import BENCHMARKS
from cotenant.bench.report import charts
from cotenant.bench.report.store import TIMELINE, Histogram, Result, Store
from cotenant.bench.row import Row, printed
from cotenant.errors import BenchError

PAGE = "index.html"

# More bars than this are no picture any more.
_MOST_BARS = 26

_PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cotenant: measurements</title>
<style>
:root { color-scheme: light dark; --faint: #c9ccd1; --back: #ffffff; --text: #1c2024;
  --good: #1a7f43; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --faint: #474c54; --back: #15181c; --text: #e4e7eb; --good: #5fcf8b; --bad: #ff8a80; }
}
body { background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif;
  max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--faint); padding-bottom: .3rem; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; font-size: .9rem; }
th, td { text-align: left; padding: .2rem .6rem; border-bottom: 1px solid var(--faint); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.yes { color: var(--good); } .no { color: var(--bad); font-weight: 600; }
.note { opacity: .75; } nav a { margin-right: 1rem; } a { color: inherit; }
figure { margin: 1.5rem 0; } details summary { cursor: pointer; }
</style>
</head>
<body>
<h1>Cotenant: measurements</h1>
<p>Instructions are exact: QEMU counts them (<code>-icount</code>). &ldquo;The other&rdquo; is what
people would use instead, measured in the same run: the OpenSBI that Debian packages, unless a row
says otherwise. A budget is the most that a figure may be.</p>
<nav>$links</nav>
$sections
</body>
</html>
""")


def write_page(store: Store) -> Path:
    """Write the page of all results in a store; raises BenchError if that cannot be done."""
    names = [name for name in BENCHMARKS if name in store.results]
    sections = [_section(name, store.results[name], store) for name in names]
    links = "".join(f'<a href="#{name}">{name}</a>' for name in names)
    if not names:
        sections = ["<p>Nothing has been measured yet: run <code>cotenant bench</code>.</p>"]
    page = store.folder / PAGE
    try:
        store.folder.mkdir(parents=True, exist_ok=True)
        text = _PAGE.substitute(links=links, sections="\n".join(sections))
        page.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BenchError(f"{page} cannot be written: {error.strerror}") from error
    return page


def _section(name: str, result: Result, store: Store) -> str:
    parts = [f'<h2 id="{name}">{name}</h2>', f"<p>{escape(_sentence(name))}</p>"]
    quick = ", with fewer samples than there could be" if result.quick else ""
    parts.append(f'<p class="note">Measured {escape(result.measured)}{quick}.</p>')
    if name == "latency":
        parts += [_figure(title, picture) for title, picture in _latency_pictures(store.histograms)]
        parts += _timeline(store.folder / TIMELINE)
    else:
        parts += [_figure("", charts.bars(rows)) for rows in _groups(result.rows)]
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
    return [_figure("Who has the hart, and what the monitor does meanwhile", picture)]


def _figure(title: str, picture: str) -> str:
    heading = f"<h3>{escape(title)}</h3>" if title else ""
    return f"{heading}<figure>{picture}</figure>"


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
