# SPDX-License-Identifier: BSD-2-Clause
"""The bounds of a system's monitor, and what its stretches are called."""

from collections.abc import Iterable, Mapping

from cotenant import features, monitor_build
from cotenant.bounds.annotations import Annotations
from cotenant.bounds.limits import limits_of
from cotenant.bounds.monitor import Bound, MonitorBounds
from cotenant.plan import System


def bounds_of(system: System, annotations: Annotations | None = None) -> MonitorBounds:
    """Build the monitor of a system and compute. Raises BoundsError or BuildError."""
    monitor = monitor_build.build(features.chosen(system))
    return MonitorBounds(monitor.elf, annotations, limits=limits_of(system))


def by_name(entries: Mapping[str, Bound], looks: Iterable[Bound]) -> dict[str, Bound]:
    """Return the stretches from entries and behind looks by the names that reports have."""
    named = {f"from {name}": each for name, each in entries.items()}
    return named | {f"behind a look in {each.function}": each for each in looks}
