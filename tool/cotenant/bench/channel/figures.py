# SPDX-License-Identifier: BSD-2-Clause
"""What the programs that measure channels print, and the rows of the table that it becomes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from cotenant.bench.row import Row, row
from cotenant.errors import BenchError

_LABELS = {"out": "process to RTOS", "back": "RTOS to process", "round": "round trip"}
_COST = re.compile(r"^cost: size=(\d+) cycles=(\d+) notify=(\d+)\n", re.M)


@dataclass(frozen=True)
class Figures:
    """Of each way: nanoseconds by direction, and MB/s by the size of messages."""

    ways: Mapping[str, Mapping[str, float]]
    bulk: Mapping[str, Mapping[str, float]]


def parse_ways(program: str, output: str, name: str) -> dict[str, float]:
    """Return nanoseconds by direction; empty if there are none."""
    found = re.search(rf"^{program}: {name} out=(\d+) back=(\d+) round=(\d+)\n", output, re.M)
    return dict(zip(_LABELS, map(float, found.groups()), strict=True)) if found else {}


def parse_bulk(program: str, output: str, name: str) -> dict[str, float]:
    """Return MB/s by the size of messages."""
    found = re.findall(rf"^{program}: {name} size=(\d+) MBps=([\d.]+)\n", output, re.M)
    return {size: float(rate) for size, rate in found}


def parse(program: str, output: str, ours: str, other: str) -> Figures:
    """Return what a program printed of two ways; raises BenchError if it is not complete."""
    ways = {name: parse_ways(program, output, name) for name in (ours, other)}
    bulk = {name: parse_bulk(program, output, name) for name in (ours, other)}
    if not all(ways.values()) or not bulk[ours] or bulk[ours].keys() != bulk[other].keys():
        raise BenchError(f"the figures of {program} are not complete: {output}")
    return Figures(ways, bulk)


def way_rows(figures: Figures, what: str, message: str, ours: str, other: str) -> list[Row]:
    """Return both directions and the throughput of `ours` beside those of `other`."""
    rows = [
        row(f"{what}, {label}", "instructions", figures.ways[ours][name], figures.ways[other][name])
        for name, label in _LABELS.items()
    ]
    return rows + [
        row(f"process to RTOS, {message} of {size} bytes", "MB/s", rate, figures.bulk[other][size])
        for size, rate in figures.bulk[ours].items()
    ]


def cost_rows(what: str, output: str) -> list[Row]:
    """Return what a message costs its sender whose receiver does not run meanwhile."""
    rows = []
    for size, cycles, notify in _COST.findall(output):
        label = f"an RTOS sends {what} of {size} bytes"
        rows.append(row(f"{label}, library and monitor", "instructions", int(cycles)))
        rows.append(row(f"{label}, the monitor", "instructions", int(notify)))
    if not rows:
        raise BenchError(f"there are no costs: {output}")
    return rows
