# SPDX-License-Identifier: BSD-2-Clause
"""What dbench says of its clients, in a host and in its guest."""

import pytest

from cotenant.bench.papers import dbench
from cotenant.errors import BenchError


def _moment(now: int, idle: int) -> str:
    times = f"now at {now} nsecs\n .idle_sleeptime : {idle} nsecs\n .iowait_sleeptime : 0 nsecs\n"
    return f"dbench: now\n{times}"


def test_what_dbench_takes_is_between_its_two_ends() -> None:
    over = "dbench: client over\n" * 3
    said = f"{over}{_moment(1000, 100)}{over}{_moment(5000, 1100)}"
    assert dbench.busy(said, 3) == 3000
    with pytest.raises(BenchError, match="6 times, of 8"):
        dbench.busy(said, 4)
