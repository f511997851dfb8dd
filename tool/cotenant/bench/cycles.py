# SPDX-License-Identifier: BSD-2-Clause
"""Bounds in clock cycles: the longest stretches of the lean monitor of `bench rtl` on its core.

They need no simulation: the costs of the core's instructions are known (bench/rtl/costs.toml).
"""

import tempfile
from pathlib import Path

from cotenant import system as systems
from cotenant.bench.row import Row, row
from cotenant.bench.rtl import systems as rtl_systems
from cotenant.bounds import rocket
from cotenant.bounds.annotations import Annotations
from cotenant.bounds.monitor import Bound
from cotenant.bounds.of_system import bounds_of, by_name
from cotenant.plan import System

NAME = "rocket"
_ROUNDS = 6
_BUDGET = 400


def rows(annotations: Annotations | None = None) -> list[Row]:
    """Return, for each stretch, instructions and the cycles with warm and with cold caches."""
    with tempfile.TemporaryDirectory(prefix="cotenant-bounds.") as folder:
        bounds = bounds_of(load(Path(folder)), annotations)
    found = _figures(bounds.of_entries(), bounds.of_looks(), "instructions")
    for cost, figure in ((rocket.warm(), "cycles, warm"), (rocket.miss(), "cycles, cold")):
        stretches = bounds.counting(cost)
        entries, looks = bounds.of_entries(stretches), bounds.of_looks(stretches)
        found |= {
            name: bound + cost.start for name, bound in _figures(entries, looks, figure).items()
        }
    by_length = sorted({name for name, _ in found}, key=lambda name: -found[name, "instructions"])
    return [
        row(
            f"{name}: {figure}",
            figure.partition(",")[0],
            found[name, figure],
            None,
            _BUDGET if figure == "instructions" else None,
        )
        for name in by_length
        for figure in ("instructions", "cycles, warm", "cycles, cold")
    ]


def load(folder: Path) -> System:
    """Load the system, an RTOS above a tenant that thrashes the caches; `folder` takes its file."""
    file = folder / "system.toml"
    file.write_text(rtl_systems.rtos_beside_thrash(_ROUNDS), encoding="utf-8")
    return systems.load(file, lean=True)


def _figures(
    entries: dict[str, Bound], looks: list[Bound], figure: str
) -> dict[tuple[str, str], int]:
    return {
        (f"{NAME}, {name}", figure): bound.instructions
        for name, bound in by_name(entries, looks).items()
    }
