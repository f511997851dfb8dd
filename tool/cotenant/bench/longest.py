# SPDX-License-Identifier: BSD-2-Clause
"""The monitor's paths while Linux works beside FreeRTOS: what each takes, and the longest one.

The monitor runs with interrupts off, so its longest path is what it can add to any latency. Linux
makes processes, computes and floods its console; its own console is typed into meanwhile.
"""

from cotenant.bench.paths import MonitorPath, kinds, record
from cotenant.bench.row import Row, row
from cotenant.bench.systems import linux, system, tenant
from cotenant.run.session import Session

_BUDGET = 400
_PATHS = 40000
_PATHS_QUICK = 6000
# Instructions of 2**5 ns: enough of the tenants' timer interrupts in few instructions.
_ICOUNT = 5
_LOAD = "cat >/dev/null & cpuload 100000 & forkload 100000 & while :; do cat /proc/kallsyms; done"
_TYPED = b"0123456789abcdef\n" * 4000


def run(quick: bool) -> list[Row]:
    """Trace a loaded system, without Sstc and with it."""
    rows = []
    for sstc in (False, True):
        paths = trace(sstc=sstc, total=_PATHS_QUICK if quick else _PATHS)
        rows += rows_of(paths, "Sstc on" if sstc else "Sstc off")
    return rows


def trace(*, sstc: bool, total: int) -> list[MonitorPath]:
    """Return `total` paths of the loaded system, the longest first."""
    rtos = tenant(
        "rtos",
        priority=10,
        memory="4M",
        image="freertos-latency",
        fp=False,
        arguments="report=100ms",
    )

    def load(session: Session) -> None:
        session.wait_ready("linux")
        session.send("linux", f"{_LOAD}\n".encode() + _TYPED)
        session.expect("rtos", "latency: ")

    return record(system(rtos, linux()), sstc=sstc, icount=_ICOUNT, prepare=load, total=total)


def rows_of(paths: list[MonitorPath], suffix: str) -> list[Row]:
    """Return the longest path with its place, then the usual and the longest one of each kind."""
    longest = paths[0]
    stretch = max(paths, key=lambda path: path.longest_stretch)
    timer = max(paths, key=lambda path: path.longest_timer_stretch)
    rows = [
        _row(f"longest path of all, {suffix} ({_place(longest)})", longest.length, _BUDGET),
        _row(
            f"longest stretch without a look at interrupts, {suffix} ({_place(stretch)})",
            stretch.longest_stretch,
            _BUDGET,
        ),
        _row(
            f"longest of them for the timer, {suffix} ({_place(timer)})",
            timer.longest_timer_stretch,
            _BUDGET,
        ),
    ]
    for kind in kinds(paths):
        rows.append(_row(f"{kind.name}, {suffix}, median of {kind.count}", kind.median))
        rows.append(
            _row(f"{kind.name}, {suffix}, longest ({kind.longest.profile})", kind.longest.length)
        )
    return rows


def _place(path: MonitorPath) -> str:
    return f"{path.kind}; {path.profile}"


def _row(name: str, instructions: float, budget: float | None = None) -> Row:
    return row(name, "instructions", instructions, None, budget)
