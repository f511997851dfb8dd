# SPDX-License-Identifier: BSD-2-Clause
"""Streams between a Linux process and an RTOS on the same hart, beside pipes between processes.

Time is counted in instructions, one a nanosecond. The pipes are measured in the same Linux, in the
same run, by the same program.
"""

import re
from collections.abc import Mapping

from cotenant.bench.errors import BenchError
from cotenant.bench.row import Row, row
from cotenant.bench.systems import linux, payload, running, system

_WAY = re.compile(r"^channelbench: (pipe|stream) out=(\d+) back=(\d+) round=(\d+)\n", re.M)
_BULK = re.compile(r"^channelbench: (pipe|stream) size=(\d+) MBps=([\d.]+)\n", re.M)
_COST = re.compile(r"^cost: size=(\d+) cycles=(\d+)\n", re.M)
_LABELS = {"out": "process to RTOS", "back": "RTOS to process", "round": "round trip"}
_IMAGE = "bench-channel"
# What a kernel does by itself in its first moments is not to be measured.
_REST = "sleep 2"

_Figures = Mapping[str, Mapping[str, float]]


def run(quick: bool) -> list[Row]:
    """Measure both ways of a stream, its throughput, and what the monitor does for a message."""
    ways, bulk = exchange(200 if quick else 2000)
    rows = [
        row(f"32 bytes, {label}", "instructions", ways["stream"][name], ways["pipe"][name])
        for name, label in _LABELS.items()
    ]
    rows += [
        row(f"process to RTOS, messages of {size} bytes", "MB/s", rate, bulk["pipe"][size])
        for size, rate in bulk["stream"].items()
    ]
    return rows + [
        row(f"an RTOS sends {size} bytes, library and monitor", "instructions", cycles)
        for size, cycles in costs().items()
    ]


def exchange(count: int) -> tuple[_Figures, _Figures]:
    """Return the times of each way, and MB/s by the size of messages, for a pipe and a stream."""
    description = system(
        linux(arguments="console=ttyS0 loglevel=4 modules=virtio_mmio"),
        payload("rtos", _IMAGE, priority=10, memory="4M", fp=False),
        _channel("linux", "rtos"),
    )
    with running(description, sstc=True) as session:
        session.wait_ready("linux")
        code, output = session.command("linux", f"{_REST}; channelbench {count}")
    if code != 0:
        raise BenchError(f"channelbench ended with {code}: {output}")
    return parse(output)


def parse(output: str) -> tuple[_Figures, _Figures]:
    """Return what channelbench printed; raises BenchError if it is not complete."""
    ways = {name: dict(zip(_LABELS, map(float, rest), strict=True))
            for name, *rest in _WAY.findall(output)}  # fmt: skip
    bulk: dict[str, dict[str, float]] = {"pipe": {}, "stream": {}}
    for name, size, rate in _BULK.findall(output):
        bulk[name][size] = float(rate)
    if set(ways) != set(bulk) or not bulk["pipe"] or bulk["pipe"].keys() != bulk["stream"].keys():
        raise BenchError(f"the figures of channelbench are not complete: {output}")
    return ways, bulk


def costs() -> dict[str, int]:
    """Return the instructions of a message of each size whose receiver does not run meanwhile."""
    description = system(
        payload("sender", _IMAGE, priority=10, memory="4M", fp=False, arguments="cost=3"),
        payload("sink", _IMAGE, priority=5, memory="4M", fp=False, arguments="sink=1"),
        _channel("sender", "sink"),
    )
    with running(description, sstc=True) as session:
        session.expect("sender", "^cost: end$")
        return {size: int(cycles) for size, cycles in _COST.findall(session.output("sender"))}


def _channel(*ends: str) -> str:
    return f'[channel.bench]\nkind = "stream"\nends = {list(ends)}\n'
