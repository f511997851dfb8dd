# SPDX-License-Identifier: BSD-2-Clause
"""The pace of a machine whose time is counted."""

from pathlib import Path

import pytest

from cotenant.run.pace import Pace, keep_step
from cotenant.run.qemu import Machine


def step(machine_time: float, start: float, now: float) -> tuple[float, list[float]]:
    """Return what a step returns, and for how long it froze the machine."""
    frozen: list[float] = []
    return keep_step(machine_time, start, lambda: now, frozen.append), frozen


def test_a_machine_at_the_pace_of_the_host_is_left_alone() -> None:
    assert step(5.0, 100.0, 105.0) == (100.0, [])
    assert step(5.01, 100.0, 105.0) == (100.0, [])
    assert step(4.99, 100.0, 105.0) == (100.0, [])


def test_a_machine_that_is_ahead_is_frozen_until_the_host_has_caught_up() -> None:
    start, frozen = step(5.05, 100.0, 105.0)
    assert start == 100.0
    assert frozen == [pytest.approx(0.05)]


def test_nobody_waits_long_for_a_frozen_machine() -> None:
    start, frozen = step(500.0, 100.0, 105.0)
    assert start == 100.0
    assert frozen == [0.1]


def test_a_machine_that_was_slow_does_not_run_faster_afterwards() -> None:
    start, frozen = step(3.0, 100.0, 105.0)
    assert (start, frozen) == (102.0, [])
    assert step(3.5, start, 105.1)[1] == [0.1]


def test_qemu_is_asked_at_a_socket_of_its_own() -> None:
    pace = Pace(Path("/run/a,b"), 0x200BFF8, 10_000_000)
    arguments = Machine(Path("x"), icount=3, pace=pace).arguments()
    assert arguments[-6:-4] == ["-qmp", "unix:/run/a,,b,server=on,wait=off"]
    assert "-S" in arguments  # the machine waits until it is asked for the first time
    assert arguments[-1] == "filter-buffer,id=pace-timer,netdev=pace,interval=20000"
