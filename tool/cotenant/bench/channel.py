# SPDX-License-Identifier: BSD-2-Clause
"""Channels between a Linux process and an RTOS on the same hart, beside what Linux has itself.

Streams stand beside pipes between processes, in the same Linux, in the same run, by the same
program; net.py has the networks. Time is counted in instructions, one a nanosecond.
"""

from cotenant.bench import net
from cotenant.bench.channel_figures import Figures, cost_rows, parse, way_rows
from cotenant.bench.errors import BenchError
from cotenant.bench.row import Row
from cotenant.bench.systems import linux, payload, running, system

_WAYS = ("stream", "pipe")
_IMAGE = "bench-channel"
# What a kernel does by itself in its first moments is not to be measured.
_REST = "sleep 2"


def run(quick: bool) -> list[Row]:
    """Measure both ways of each kind, the throughput, and what the monitor does for a message."""
    figures = exchange(200 if quick else 2000)
    rows = way_rows(figures, "32 bytes", "messages", *_WAYS)
    return rows + cost_rows("messages", costs()) + net.run(quick)


def exchange(count: int) -> Figures:
    """Return the times of each way, and MB/s by the size of messages."""
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
    return parse("channelbench", output, *_WAYS)


def costs() -> str:
    """Return what a sender prints whose receiver does not run meanwhile."""
    description = system(
        payload("sender", _IMAGE, priority=10, memory="4M", fp=False, arguments="cost=3"),
        payload("sink", _IMAGE, priority=5, memory="4M", fp=False, arguments="sink=1"),
        _channel("sender", "sink"),
    )
    with running(description, sstc=True) as session:
        session.expect("sender", "^cost: end$")
        return session.output("sender")


def _channel(*ends: str) -> str:
    return f'[channel.bench]\nkind = "stream"\nends = {list(ends)}\n'
