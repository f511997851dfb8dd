# SPDX-License-Identifier: BSD-2-Clause
"""Nothing is silent for long: who waits for a lock says so, and what is counted is shown."""

import threading
from pathlib import Path

import pytest

from cotenant.images.progress import ProgressDisplay
from cotenant.one_at_a_time import alone


def test_who_waits_for_a_lock_is_told(tmp_path: Path) -> None:
    told = threading.Event()
    entered = threading.Event()

    def second() -> None:
        with alone(tmp_path / "lock", told.set):
            entered.set()

    other = threading.Thread(target=second)
    with alone(tmp_path / "lock", lambda: pytest.fail("nobody was in it")):
        other.start()
        assert told.wait(30)
        assert not entered.is_set()
    assert entered.wait(30)
    other.join()


def test_a_log_has_some_lines_of_what_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressDisplay() as display:
        for done in range(1, 152):
            display.report("configuring the packages", done, 151)
        display.report("fetching it", 10, 100_000_000)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "images: configuring the packages"
    assert 6 <= len(lines) <= 11
    assert lines[-2:] == ["images: configuring the packages: 151 of 151", "images: fetching it"]
