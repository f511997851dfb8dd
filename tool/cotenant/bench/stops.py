# SPDX-License-Identifier: BSD-2-Clause
"""The stop of a tenant with devices: the call that ends it, and what the console service does then.

The second is done in pieces, with looks at interrupts between them: the longest stretch without one
is what a stop can delay others by.
"""

from cotenant.bench.paths import MonitorPath, record
from cotenant.bench.row import Row, row
from cotenant.bench.systems import payload, system
from cotenant.errors import BenchError
from cotenant.run.session import Session

_BUDGET = 400
_PATHS = 400
_DEVICES = ["rtc", *(f"virtio{slot}" for slot in range(8))]
# Functions that are passed through once in the call, and in each piece.
_CALL = "halt"
_PIECE = "teardown_step"


def run(quick: bool) -> list[Row]:
    """Measure the two; `quick` is no less."""
    del quick
    names = {"call": "the call that ends it", "stretch": "longest stretch of the rest"}
    return [
        row(f"stop of a tenant with 9 devices: {names[key]}", "instructions", value, None, _BUDGET)
        for key, value in measure().items()
    ]


def trace() -> list[MonitorPath]:
    """Return the paths of a tenant that reboots again and again, the longest first."""

    def started(session: Session) -> None:
        session.expect("reboot", "^booted$")

    again = payload("reboot", "reboot", memory="64K", arguments="delay=0", devices=_DEVICES)
    return record(system(again), sstc=False, icount=0, prepare=started, total=_PATHS)


def measure() -> dict[str, int]:
    """Return the instructions of the call, and of the longest stretch behind it."""
    paths = trace()
    calls = [path for path in paths if _CALL in path.functions and path.reason == "SBI call"]
    pieces = [path for path in paths if _PIECE in path.functions]
    if not calls or not pieces:
        raise BenchError(f"no stop was seen among {sorted({path.kind for path in paths})}")
    return {
        "call": max(calls, key=lambda path: path.count).length,
        "stretch": max(path.longest_stretch for path in pieces),
    }
