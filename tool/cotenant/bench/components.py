# SPDX-License-Identifier: BSD-2-Clause
"""The component OS: invocations beside the floor of the hardware, restarts, deadlines beside them.

Instructions under `-icount shift=0`. The floor is measured by tenants/bench/bench-domains.c: two
traps, two changes of page tables, two returns, and nothing else.
"""

import re

from cotenant.bench import samples
from cotenant.bench.row import Row, row
from cotenant.bench.systems import payload, running, system
from cotenant.errors import BenchError
from cotenant.run.results import Latency, parse_latency

INVOCATION_BUDGET = 75
RESTART_BUDGET = 20_000

_METER = "components-meter"
_FLOOR = "bench-domains"
_CONTROL = "components-control"
_CRASHES = 2000
_CRASHES_QUICK = 200
_LINE = re.compile(r"^components: crashes=(\d+) .*restart_cycles=(\d+)", re.MULTILINE)


def run(quick: bool) -> list[Row]:
    """Measure; `quick` crashes components less often. Raises BenchError or RunError."""
    crashes = _CRASHES_QUICK if quick else _CRASHES
    asids, fences = measure(asids=True), measure(asids=False)
    floors = samples.medians(_output(_FLOOR), _FLOOR)
    loop, crashed, restart = _control(crashes)
    return [
        row(
            "invocation and return",
            "instructions",
            asids["invocation"],
            floors["floor"],
            INVOCATION_BUDGET,
        ),
        row(
            "invocation and return, no ASIDs",
            "instructions",
            fences["invocation"],
            floors["floor_fence"],
        ),
        row("smallest call of the kernel", "instructions", asids["kernel_call"]),
        row("restart of an idle component", "instructions", asids["restart"], None, RESTART_BUDGET),
        row("restart of one in use, longest", "instructions", restart, None, RESTART_BUDGET),
        row("restarts beside the control loop", "restarts", crashed),
        row("periods of the control loop", "periods", loop.samples),
        row("periods of the control loop missed", "periods", loop.missed, None, 0),
        row("latest start of a period", "us", loop.max_us),
    ]


def measure(*, asids: bool) -> dict[str, int]:
    """Return the instructions of an invocation, a call of the kernel, and a restart."""
    return samples.medians(_output(_METER, f"asids={int(asids)}"), _METER)


def _output(image: str, arguments: str = "") -> str:
    tenant = payload("components", image, memory="8M", fp=False, arguments=arguments)
    with running(system(tenant), sstc=False) as session:
        session.wait_end()
        return session.output("components")


def _control(crashes: int) -> tuple[Latency, int, int]:
    """Return how late the periods began, the crashes beside them, and the longest restart."""
    output = _output(_CONTROL, f"report=100 crashes={crashes}")
    found = _LINE.findall(output)
    loop = parse_latency(output)
    if not found or loop is None or "components: missed" not in output:
        raise BenchError(f"{_CONTROL} did not come to its end; it printed {output[-300:]!r}")
    crashed, restart = map(int, found[-1])
    return loop, crashed, restart
