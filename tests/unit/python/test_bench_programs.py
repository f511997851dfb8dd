# SPDX-License-Identifier: BSD-2-Clause
"""What dbench says of its runs, in a host and in its guest."""

import pytest

from cotenant.bench.papers import dbench
from cotenant.errors import BenchError


def test_dbench_is_the_median_of_its_runs() -> None:
    lines = [
        f"Throughput {value} MB/sec  {clients} clients  {clients} procs  max_latency=1.0 ms"
        for clients in dbench.CLIENTS
        for value in (100.5, 300, 200)
    ]
    text = "\n".join([*lines, "dbench: over"])
    assert dbench.medians(text) == dict.fromkeys(dbench.CLIENTS, 200)
    with pytest.raises(BenchError, match="did not come to its end"):
        dbench.medians("\n".join(lines))
    with pytest.raises(BenchError, match="did not come to its end"):
        dbench.medians("\n".join([lines[0], "dbench: over"]))
