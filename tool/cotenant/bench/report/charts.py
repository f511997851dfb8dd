# SPDX-License-Identifier: BSD-2-Clause
"""Pictures of figures as SVG text for the report: bars, and histograms of latencies.

Text and lines take the colours of the page around them, so that a picture can be read on a light
and on a dark page.
"""

import io
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from cotenant.bench.report.store import Histogram
from cotenant.bench.row import Row

# Colours of the drawing and what the page has for them; the others are fit for both.
_TEXT = "#000001"
_FAINT = "#000002"
_BACK = "#000003"
_PAGE_COLOURS = {_TEXT: "currentColor", _FAINT: "var(--faint)", _BACK: "var(--back)"}
_OURS = "#2f7fc1"
_OTHER = "#d98a2b"
_BUDGET = "#d0405a"

_WIDTH = 9.0
_BAR_HEIGHT = 0.42
_HISTOGRAM_HEIGHT = 1.15
_LONGEST_LABEL = 62


def bars(rows: Sequence[Row], other: str = "the other") -> str:
    """Draw rows of one unit: ours, the other's where there is one, and the budget as a mark.

    `other` is what the legend calls the other.
    """
    with _style():
        figure = Figure(figsize=(_WIDTH, 0.9 + _BAR_HEIGHT * len(rows)), layout="constrained")
        axes = figure.subplots()
        for place, row in enumerate(rows):
            _row(axes, place, row)
        axes.set_yticks(range(len(rows)), [_shortened(row.name) for row in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(left=min(0, *(row.ours for row in rows)))
        axes.margins(x=0.08)
        axes.set_xlabel(rows[0].unit)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.4g}"))
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        axes.tick_params(axis="y", length=0)
        _legend(figure, axes, rows, other)
        return _svg(figure)


def histograms(
    named: Sequence[tuple[str, Histogram]], what: str = "after the moment that was due"
) -> str:
    """Draw histograms one below the other, on one scale of values and a log scale of counts.

    `what` says, behind their unit, what the values are.
    """
    with _style():
        height = 0.6 + _HISTOGRAM_HEIGHT * len(named)
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        all_axes = figure.subplots(len(named), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
        largest = max(max(each.counts) for _, each in named)
        for axes, (name, histogram) in zip(all_axes, named, strict=True):
            _histogram(axes, name, histogram, largest)
        all_axes[-1].set_xlabel(f"{named[0][1].unit} {what}")
        return _svg(figure)


def series(named: Sequence[tuple[str, Sequence[int]]], along: str, unit: str) -> str:
    """Draw values in their order, one series below the other, on one scale."""
    with _style():
        height = 0.6 + _HISTOGRAM_HEIGHT * len(named)
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        all_axes = figure.subplots(len(named), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
        for axes, (name, values) in zip(all_axes, named, strict=True):
            axes.plot(range(len(values)), values, lw=0.5, color=_OURS)
            axes.set_ylabel(unit)
            axes.grid(axis="both")
            axes.set_axisbelow(True)
            axes.ticklabel_format(axis="y", useOffset=False)
            least, most = min(values), max(values)
            title = f"{name}: {len(values):,} values from {least:,} to {most:,}"
            axes.set_title(title, loc="left", fontsize=9)
        all_axes[-1].set_xlabel(along)
        return _svg(figure)


def standalone(element: str) -> str:
    """Return a picture for a document: as a file, in colours and on a ground of its own."""
    text = element.replace("currentColor", "#1c2024").replace("var(--faint)", "#c9ccd1")
    text = text.replace("var(--back)", "#ffffff")
    ground = '<rect width="100%" height="100%" fill="#ffffff"/>'
    first, _, rest = text.partition(">")
    return f"{first}>{ground}{rest}"


def _style() -> AbstractContextManager[None]:
    return mpl.rc_context(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "cotenant",
            "font.family": "sans-serif",
            "font.size": 9,
            "text.color": _TEXT,
            "axes.edgecolor": _FAINT,
            "axes.labelcolor": _TEXT,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "xtick.color": _TEXT,
            "ytick.color": _TEXT,
            "grid.color": _FAINT,
            "grid.linewidth": 0.5,
            "legend.frameon": False,
        }
    )


def _row(axes: Axes, place: int, row: Row) -> None:
    if row.budget is not None:
        axes.plot([row.budget] * 2, [place - 0.45, place + 0.45], color=_BUDGET, lw=1.8)
    if row.other is None:
        _bar(axes, place, row.ours, 0.62, _OURS)
    else:
        _bar(axes, place - 0.19, row.ours, 0.38, _OURS)
        _bar(axes, place + 0.19, row.other, 0.38, _OTHER)


def _bar(axes: Axes, place: float, value: float, thickness: float, colour: str) -> None:
    axes.barh(place, value, thickness, color=colour)
    axes.annotate(
        f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}",
        (max(value, 0), place),
        (5, 0),
        textcoords="offset points",
        va="center",
        fontsize=7.5,
        color=_TEXT,
        bbox={"facecolor": _BACK, "edgecolor": "none", "pad": 0.8},
    )


def _legend(figure: Figure, axes: Axes, rows: Sequence[Row], other: str) -> None:
    entries = [axes.barh(0, 0, color=_OURS, label="Cotenant")]
    if any(row.other is not None for row in rows):
        entries.append(axes.barh(0, 0, color=_OTHER, label=other))
    handles: list[object] = list(entries)
    if any(row.budget is not None for row in rows):
        handles += axes.plot([], [], color=_BUDGET, lw=1.8, label="budget")
    figure.legend(handles=handles, loc="outside upper right", ncols=3)


def _histogram(axes: Axes, name: str, histogram: Histogram, largest: int) -> None:
    """Draw counts in bins of equal width: exact values would be thinner than a line can show."""
    width = max(1, largest // 400)
    binned: dict[int, int] = {}
    for value, count in histogram.counts.items():
        binned[value // width * width] = binned.get(value // width * width, 0) + count
    axes.bar(
        list(binned),
        list(binned.values()),
        width,
        align="edge",
        color=_OURS,
        edgecolor=_OURS,
        lw=0.4,
    )
    axes.set_yscale("log")
    axes.set_ylim(bottom=0.7)
    axes.set_xlim(0, largest * 1.04)
    axes.set_ylabel("samples")
    axes.grid(axis="both")
    axes.set_axisbelow(True)
    worst = max(histogram.counts)
    total = sum(histogram.counts.values())
    mean = sum(value * count for value, count in histogram.counts.items()) / total
    axes.axvline(worst, color=_BUDGET, lw=1)
    axes.set_title(
        f"{name}: {total:,} samples, average {mean:,.0f}, worst {worst:,}", loc="left", fontsize=9
    )


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST_LABEL else f"{name[: _LONGEST_LABEL - 1]}…"


def _svg(figure: Figure) -> str:
    """Return the picture in the colours of the page around it."""
    buffer = io.StringIO()
    figure.savefig(
        buffer,
        format="svg",
        transparent=True,
        metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")),
    )
    text = buffer.getvalue()
    for drawn, shown in _PAGE_COLOURS.items():
        text = text.replace(drawn, shown)
    return as_element(text)


def as_element(document: str) -> str:
    """Return the element of an SVG document, as wide as the page lets it be."""
    text = document[document.index("<svg") :]
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    return re.sub(r'(<svg[^>]*?) width="[^"]*"', r'\1 width="100%"', text, count=1)
