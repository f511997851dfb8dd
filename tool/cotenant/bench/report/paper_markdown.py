# SPDX-License-Identifier: BSD-2-Clause
"""The tables of a paper beside ours, as text of a document in Markdown."""

from cotenant.bench.report.papers import Line, Ours, Paper, Results, Table
from cotenant.bench.row import printed

NOT_AT_HAND = "not at hand"


def text(paper: Paper, results: Results) -> str:
    """Return all tables of a paper; raises BenchError if a figure of ours is missing."""
    parts = [
        f"*{paper.title}*, {paper.authors}, {paper.published}. Measured on: {paper.machine}.",
        paper.about,
        *(_table(table, results) for table in paper.tables),
        f"Ours: {measured(paper, results)}.",
    ]
    return "\n\n".join(parts) + "\n"


def cells(line: Line, ours: Ours | None) -> tuple[str, str, str]:
    """Return the paper's figure, ours and the ratio as people read them."""
    paper = NOT_AT_HAND if line.paper is None else _with_unit(line.paper, line.unit)
    if ours is None:
        return paper, line.missing, ""
    ratio = "" if not line.paper else printed(_rounded(ours.value / line.paper))
    return paper, _with_unit(ours.value, ours.unit), ratio


def measured(paper: Paper, results: Results) -> str:
    """Return of which commits our figures are."""
    return "; ".join(
        f"`cotenant bench {name}` at commit {results[name].commit}, {results[name].measured[:10]}"
        for name in paper.benchmarks()
        if name in results
    )


def _table(table: Table, results: Results) -> str:
    lines = [f"### {table.title}", ""]
    if table.picture:
        lines += [f"![{table.title}](pictures/papers-{table.picture}.svg)", ""]
    lines += ["| work | the paper | Cotenant | ours / theirs |", "|---|---:|---:|---:|"]
    for line in table.lines:
        shown = cells(line, line.find(results))
        lines.append(f"| {line.what} | {' | '.join(shown)} |")
    lines += ["", f"*How ours was measured:* {table.how}", ""]
    lines.append(f"*Where the comparison limps:* {' '.join(filter(None, limps(table)))}")
    return "\n".join(lines)


def limps(table: Table) -> tuple[str, str]:
    """Return where a comparison limps, and why figures of the paper are missing."""
    return table.limps, table.unknown


def _with_unit(value: float, unit: str) -> str:
    return f"{printed(_rounded(value))} {unit}".strip()


def _rounded(value: float) -> float:
    """Return a figure with as many digits as a table should show."""
    return float(f"{value:.3g}") if abs(value) < 1000 else round(value)
