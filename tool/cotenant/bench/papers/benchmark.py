# SPDX-License-Identifier: BSD-2-Clause
"""The papers' measurements that no other benchmark has, and the pictures of them."""

from cotenant.bench.papers import round_trip, services, wakeups
from cotenant.bench.papers.wakeups import Wakeups
from cotenant.bench.report import charts, paper_page
from cotenant.bench.report.store import Histogram, Store
from cotenant.bench.row import Row

_UNIT = "instructions"


def run(quick: bool) -> list[Row]:
    """Measure; `quick` takes fewer samples. Raises a CotenantError without a complete result."""
    found = dict(wakeups.measure(wakeups.SAMPLES_QUICK if quick else wakeups.SAMPLES))
    _draw(found)
    return [*wakeups.rows(found), *round_trip.rows(quick), *services.rows()]


def _draw(found: dict[str, Wakeups]) -> None:
    """Draw what the papers have as pictures."""
    late = [(load, Histogram(_UNIT, each.late["handler"].counts)) for load, each in found.items()]
    jitter = [(load, Histogram(_UNIT, each.jitter.counts)) for load, each in found.items()]
    intervals = [(load, each.intervals) for load, each in found.items()]
    pictures = {
        "latency": charts.histograms(late),
        "jitter": charts.histograms(jitter, "longer or shorter than 1 ms"),
        "intervals": charts.series(
            intervals, "intervals of the task, one after the other", "instructions"
        ),
    }
    for name, picture in pictures.items():
        paper_page.keep_picture(Store.open(), name, picture)
