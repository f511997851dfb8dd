# SPDX-License-Identifier: BSD-2-Clause
"""What guarded devices cost: the kernel's own times, and what is made of them."""

import pytest

from cotenant.bench import guard
from cotenant.bench.guard import Work, busy_ns
from cotenant.errors import BenchError

BEFORE = """\
now at 2042806900 nsecs
  .idle_sleeptime : 23335600 nsecs
  .iowait_sleeptime: 700 nsecs
"""
AFTER = """\
now at 2093199000 nsecs\r
  .idle_sleeptime : 33335600 nsecs\r
  .iowait_sleeptime: 5700 nsecs\r
"""


def test_idle_time_and_waiting_for_a_disk_do_not_count() -> None:
    assert busy_ns(BEFORE + AFTER) == 50392100 - 10000000 - 5000


@pytest.mark.parametrize(
    "times",
    ["", BEFORE, BEFORE + AFTER + AFTER, BEFORE + AFTER.replace("iowait", "other")],
)
def test_times_that_are_not_two_are_no_result(times: str) -> None:
    with pytest.raises(BenchError, match="idle"):
        busy_ns(times)


def test_a_command_says_how_often_and_keeps_its_status() -> None:
    typed = Work("w", "work {count} {size} || false", 1, 2).typed(3)
    assert "; work 3 4380 || false; status=$?; " in typed
    assert typed.endswith("; [ $status = 0 ]")


class Linux:
    """Stands in for a session: a round takes `cost`, a start 1000, and now and then more."""

    def __init__(self, cost: int, status: int = 0) -> None:
        self._cost = cost
        self._status = status
        self._calls = 0

    def command(self, tenant: str, typed: str) -> tuple[int, str]:
        """Return the times before and after as many rounds as are typed."""
        assert tenant == "linux"
        self._calls += 1
        count = int(typed.split("work ")[1].split(";")[0])
        end = 1000 + self._cost * count + self._calls % 2 * 77
        idle = "  .idle_sleeptime : 5 nsecs\n  .iowait_sleeptime: 6 nsecs\n"
        return self._status, f"now at 0 nsecs\n{idle}now at {end} nsecs\n{idle}"


def test_a_round_is_the_difference_of_the_least_runs() -> None:
    work = Work("w", "work {count}", 10, 50)
    assert guard._round(Linux(300), work, 3) == 300  # type: ignore[arg-type]


def test_a_command_that_fails_is_no_result() -> None:
    work = Work("w", "work {count}", 10, 50)
    with pytest.raises(BenchError, match="w, 10 times, failed"):
        guard._round(Linux(300, status=1), work, 3)  # type: ignore[arg-type]


def test_guarded_is_ours_and_trusted_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(*, trusted: bool, runs: int) -> dict[str, float]:
        assert runs == 2
        return {"w": 10.0 if trusted else 12.0}

    monkeypatch.setattr(guard, "measure", measured)
    (row,) = guard.run(quick=True)
    assert (row.name, row.ours, row.other) == ("w", 12, 10)
