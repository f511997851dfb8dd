# SPDX-License-Identifier: BSD-2-Clause
"""Worst cases that are computed, not observed: the longest stretches of monitors.

In instructions, and, of the monitor of `bench rtl`, in clock cycles of its core, too.

The ways that they take go to build/report/bounds.json, place by place.
"""

import json
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from cotenant import durable, paths
from cotenant import system as systems
from cotenant.bench import cycles
from cotenant.bench.report.store import REPORT
from cotenant.bench.row import Row, row
from cotenant.bounds.annotations import Annotations
from cotenant.bounds.monitor import Bound
from cotenant.bounds.of_system import bounds_of, by_name
from cotenant.errors import BoundsError
from cotenant.plan import System

WAYS = "bounds.json"
EXAMPLES = (
    "linux-freertos",
    "machine-freertos",
    "hosted",
    "components",
    "switch-linux-freertos",
    "restart-storm",
    "vector",
    "smp-linux-freertos",
    "served",
    "unleashed",
    "icicle",
    "smp-hosted",
    "smp-machine-opensbi",
    "full",
)
"""systems, by the names of their examples or of what is made of these"""


@dataclass(frozen=True)
class Variant:
    """A system that an example becomes by another line, or with another monitor."""

    example: str
    line: str = ""
    instead: str = ""
    lean: bool = True


_VARIANTS = {
    "hosted": Variant("hosted", "harts = [0, 1]", "hart = 0"),
    "smp-hosted": Variant("hosted"),
    "smp-machine-opensbi": Variant("machine-opensbi", "# harts = [0, 1]", "harts = [0, 1]"),
    "full": Variant("smp-linux-freertos", lean=False),
}

_BUDGET = 400
# In a row's name: where the stretch begins, and where most of it is.
_MOVES = re.compile(r"(: |, )[\w/.]+:\d+(?= \()| \([^()]*\)(?=$|: )")


@dataclass(frozen=True)
class Waits:
    """How often stretches wait for one thing that another hart does."""

    of: str
    entries: dict[str, int]
    looks: dict[str, int]


@dataclass(frozen=True)
class SystemBounds:
    """The bounds of a system's monitor, and of several harts what they wait for."""

    name: str
    entries: dict[str, Bound]
    looks: list[Bound]
    waits: tuple[Waits, ...] = ()
    holds: tuple[Bound, ...] = ()
    """how long harts have the shared lock"""

    @property
    def longest(self) -> Bound:
        """The longest of all."""
        return max((*self.entries.values(), *self.looks), key=lambda bound: bound.instructions)

    def as_dict(self) -> dict[str, object]:
        """Return the JSON form, with the ways."""
        stretches = by_name(self.entries, self.looks)
        holds = {f"lock held in {each.function}": each for each in self.holds}
        return {name: _way(each) for name, each in (stretches | holds).items()}


def run(quick: bool) -> list[Row]:
    """Compute; `quick` is no less."""
    del quick
    found = [of_example(name) for name in EXAMPLES]
    write_ways(found, REPORT / WAYS)
    return [each for bounds in found for each in rows_of(bounds)] + cycles.rows()


def of_example(name: str, annotations: Annotations | None = None) -> SystemBounds:
    """Compute the bounds of one of EXAMPLES. Raises BoundsError or BuildError."""
    system = _load(name)
    bounds = bounds_of(system, annotations)
    waits = (
        Waits(of, bounds.waits_of_entries(of), bounds.waits_of_looks(of)) for of in bounds.waits
    )
    holds = tuple(bounds.of_holds())
    return SystemBounds(name, bounds.of_entries(), bounds.of_looks(), tuple(waits), holds)


def _load(name: str) -> System:
    variant = _VARIANTS.get(name, Variant(name))
    file = paths.ROOT / "examples" / f"{variant.example}.toml"
    if not variant.line:
        return systems.load(file, lean=variant.lean)
    text = file.read_text("utf-8")
    if f"\n{variant.line}" not in text:
        raise BoundsError(f"{file.name} has no longer the line {variant.line!r}")
    with tempfile.TemporaryDirectory(prefix="cotenant-bounds.") as folder:
        copy = Path(folder) / file.name
        copy.write_text(text.replace(f"\n{variant.line}", f"\n{variant.instead}"), "utf-8")
        return systems.load(copy, lean=variant.lean)


def rows_of(bounds: SystemBounds) -> list[Row]:
    """Return the longest stretch of all, those from each entry and look, and holds of the lock."""
    name, waits = bounds.name, bounds.waits
    rows = [_row(f"{name}, longest: {bounds.longest.start}", bounds.longest)]
    for entry, each in bounds.entries.items():
        counts = {wait.of: wait.entries[entry] for wait in waits}
        rows += _stretch(f"{name}: from {entry}", each, counts)
    for each in bounds.looks:
        counts = {wait.of: wait.looks[each.function] for wait in waits}
        rows += _stretch(f"{name}: behind a look in {each.function}, {each.start}", each, counts)
    for each in bounds.holds:
        rows.append(_row(f"{name}, lock held: in {each.function}, {each.start}", each))
    return rows


def _stretch(name: str, bound: Bound, waits: dict[str, int]) -> list[Row]:
    """Return the row of a stretch; where harts wait for each other, one for each kind too."""
    own = _row(name, bound)
    if not waits:
        return [own]
    counts = [row(f"{own.name}: {of}", "waits", times) for of, times in waits.items()]
    return [replace(own, name=f"{own.name}: instructions"), *counts]


def stretches(names: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return the bound of each stretch, of rows by name: without places, which every change moves.

    Of several looks in one function the longest stretch counts.
    """
    found: dict[str, int] = {}
    for name, instructions in names:
        stretch = _MOVES.sub("", name)
        found[stretch] = max(found.get(stretch, 0), instructions)
    return found


def raised(computed: list[Row], published: Iterable[tuple[str, int]]) -> list[str]:
    """Return the stretches that are longer than published, or were not published."""
    before = stretches(published)
    now = stretches((each.name, int(each.ours or 0)) for each in computed)
    return [
        f"{stretch}: {instructions} instructions, published {before.get(stretch, 'none')}"
        for stretch, instructions in now.items()
        if instructions > before.get(stretch, 0)
    ]


def write_ways(found: list[SystemBounds], file: Path) -> None:
    """Write the ways that the longest stretches take."""
    values = {each.name: each.as_dict() for each in found}
    with durable.replacing(file) as stream:
        stream.write((json.dumps(values, indent=1) + "\n").encode())


def _row(name: str, bound: Bound) -> Row:
    return row(f"{name} ({bound.profile})", "instructions", bound.instructions, None, _BUDGET)


def _way(bound: Bound) -> dict[str, object]:
    return {
        "start": str(bound.start),
        "instructions": bound.instructions,
        "way": [
            {
                "function": step.frame.function,
                "place": str(step.frame),
                "instructions": step.instructions,
                "times": step.times,
            }
            for step in bound.steps
        ],
    }
