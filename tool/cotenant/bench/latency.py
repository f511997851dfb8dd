# SPDX-License-Identifier: BSD-2-Clause
"""Wake-up latencies of FreeRTOS: alone, and beside a Linux that is busy in several ways.

A 1 kHz task measures from the moment its tick is due to the interrupt handler's first instruction,
and to its own. Time is counted in instructions (`-icount shift=6`: 15,625 instructions between two
ticks), so the figures do not depend on the host, nor on what else it does. The same image runs on
OpenSBI for comparison.
"""

import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cotenant import paths
from cotenant.bench import firmware, samples
from cotenant.bench.loads import LINUX, all_loads
from cotenant.bench.report.store import TIMELINE, Histogram, Store
from cotenant.bench.row import Row, row
from cotenant.bench.systems import TIMEOUT, linux, running, system, tenant
from cotenant.errors import BenchError
from cotenant.run.batch import Send
from cotenant.run.session import Session

IMAGE = "freertos-histogram"
ICOUNT = 5
SAMPLES = 100_000
# Half as many instructions between two samples, and so half as long a run for as many of them; with
# less, Linux would have too little of the hart for what it is to be busy with.
_ICOUNT = 6
# One machine keeps one processor of the host busy.
_AT_ONCE = 2
SAMPLES_QUICK = 5_000
RTOS = "rtos"
ALONE = "alone"
ON_OPENSBI = "alone on OpenSBI"

_POINTS = {"handler": "first handler instruction", "task": "task's first instruction"}
_BUDGET_AVERAGE = 200
_BUDGET_WORST = 400
_POLL_INTERVAL = 0.1
_RUN = re.compile(r"^bench: begin\n(?:bench: .*\n)*?^bench: end$", re.MULTILINE)


@dataclass(frozen=True)
class Latencies:
    """The samples of one run, in instructions after the moment that was due."""

    counts: dict[int, int]
    total: int

    @property
    def samples(self) -> int:
        """How many there are."""
        return sum(self.counts.values())

    @property
    def average(self) -> float:
        """The exact mean."""
        return self.total / self.samples

    def at(self, share: float) -> int:
        """Return the value that a share of the samples does not exceed."""
        seen = 0
        for value in sorted(self.counts):
            seen += self.counts[value]
            if seen >= share * self.samples:
                return value
        return max(self.counts)

    def figures(self) -> dict[str, float]:
        """Return what tables show, by name."""
        return {
            "min": min(self.counts),
            "average": round(self.average, 1),
            "p99.9": self.at(0.999),
            "max": max(self.counts),
        }


Run = dict[str, Latencies]


def run(quick: bool) -> list[Row]:
    """Measure without Sstc and with it; keep the histograms for the report."""
    count = SAMPLES_QUICK if quick else SAMPLES
    rows: list[Row] = []
    histograms: dict[str, Histogram] = {}
    store = Store.open()
    draw_timeline(store.folder / TIMELINE)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        both = list(pool.map(lambda sstc: dict(measure(count, sstc=sstc)), (False, True)))
    for suffix, runs in zip(("Sstc off", "Sstc on"), both, strict=True):
        rows += _rows(runs, suffix)
        for load, run_ in runs.items():
            for point, latencies in run_.items():
                name = f"{suffix}: {_POINTS[point]}: {load}"
                histograms[name] = Histogram("instructions", latencies.counts)
    store.put_histograms(histograms)
    return rows


def draw_timeline(output: Path) -> None:
    """Draw FreeRTOS taking the hart from a Linux that makes processes."""
    # Drawing needs a large library, which the other benchmarks need not wait for.
    from cotenant.bench.report.timeline import picture

    load = Send(LINUX, "forkload 1000000 >/dev/null 2>&1 & sleep 0.1")
    picture(system(linux(), rtos(f"icount={ICOUNT}")), [load], output, icount=ICOUNT)


