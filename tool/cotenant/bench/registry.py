# SPDX-License-Identifier: BSD-2-Clause
"""The benchmarks that there are: to add one, write a module with `run` and list it here."""

from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from cotenant.bench.row import Row
from cotenant.errors import BenchError


class Runnable(Protocol):
    """What a benchmark's module has."""

    def run(self, quick: bool) -> list[Row]:
        """Measure; `quick` takes fewer samples. Raises CotenantError without a complete result."""


@dataclass(frozen=True)
class Benchmark:
    """One benchmark: its module below `cotenant.bench`, and what it measures."""

    module: str
    description: str
    by_default: bool = True
    """whether `cotenant bench` without a name runs it; not what takes many minutes"""
    quick_by_default: bool = False
    """whether it takes fewer samples then"""
    needs: tuple[str, ...] = ()
    """the benchmarks that are run before it, if it is run in full"""

    def load(self) -> Runnable:
        """Import the module, which other benchmarks need not do."""
        return cast(Runnable, import_module(f"cotenant.bench.{self.module}"))


BENCHMARKS: dict[str, Benchmark] = {
    "sbi": Benchmark(
        "sbi", "instructions per SBI call, timer interrupt and emulated device access"
    ),
    "rtl": Benchmark(
        "rtl.benchmark",
        "clock cycles on the Rocket core's RTL: switches, latencies, calls",
        by_default=False,
    ),
    "switch": Benchmark("switch", "instructions per world switch, each way, by kinds of tenants"),
    "floors": Benchmark(
        "floors.benchmark",
        "what the smallest programs take for a switch, an emulated store, and eight tenants",
    ),
    "osswitch": Benchmark(
        "osswitch.benchmark",
        "from one operating system to another by suspend to RAM, and the parts of it",
        by_default=False,
    ),
    "debian": Benchmark(
        "osswitch.debian", "the same between two whole Debian with systemd", by_default=False
    ),
    "stops": Benchmark("stops", "instructions of the stop of a tenant, and its longest stretch"),
    "save": Benchmark(
        "save", "instructions of the save of a Linux that has suspended", by_default=False
    ),
    "latency": Benchmark(
        "latency",
        "FreeRTOS's wake-up latencies, alone and beside a busy Linux",
        quick_by_default=True,
    ),
    "extensions": Benchmark(
        "extensions",
        "what a tenant adds to the wake-up of an RTOS by optional extensions of the SBI",
        quick_by_default=True,
    ),
    "vector": Benchmark(
        "vector", "vector registers that change hands: switches, and an RTOS's wake-up above them"
    ),
    "longest": Benchmark(
        "longest",
        "the monitor's paths beside a busy Linux, the longest one",
        quick_by_default=True,
    ),
    "bounds": Benchmark(
        "bounds", "the longest stretches of lean monitors, computed from their ELF files"
    ),
    "channel": Benchmark(
        "channel.benchmark",
        "channels between a Linux process and an RTOS, beside pipes and the loopback of that Linux",
        quick_by_default=True,
    ),
    "components": Benchmark(
        "components",
        "the component OS: invocations beside the hardware's floor, restarts, deadlines",
        quick_by_default=True,
    ),
    "machine": Benchmark(
        "machine", "FreeRTOS's own port in machine mode, beside ours and beside the bare machine"
    ),
    "guard": Benchmark(
        "guard",
        "Linux's disk and network, guarded and trusted",
        quick_by_default=True,
    ),
    "hosted": Benchmark(
        "hosted",
        "guests of a host Linux: the monitor's part, and the kernels' work in host and guest",
        by_default=False,
    ),
    "devices": Benchmark(
        "hosted_devices",
        "disk and network of a guest and of a served tenant, beside the owner's own",
        by_default=False,
    ),
    "programs": Benchmark(
        "papers.programs",
        "programs of Debian: dbench in a guest, a build with a compiler beside an RTOS",
        by_default=False,
    ),
    "papers": Benchmark(
        "papers.benchmark",
        "five papers' tables and figures beside ours, in papers.html",
        by_default=False,
        needs=(
            *("osswitch", "debian", "hosted", "latency", "linux", "components", "ports"),
            *("sizes", "switch", "rtl", "programs"),
        ),
    ),
    "sample": Benchmark("sample", "the run that README.md shows", by_default=False),
    "sizes": Benchmark(
        "sizes", "lines and bytes of the monitor, and of lean ones", by_default=False
    ),
    "ports": Benchmark("ports", "lines of the ports of FreeRTOS and lwIP", by_default=False),
    "linux": Benchmark(
        "linux.benchmark",
        "the stock Debian kernel's work, on packaged OpenSBI and beside a FreeRTOS",
        quick_by_default=True,
    ),
}


def default() -> dict[str, Benchmark]:
    """Return what `cotenant bench` without a name runs."""
    return {name: each for name, each in BENCHMARKS.items() if each.by_default}


def wanted(name: str | None, *, alone: bool) -> dict[str, Benchmark]:
    """Return what `cotenant bench` runs with a name, `alone` without those that it needs."""
    if name is None:
        return default()
    benchmark = find(name)
    before = () if alone else benchmark.needs
    return {each: find(each) for each in before} | {name: benchmark}


def find(name: str) -> Benchmark:
    """Return a benchmark, or raise BenchError with the names that there are."""
    try:
        return BENCHMARKS[name]
    except KeyError:
        known = ", ".join(BENCHMARKS)
        raise BenchError(f"there is no benchmark {name!r}; there are {known}") from None
