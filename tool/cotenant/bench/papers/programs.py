# SPDX-License-Identifier: BSD-2-Clause
"""Programs of Debian that two of the papers measured: dbench in a guest, a build beside an RTOS."""

from cotenant.bench.papers import compiling, dbench
from cotenant.bench.row import Row


def run(quick: bool) -> list[Row]:
    """Measure; `quick` makes one run of each instead of three, and compiles one file."""
    return [*dbench.rows(quick), *compiling.rows(quick)]
