# SPDX-License-Identifier: BSD-2-Clause
"""The run that README.md shows: stock Debian beside FreeRTOS, for five seconds in which it is up.

./cotenant run examples/linux-freertos.toml --batch --for 5s --send linux 'uname -sr'
"""

import re
import tempfile
from dataclasses import asdict
from pathlib import Path

from cotenant import paths
from cotenant.bench.row import Row, row
from cotenant.bench.systems import TIMEOUT
from cotenant.errors import BenchError
from cotenant.run.batch import BatchRun, Plan, Send
from cotenant.run.launch import prepare
from cotenant.run.results import Latency, RunResult, parse_latency
from cotenant.run.session import Session

_SYSTEM = paths.ROOT / "examples" / "linux-freertos.toml"
_ICOUNT = 3  # what `run` counts in by itself
_SECONDS = 5.0
_INIT = re.compile(r"^\[ *([\d.]+)\] Run /init as init process", re.MULTILINE)
_REPORT = re.compile(r"^latency: .*\n", re.MULTILINE)
_COUNTERS = ("cpu_ns", "switches", "interrupts", "faults", "starts", "hangs")


def run(quick: bool) -> list[Row]:
    """Run it; `quick` is no shorter."""
    del quick
    with tempfile.TemporaryDirectory(prefix="cotenant-bench.") as folder:
        launch = prepare(_SYSTEM, Path(folder) / "bundle.bin", console_mode="framed")
        session = Session(launch.machine(_ICOUNT), launch.ports, timeout=TIMEOUT)
        latencies: dict[str, Latency] = {}

        def report(step: str) -> None:
            if latency := parse_latency(session.output("freertos")):
                latencies[step] = latency

        plan = Plan([Send("linux", "uname -sr")], _SECONDS, timeout=TIMEOUT)
        result = BatchRun(session, plan, report).run()
        if not result.ok:
            raise BenchError(f"the run failed: {'; '.join(result.problems())}")
        return _rows(result, session.output("linux"), latencies["linux: uname -sr"])


def _rows(result: RunResult, linux: str, ready: Latency) -> list[Row]:
    """Return the figures; `ready` is what FreeRTOS had reported when Linux was ready."""
    rows = [row("time_ns", "ns", result.time_ns), row("init", "s", _init(linux))]
    for name, tenant in result.tenants.items():
        stats = asdict(tenant.stats)
        rows += [row(f"{name} {key}", "", stats[key]) for key in _COUNTERS]
    output = result.tenants["freertos"].output
    first = _REPORT.search(output)
    reports = {
        "first": parse_latency(first[0]) if first else None,
        "ready": ready,
        "last": parse_latency(output),
    }
    for when, latency in reports.items():
        if latency is None:
            raise BenchError("FreeRTOS has reported no latency")
        rows += [row(f"{when} {key}", "", value) for key, value in asdict(latency).items()]
    return rows


def _init(linux: str) -> float:
    found = _INIT.search(linux)
    if not found:
        raise BenchError("Linux has not told when it started init")
    return float(found[1])
