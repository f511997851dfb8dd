# SPDX-License-Identifier: BSD-2-Clause
"""A window of a timeline as a picture: SVG, or PNG by the name of the file."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cotenant.errors import TraceError
from cotenant.trace.timeline import IDLE, Event, HartTimeline, Track

_COLOURS = ("#4c78a8", "#54a24b", "#b279a2", "#eeca3b", "#72b7b2", "#ff9da6", "#9d755d", "#e45756")
_TRACK_COLOURS = {
    Track.INTERRUPTS: "#f58518",
    Track.CALLS: "#79706e",
    Track.DEVICES: "#8c6bb1",
    Track.WAITS: "#439894",
    Track.FAULTS: "#d62728",
    Track.CONSOLE: "#bab0ac",
    Track.TENANTS: "#000000",
}
_WIDTH, _LANE_HEIGHT, _MARGIN = 11.0, 0.42, 1.1  # inches
# Bars closer together than this share of the window are drawn as one: the eye cannot tell.
_FINEST = 1 / 1000
# A bar that takes this share of the window and more for each letter has its name written on it.
_LETTER = 1 / 150
_UNITS = (("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1_000), ("ns", 1))


@dataclass(frozen=True)
class Window:
    """From `start` on, `length` long; nanoseconds."""

    start: int
    length: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + self.length

    def cut(self, events: Sequence[Event]) -> list[Event]:
        """Return what of the events is inside."""
        return [
            Event(max(event.start, self.start), min(event.end, self.end), event.name)
            for event in events
            if event.end >= self.start and event.start < self.end
        ]


@dataclass(frozen=True)
class _Lane:
    label: str
    colour: str
    events: list[Event]
    named: bool
    """the bars have different names, to be written on them"""


def draw(harts: Sequence[HartTimeline], window: Window, output: Path) -> None:
    """Write the picture. Raises TraceError if nothing was recorded in the window."""
    lanes = [lane for hart in harts for lane in _lanes(hart, window, len(harts) > 1)]
    if not lanes:
        raise TraceError(
            f"nothing was recorded between {window.start / 1e9:g} and {window.end / 1e9:g} s "
            "of the machine's time: choose another window"
        )
    with matplotlib.rc_context({"svg.hashsalt": "cotenant", "svg.fonttype": "none"}):
        figure = Figure(figsize=(_WIDTH, _MARGIN + _LANE_HEIGHT * len(lanes)), layout="constrained")
        axes = figure.subplots()
        unit, nanoseconds = _unit(window.length)
        for row, lane in enumerate(lanes):
            _draw_lane(axes, row, lane, window, nanoseconds)
        axes.set_yticks(range(len(lanes)), [lane.label for lane in lanes])
        axes.invert_yaxis()
        axes.set_xlim(0, window.length / nanoseconds)
        axes.set_xlabel(f"{unit} from {window.start / 1e9:.6f} s of the machine's time on")
        axes.grid(axis="x", color="#e0e0e0", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
        metadata = {"Date": None} if output.suffix == ".svg" else None
        try:
            figure.savefig(output, metadata=metadata, dpi=150)
        except OSError as error:
            raise TraceError(f"{output} cannot be written: {error.strerror}") from error
        except ValueError as error:
            raise TraceError(f"{output} cannot be drawn: {error}; name it .svg or .png") from error


def _lanes(hart: HartTimeline, window: Window, several: bool) -> list[_Lane]:
    """Return a lane for each tenant that runs in the window, then one for each track in use."""
    prefix = f"{hart.name}: " if several else ""
    # The order and colours are those of the whole trace, so that windows of one can be compared.
    tenants = sorted({event.name for event in hart.running} - {IDLE})
    lanes = [
        _Lane(
            prefix + name,
            _COLOURS[number % len(_COLOURS)],
            window.cut([event for event in hart.running if event.name == name]),
            False,
        )
        for number, name in enumerate(tenants)
    ]
    lanes += [
        _Lane(prefix + track.value, _TRACK_COLOURS[track], window.cut(events), True)
        for track, events in hart.tracks.items()
    ]
    return [lane for lane in lanes if lane.events]


def _unit(length: int) -> tuple[str, int]:
    """Return the largest unit of which the window holds several, and its nanoseconds."""
    return next(unit for unit in _UNITS if length >= 2 * unit[1] or unit[1] == 1)


def _draw_lane(axes: Axes, row: int, lane: _Lane, window: Window, nanoseconds: int) -> None:
    finest = window.length * _FINEST
    bars = [
        ((start - window.start) / nanoseconds, max(end - start, finest) / nanoseconds)
        for start, end in _merged(lane.events, finest)
    ]
    axes.broken_barh(bars, (row - 0.34, 0.68), color=lane.colour, linewidth=0)
    if lane.named:
        _write_names(axes, row, lane, window, nanoseconds)


def _merged(events: Sequence[Event], gap: float) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for event in events:
        if merged and event.start - merged[-1][1] < gap:
            merged[-1] = (merged[-1][0], max(merged[-1][1], event.end))
        else:
            merged.append((event.start, event.end))
    return merged


def _write_names(axes: Axes, row: int, lane: _Lane, window: Window, nanoseconds: int) -> None:
    """Write the name of an event on it, or behind it up to where the next one begins."""
    starts = [event.start for event in lane.events[1:]] + [window.end]
    for event, next_start in zip(lane.events, starts, strict=True):
        needed = len(event.name) * window.length * _LETTER
        inside = event.end - event.start >= needed
        if inside or next_start - event.end >= needed:
            axes.annotate(
                event.name,
                (((event.start if inside else event.end) - window.start) / nanoseconds, row),
                xytext=(3, 0),
                textcoords="offset points",
                color="white" if inside else "#404040",
                fontsize=8,
                va="center",
            )
