# SPDX-License-Identifier: BSD-2-Clause
"""A picture of a few milliseconds: who has the hart, and what the monitor does meanwhile."""

from pathlib import Path

from cotenant.bench.systems import built
from cotenant.errors import BenchError
from cotenant.run import tracing
from cotenant.run.batch import Plan, Send
from cotenant.trace import ring, timeline
from cotenant.trace.picture import Window, draw
from cotenant.trace.system import read_bundle

_RING_BYTES = 1 << 20
_LENGTH_NS = 4_000_000


def picture(description: str, sends: list[Send], output: Path, *, icount: int) -> None:
    """Run a system, have its tenants carry out commands, and draw the last milliseconds."""
    with built(description, sstc=True, trace_ring=_RING_BYTES) as launch:
        system = read_bundle(launch.built.bundle)
        result, memory = tracing.run(launch, Plan(sends), icount, (), lambda _: None)
    if problems := result.problems():
        raise BenchError(f"no timeline was recorded: {'; '.join(problems)}")
    harts = timeline.build(ring.decode(memory, system), system)
    end = max((event.end for hart in harts for event in hart.running), default=0)
    output.parent.mkdir(parents=True, exist_ok=True)
    draw(harts, Window(end - _LENGTH_NS, _LENGTH_NS), output)
