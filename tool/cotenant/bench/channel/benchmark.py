# SPDX-License-Identifier: BSD-2-Clause
"""Channels between a Linux process and an RTOS on the same hart, beside what Linux has itself.

Streams and memory channels stand beside pipes between processes, in the same Linux, in the same
run; net.py has the networks. Time is counted in instructions, one a nanosecond.
"""

from cotenant.bench.channel import net
from cotenant.bench.channel.figures import (
    Figures,
    cost_rows,
    parse,
    parse_bulk,
    parse_ways,
    way_rows,
)
from cotenant.bench.channel.sender import channel, costs
from cotenant.bench.row import Row, row
from cotenant.bench.systems import linux, payload, running, system
from cotenant.errors import BenchError

_WAYS = ("stream", "pipe")
_WINDOW_WAYS = ("doorbell", "asleep", "polling")
_IMAGE = "bench-channel"
# What a kernel does by itself in its first moments is not to be measured.
_REST = "sleep 2"


def run(quick: bool) -> list[Row]:
    """Measure both ways of each kind, the throughput, and what the monitor does for a message."""
    streams, windows = exchange(200 if quick else 2000)
    rows = way_rows(streams, "32 bytes", "messages", *_WAYS)
    rows += window_rows(streams, windows)
    return rows + cost_rows("messages", costs("stream", _IMAGE, "cost=3")) + net.run(quick)


def window_rows(streams: Figures, windows: Figures) -> list[Row]:
    """Return the rows of a memory channel beside the pipe, which is measured with the streams."""
    beside = Figures(
        {"doorbell": windows.ways["doorbell"], "pipe": streams.ways["pipe"]},
        {"doorbell": windows.bulk["doorbell"], "pipe": streams.bulk["pipe"]},
    )
    rows = way_rows(beside, "memory channel, 32 bytes", "shared messages", "doorbell", "pipe")
    for name, label in (("polling", "process that polls"), ("asleep", "process of an idle Linux")):
        back = windows.ways[name]["back"]
        rows.append(row(f"memory channel, 32 bytes, RTOS to {label}", "instructions", back))
    return rows


def exchange(count: int) -> tuple[Figures, Figures]:
    """Return the times of each way, and MB/s by the size of messages: streams, memory channels."""
    description = system(
        linux(arguments="console=ttyS0 loglevel=4 modules=virtio_mmio"),
        payload("rtos", _IMAGE, priority=10, memory="4M", fp=False),
        payload("sharer", "bench-memory", priority=10, memory="4M", fp=False),
        channel("stream", "linux", "rtos"),
        '[channel.window]\nkind = "memory"\nends = ["linux", "sharer"]\nsize = "256K"\n',
    )
    with running(description, sstc=True) as session:
        session.wait_ready("linux")
        command = f"{_REST}; channelbench {count} && memorybench {count}"
        code, output = session.command("linux", command)
    if code != 0:
        raise BenchError(f"channelbench or memorybench ended with {code}: {output}")
    return (
        parse("channelbench", output, *_WAYS),
        parse_windows(output),
    )


def parse_windows(output: str) -> Figures:
    """Return what memorybench printed: three ways, the first of them with a throughput."""
    program = "memorybench"
    shown = {name: parse_ways(program, output, name) for name in _WINDOW_WAYS}
    bulk = parse_bulk(program, output, "doorbell")
    if not all(shown.values()) or not bulk:
        raise BenchError(f"the figures of {program} are not complete: {output}")
    return Figures(shown, {"doorbell": bulk})
