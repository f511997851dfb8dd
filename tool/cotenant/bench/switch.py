# SPDX-License-Identifier: BSD-2-Clause
"""World switches, each way, whole path: from the trap to the other world's first instruction.

The paths are read off a trace of the monitor's instructions, so the figures are exact whatever the
tenants do. `In` is the timer interrupt that gives the hart to the RTOS, `out` the RTOS's WFI that
gives it back.
"""

from dataclasses import dataclass
from statistics import fmean

from cotenant.bench.paths import Kind, MonitorPath, kinds, record
from cotenant.bench.row import Row, row
from cotenant.bench.systems import linux, payload, system, tenant
from cotenant.errors import BenchError
from cotenant.run.session import Session

IMAGE = "bench-switch"
IN = "timer interrupt, world switch"
OUT = "WFI or illegal instruction, world switch"

_BUDGET = 200
_SLOWER_WITH_MANY = 5.0
_PATHS = 600
_PATHS_OF_LINUX = 4000


@dataclass(frozen=True)
class Ways:
    """The median of each way, and the mean of both, over all switches that were seen."""

    into: float
    out: float
    mean: float


def run(quick: bool) -> list[Row]:
    """Measure every pair of kinds, then 2, 4 and 8 tenants on the hart, then Linux itself."""
    rows = []
    for sstc in (False, True):
        for rtos_fp in (False, True):
            for other_fp in (False, True):
                ways = measure_pair(sstc=sstc, rtos_fp=rtos_fp, other_fp=other_fp)
                rows += _rows(pair_name(sstc, rtos_fp, other_fp), ways)
    rows += _many_tenants()
    if not quick:
        for sstc in (False, True):
            rows += _rows(f"Linux and FreeRTOS, Sstc {_on(sstc)}", measure_linux(sstc=sstc))
    return rows


def measure_pair(
    *, sstc: bool, rtos_fp: bool = False, other_fp: bool = False, board: str = "qemu-virt"
) -> Ways:
    """Measure a periodic tenant above one that is always busy."""
    return _measure(system(_rtos(sstc, rtos_fp), _busy(other_fp), board=board), sstc)


def measure_many(count: int, *, with_devices: bool = False) -> Ways:
    """Measure the switches of `many_tenants`."""
    return _measure(many_tenants(count, with_devices=with_devices), False)


def many_tenants(count: int, *, with_devices: bool = False) -> str:
    """Return `count` tenants of which all but one are periodic, each with a period of its own.

    With a device each, the PMP entries of eight do not fit together.
    """
    periodic = (
        payload(
            f"rtos{number}",
            IMAGE,
            priority=10 + number,
            fp=False,
            arguments=f"period={300 + 37 * number}",
            devices=[f"virtio{number}"] if with_devices else [],
            trusted=with_devices,
        )
        for number in range(count - 1)
    )
    return system(*periodic, _busy(False))


def measure_linux(*, sstc: bool) -> Ways:
    """Measure FreeRTOS above a Linux that makes processes all the time."""
    rtos = tenant("rtos", priority=10, memory="4M", image="freertos-latency", fp=False)

    def load(session: Session) -> None:
        session.wait_ready("linux")
        session.send("linux", b"forkload 100000\n")
        session.expect("rtos", "latency: ")

    description = system(rtos, linux(memory="256M"))
    return _ways(record(description, sstc=sstc, icount=5, prepare=load, total=_PATHS_OF_LINUX))


def pair_name(sstc: bool, rtos_fp: bool, other_fp: bool) -> str:
    """Return what people call the switches between two payloads."""
    return f"payloads, {_fp_name(rtos_fp, other_fp)}, Sstc {_on(sstc)}"


def _many_tenants() -> list[Row]:
    counts = {count: measure_many(count) for count in (2, 4, 8)}
    rows = []
    for count, ways in counts.items():
        rows += _rows(f"{count} tenants, PMP permissions only", ways)
    rows += _rows("8 tenants, PMP addresses rewritten", measure_many(8, with_devices=True))
    slower = (counts[8].mean / counts[2].mean - 1) * 100
    rows.append(
        row(
            "8 tenants against 2, mean of all switches",
            "%",
            slower,
            None,
            _SLOWER_WITH_MANY,
        )
    )
    return rows


def _measure(description: str, sstc: bool) -> Ways:
    def started(session: Session) -> None:
        for name in session.tenants:
            session.expect(name, "^bench: start$")
        session.run_for(0.02)

    return _ways(record(description, sstc=sstc, icount=0, prepare=started, total=_PATHS))


def _ways(paths: list[MonitorPath]) -> Ways:
    found = {kind.name: kind for kind in kinds(paths)}
    switches = [path.length for path in paths if path.switches for _ in range(path.count)]
    return Ways(_kind(found, IN).median, _kind(found, OUT).median, fmean(switches))


def _kind(found: dict[str, Kind], name: str) -> Kind:
    if name not in found:
        seen = ", ".join(found) or "none"
        raise BenchError(f"no path of the kind {name!r} was seen, only {seen}")
    return found[name]


def _rows(what: str, ways: Ways) -> list[Row]:
    return [
        row(f"{what}: in (timer)", "instructions", ways.into, None, _BUDGET),
        row(f"{what}: out (WFI)", "instructions", ways.out, None, _BUDGET),
    ]


def _rtos(sstc: bool, fp: bool) -> str:
    arguments = f"period=500 fp={int(fp)} sstc={int(sstc)}"
    return payload("rtos", IMAGE, priority=10, fp=fp, arguments=arguments)


def _busy(fp: bool) -> str:
    return payload("busy", IMAGE, priority=1, fp=fp, arguments=f"pages=1 fp={int(fp)}")


def _fp_name(rtos: bool, other: bool) -> str:
    names = {
        (False, False): "no FP",
        (True, False): "FP in the RTOS",
        (False, True): "FP in the other",
        (True, True): "FP in both",
    }
    return names[rtos, other]


def _on(value: bool) -> str:
    return "on" if value else "off"
