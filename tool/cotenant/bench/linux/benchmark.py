# SPDX-License-Identifier: BSD-2-Clause
"""What the stock Debian kernel takes for its work, on Cotenant and on packaged OpenSBI.

The rows give instructions, of all involved: the kernel's, the program's, the firmware's, and
beside an RTOS those of the RTOS. docs/performance/linux.md tells how they are measured.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from statistics import median

from cotenant import images
from cotenant.bench.linux import runs as linux_runs
from cotenant.bench.linux.runs import Beside, Samples
from cotenant.bench.row import Row, row
from cotenant.errors import BenchError

TOLERANCE = 1.015
"""what "never slower" allows: runs on the same firmware differ by that"""

# Random numbers decide where things lie in the kernel's memory, and so its work by about a per
# cent: what is compared are medians of runs with different ones.
_SEEDS = 3

_WORK_AT_1_KHZ = 0.05  # per cent
_AT_ONCE = 2

# What the Linux calls a measurement, and what people call it.
_SERVICES = {
    "boot": "boot, reset to init",
    "boot_firmware": "boot, reset to start of the kernel's clock",
    "boot_kernel": "boot, from there to init",
    "cpu": "CPU work, 100 M instructions",
    "syscall": "system call",
    "clock": "clock_gettime",
    "signal": "signal to self",
    "page_fault": "page fault",
    "mmap": "mmap and munmap",
    "fork_exit": "fork, exit, wait",
    "fork_exec": "fork, exec, wait",
    "thread": "thread, create and join",
    "pipe": "pipe, a byte to self",
    "switch": "pipe, two context switches",
    "timer_set": "timer, armed and disarmed",
    "timer_signal": "timer interrupt with signal, at 10 kHz",
    "wakeup": "timer due to woken up, idle",
    "self_ipi": "page fault with interrupt to self",
    "console": "console output, a byte",
    "console_time": "console output, a byte until it left",
    "hackbench_pipe": "hackbench, pipes",
    "hackbench_socket": "hackbench, sockets",
    "stress_cpu": "stress-ng cpu",
    "stress_fork": "stress-ng fork",
    "stress_switch": "stress-ng switch",
    "stress_futex": "stress-ng futex",
    "stress_vm": "stress-ng vm",
    "stress_timer": "stress-ng timer",
    "cyclictest": "cyclictest, average latency",
    "dbench": "dbench, a kilobyte",
    linux_runs.WHOLE: "Linux as a whole: boot, hackbench, stress-ng",
}
# Mostly waiting for a line of a certain speed, which is not Linux's or the firmware's work.
_WAITS = (_SERVICES["console_time"],)
# What Sstc changes.
_TIMERS = ("cpu", "timer_set", "timer_signal", "wakeup", "cyclictest", linux_runs.WHOLE)
_PER_100M = 10  # rounds of "cpu" in 100 M instructions


def run(quick: bool) -> list[Row]:
    """Measure; `quick` leaves Debian's benchmark programs out.

    Raises a CotenantError when any of the runs did not come to its end.
    """
    for image in (linux_runs.KERNEL, linux_runs.INITRAMFS):
        images.resolve(image)  # before the machines start, which would fetch it at the same time
    with ThreadPoolExecutor(_AT_ONCE) as pool:

        def start(
            measurement: Callable[..., Samples], *, sstc: bool, seeds: int
        ) -> list[Future[Samples]]:
            return [
                pool.submit(measurement, quick=quick, sstc=sstc, seed=seed + 1)
                for seed in range(seeds)
            ]

        ours = start(linux_runs.alone, sstc=False, seeds=_SEEDS)
        other = start(linux_runs.on_firmware, sstc=False, seeds=_SEEDS)
        ours_sstc = start(linux_runs.alone, sstc=True, seeds=1)
        other_sstc = start(linux_runs.on_firmware, sstc=True, seeds=1)
        beside = pool.submit(linux_runs.beside_rtos, quick=quick, sstc=False)
        beside_sstc = pool.submit(linux_runs.beside_rtos, quick=quick, sstc=True)
        try:
            return [
                *_compare(_results(ours), _results(other)),
                *_compare(_results(ours_sstc), _results(other_sstc), _TIMERS, ", Sstc"),
                *_with_rtos(beside.result(), ours[0].result(), _results(other)),
                *_added(beside_sstc.result(), ours_sstc[0].result(), ", Sstc"),
            ]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _results(runs: list[Future[Samples]]) -> list[Samples]:
    return [each.result() for each in runs]


def _compare(
    ours: list[Samples],
    other: list[Samples],
    names: tuple[str, ...] = tuple(_SERVICES),
    suffix: str = "",
) -> list[Row]:
    """Return a row for each measurement, and one for the whole; none may be slower."""
    _check_same([*ours, *other])
    return [
        _compared(_SERVICES[name] + suffix, _values(name, ours), _values(name, other))
        for name in names
        if name in ours[0]
    ]


def _compared(label: str, ours: list[float], other: list[float]) -> Row:
    """Return the row of medians."""
    if label in _WAITS:
        return row(label, "ns", median(ours), median(other))
    return row(label, "instructions", median(ours), median(other), median(other) * TOLERANCE)


def _with_rtos(beside: Beside, ours: Samples, other: list[Samples]) -> list[Row]:
    """Return rows of the Linux beside FreeRTOS, against OpenSBI without one: for information."""
    _check_same([beside.samples, ours, *other])
    rows = [
        row(
            f"{label}, beside RTOS",
            "ns" if label in _WAITS else "instructions",
            _value(name, beside.samples),
            median(_values(name, other)),
        )
        for name, label in _SERVICES.items()
        if name in ours
    ]
    return [*_added(beside, ours, ""), *rows]


def _added(beside: Beside, ours: Samples, suffix: str) -> list[Row]:
    """Return what an RTOS at 1 kHz adds to work of a fixed size, in per cent."""
    added = (beside.samples["cpu"].median / ours["cpu"].median - 1) * 100
    return [
        row(f"CPU work beside an RTOS at 1 kHz{suffix}", "% added", added, None, _WORK_AT_1_KHZ),
        row(f"of that the RTOS itself{suffix}", "%", beside.rtos_share * 100),
    ]


def _check_same(runs: list[Samples]) -> None:
    """Refuse to compare runs that did not measure the same."""
    names = {frozenset(each) for each in runs}
    if len(names) != 1:
        differing = frozenset.union(*names) - frozenset.intersection(*names)
        raise BenchError(
            f"not measured by every run: {', '.join(sorted(differing))}; they ran other programs"
        )
    unknown = runs[0].keys() - _SERVICES.keys()
    if unknown:
        raise BenchError(f"linux/bench measures what has no row: {', '.join(sorted(unknown))}")


def _values(name: str, runs: list[Samples]) -> list[float]:
    return [_value(name, each) for each in runs]


def _value(name: str, measured: Samples) -> float:
    each = measured[name].each
    return each * _PER_100M if name == "cpu" else each