def measure(count: int, *, sstc: bool) -> Iterator[tuple[str, Run]]:
    """Measure FreeRTOS on OpenSBI, alone on Cotenant, then beside Linux under every load."""
    arguments = f"icount={_ICOUNT} samples={count}"
    image = paths.TENANT_IMAGES / f"{IMAGE}.raw"
    output = firmware.run(image, sstc=sstc, icount=_ICOUNT, arguments=arguments)
    yield ON_OPENSBI, parse(output, ON_OPENSBI)
    with running(system(rtos(arguments)), sstc=sstc, icount=_ICOUNT) as session:
        session.wait_end()
        yield ALONE, parse(session.output(RTOS), ALONE)
    description = system(linux(), rtos(f"icount={_ICOUNT}"))
    with running(description, sstc=sstc, icount=_ICOUNT) as session:
        session.wait_ready(LINUX)
        session.expect(RTOS, "^bench: ready$")
        for load in all_loads():
            load.start(session)
            yield load.name, take(session, count, load.name, partial(load.go_on, session))
            load.stop(session)


def parse(output: str, who: str) -> Run:
    """Return the latencies that the application printed. Raises BenchError if they are not all."""
    counts: dict[str, dict[int, int]] = {point: {} for point in _POINTS}
    totals: dict[str, tuple[int, int]] = {}
    for name, values in samples.parse(output, who):
        point = name.removesuffix("-at")
        if name in _POINTS and len(values) == 2:
            totals[name] = (values[0], values[1])
        elif point in _POINTS and len(values) == 2:
            counts[point][values[0]] = values[1]
    for point in _POINTS:
        if point not in totals or sum(counts[point].values()) != totals[point][0]:
            raise BenchError(f"{who}: the histogram of the {_POINTS[point]} is not complete")
    return {point: Latencies(counts[point], totals[point][1]) for point in _POINTS}


def take(session: Session, count: int, load: str, go_on: Callable[[], None] = lambda: None) -> Run:
    """Have the application take samples while a load, of this name, goes on."""
    return parse(take_output(session, count, load, go_on), load)


def take_output(
    session: Session, count: int, load: str, go_on: Callable[[], None] = lambda: None
) -> str:
    """Have the application take samples; return the lines that it printed."""
    start = len(session.output(RTOS))
    session.send(RTOS, f"{count}\n".encode())
    deadline = time.monotonic() + TIMEOUT
    while not (found := _RUN.search(session.output(RTOS), start)):
        if session.console.ended or session.console.has_ended(RTOS):
            raise BenchError(f"the machine or FreeRTOS ended under {load}")
        if time.monotonic() > deadline:
            raise BenchError(f"{count} samples under {load} took more than {TIMEOUT:g} s")
        go_on()
        time.sleep(_POLL_INTERVAL)
    return found[0]


def rtos(arguments: str) -> str:
    """Return the table of the application."""
    return tenant(RTOS, priority=10, memory="4M", image=IMAGE, fp=False, arguments=arguments)


def _rows(runs: dict[str, Run], suffix: str) -> list[Row]:
    """Return each load's figures beside those of OpenSBI, and what it adds to FreeRTOS alone."""
    rows = []
    for point, label in _POINTS.items():
        other = runs[ON_OPENSBI][point].figures()
        alone = runs[ALONE][point].figures()
        for load, run_ in runs.items():
            if load == ON_OPENSBI:
                continue
            figures = run_[point].figures()
            for name, value in figures.items():
                rows.append(
                    row(f"{label}, {load}, {suffix}: {name}", "instructions", value, other[name])
                )
            if point == "handler" and load != ALONE:
                added = figures["average"] - alone["average"]
                worst = figures["max"] - alone["max"]
                rows += [
                    _added(
                        f"{label}, {load}, {suffix}: added to the average", added, _BUDGET_AVERAGE
                    ),
                    _added(f"{label}, {load}, {suffix}: added to the worst", worst, _BUDGET_WORST),
                ]
    return rows


def _added(name: str, value: float, budget: float) -> Row:
    return row(name, "instructions", round(value, 1), None, budget)
