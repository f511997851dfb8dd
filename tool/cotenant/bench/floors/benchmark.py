# SPDX-License-Identifier: BSD-2-Clause
"""Floors: instructions of the work that cannot be left out of paths that are above their budget.

Programs of bench/floors do it without any decision; each has a paragraph that says what is in it
and what is left out. The figures beside them are those of other benchmarks.
"""

from cotenant.bench.floors.counts import measure
from cotenant.bench.row import Row, row

_UNIT = "instructions"
_SWITCHES = {
    "switch_plain": "no FP, Sstc off",
    "switch_fp": "FP in both, Sstc off",
    "switch_sstc": "no FP, Sstc on",
    "switch_sstc_fp": "FP in both, Sstc on",
}
_WAYS = {"in": "in (timer)", "out": "out (WFI)"}


def run(quick: bool) -> list[Row]:
    """Run each program once; `quick` is no less. Raises BenchError if one does not do its work."""
    del quick
    switch = measure("switch")
    rows = [
        row(f"world switch, {what}: {way}", _UNIT, switch[f"{name}_{key}"])
        for name, what in _SWITCHES.items()
        for key, way in _WAYS.items()
    ]
    waiting = measure("list")
    return [
        *rows,
        *(
            row(
                f"eight tenants instead of two: added {way}",
                _UNIT,
                waiting[f"list_{key}_7"] - waiting[f"list_{key}_1"],
            )
            for key, way in _WAYS.items()
        ),
        row("switch of operating systems, 2 devices", _UNIT, measure("osswitch")["os_switch"]),
        row("store of a byte to a virtual UART", _UNIT, measure("store")["store"]),
    ]
