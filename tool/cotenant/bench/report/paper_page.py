# SPDX-License-Identifier: BSD-2-Clause
"""The page with every table of the papers beside ours: build/report/papers.html."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from cotenant import paths
from cotenant.bench.report import charts, html, kept, paper_markdown, papers
from cotenant.bench.report.kept import Kept
from cotenant.bench.report.papers import Line, Paper, Results, Table
from cotenant.bench.report.store import Store
from cotenant.bench.row import Row
from cotenant.errors import BenchError

PAGE = "papers.html"
BENCHMARK = "papers"
"""the one whose pictures are here, and their folder in the report"""
DOCUMENT_PICTURES = paths.ROOT / "docs" / "pictures"

_INTRODUCTION = """What five papers measured, and what Cotenant takes for the same kind of work. Our
figures are instructions that QEMU counts (<code>-icount</code>), at one instruction a nanosecond
where they are times; theirs are of the machines that each section names. So a ratio of
instructions to cycles, or to time on another machine, is a scale, not a race. What was measured
here last is taken where it has the figure, and the repository&rsquo;s kept result where it does
not."""
_NOT_MEASURED = "not measured yet"


def write_page(store: Store, folder: Path = kept.FOLDER) -> Path:
    """Write the page of what was measured here, and of kept results; return its path."""
    local = {
        name: Kept(f"{each.commit}{' (fewer samples)' if each.quick else ''}", each.measured, rows)
        for name, each in store.results.items()
        if (rows := each.rows)
    }
    sources = [local, kept.read(folder)]
    all_papers = papers.read_all()
    sections = [_section(paper, sources, store.folder / BENCHMARK) for paper in all_papers]
    links = {paper.name: paper.title for paper in all_papers}
    page = store.folder / PAGE
    html.write(page, "Cotenant beside five papers", _INTRODUCTION, links, sections)
    return page


def keep_picture(store: Store, name: str, picture: str) -> None:
    """Keep a picture, in the colours of a page, for the table that names it."""
    _write(store.folder / BENCHMARK / f"{name}.svg", picture)


def take_over_pictures(store: Store, folder: Path = DOCUMENT_PICTURES) -> None:
    """Make the pictures that were drawn here those of the documents."""
    for file in sorted((store.folder / BENCHMARK).glob("*.svg")):
        picture = charts.standalone(file.read_text(encoding="utf-8"))
        _write(folder / f"{BENCHMARK}-{file.name}", picture)


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BenchError(f"{paths.shown(file)} cannot be written: {error.strerror}") from error


def _section(paper: Paper, sources: Sequence[Results], pictures: Path) -> str:
    parts = [
        f'<h2 id="{paper.name}">{escape(paper.title)}</h2>',
        f'<p class="note">{escape(paper.authors)}, {escape(paper.published)}. '
        f"Measured on: {escape(paper.machine)}.</p>",
        f"<p>{escape(paper.about)}</p>",
        *(_table(table, sources, pictures) for table in paper.tables),
    ]
    for where, results in zip(("here", "kept"), sources, strict=True):
        if found := paper_markdown.measured(paper, results):
            parts.append(f'<p class="note">Measured {where}: {escape(found.replace("`", ""))}.</p>')
    return "\n".join(parts)


def _table(table: Table, sources: Sequence[Results], pictures: Path) -> str:
    parts = [f"<h3>{escape(table.title)}</h3>"]
    drawing = pictures / f"{table.picture}.svg"
    if table.picture and drawing.is_file():
        parts.append(html.figure("", drawing.read_text(encoding="utf-8")))
    if rows := _comparable(table, sources):
        parts.append(html.figure("", charts.bars(rows, other="the paper")))
    lines = "".join(_line(line, sources) for line in table.lines)
    parts.append(
        '<table><tr><th>work</th><th class="number">the paper</th><th class="number">Cotenant</th>'
        f'<th class="number">ours / theirs</th></tr>{lines}</table>'
    )
    parts.append(f"<p><em>How ours was measured:</em> {escape(table.how)}</p>")
    limps = " ".join(filter(None, paper_markdown.limps(table)))
    parts.append(f"<p><em>Where the comparison limps:</em> {escape(limps)}</p>")
    return "\n".join(parts)


def _line(line: Line, sources: Sequence[Results]) -> str:
    cells = paper_markdown.cells(line, _find(line, sources))
    if line.ours and not cells[1]:
        cells = (cells[0], _NOT_MEASURED, "")
    shown = "".join(f'<td class="number">{escape(cell)}</td>' for cell in cells)
    return f"<tr><td>{escape(line.what)}</td>{shown}</tr>"


def _comparable(table: Table, sources: Sequence[Results]) -> list[Row]:
    """Return what can stand beside each other on one scale: ratios, or the same unit."""
    rows = []
    for line in table.lines:
        ours = _find(line, sources)
        if line.paper is not None and ours is not None and ours.unit == line.unit:
            rows.append(Row(line.what, ours.unit or "ratio", ours.value, line.paper))
    return rows if len({row.unit for row in rows}) == 1 else []


def _find(line: Line, sources: Sequence[Results]) -> papers.Ours | None:
    """Return our figure of the first of the sources that has it."""
    for results in sources:
        try:
            return line.find(results)
        except BenchError:
            continue
    return None
