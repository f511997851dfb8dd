# SPDX-License-Identifier: BSD-2-Clause
"""Gandalf's round trip: from a tenant to another one on its hart and back, which is two switches.

The caller sends a message through a memory channel, whose doorbell wakes a tenant of a higher
priority; that answers and waits again, and the caller goes on, with the answer there.
"""

from cotenant.bench import samples
from cotenant.bench.row import Row, row
from cotenant.bench.systems import payload, running, system

ROUNDS = 10_000
ROUNDS_QUICK = 1_000
_IMAGE = "bench-round-trip"
_CALLER = "caller"


def rows(quick: bool) -> list[Row]:
    """Measure; `quick` makes fewer round trips."""
    rounds = ROUNDS_QUICK if quick else ROUNDS
    found = measure(rounds)
    return [
        row("round trip of two switches: median", "instructions", found["median"]),
        row("round trip of two switches: least", "instructions", found["least"]),
        row("round trip of two switches: most", "instructions", found["most"]),
        row("round trips made", "round trips", rounds),
    ]


def measure(rounds: int) -> dict[str, int]:
    """Return the instructions of a round trip: the median, the least and the most of so many."""
    description = system(
        payload(_CALLER, _IMAGE, arguments=f"rounds={rounds}"),
        payload("answerer", _IMAGE, priority=10),
        f'[channel.window]\nkind = "memory"\nends = ["{_CALLER}", "answerer"]\nsize = "8K"\n',
    )
    with running(description, sstc=False) as session:
        session.wait_ended(_CALLER)
        return samples.medians(session.output(_CALLER), _IMAGE)
