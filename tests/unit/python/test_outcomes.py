# SPDX-License-Identifier: BSD-2-Clause
"""What a run of all tests counts: failures, crashes, hangs, second runs; and the order of tests."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import durations
import outcomes
import pytest
from outcomes import Count, Outcomes

HARNESS = Path(outcomes.__file__).parent


def record(path: Path, *entries: dict[str, object], rest: str = "") -> Path:
    """Write a record of these entries, with the beginning of a line that was never finished."""
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries) + rest)
    return path


def phases(test: str, **outcome: str) -> list[dict[str, object]]:
    """Return the entries of a whole test whose phases pass if not said otherwise."""
    return [
        {"test": test, "when": when, "outcome": outcome.get(when, "passed"), "seconds": 0.5}
        for when in ("setup", "call", "teardown")
    ]


def test_each_test_counts_once(tmp_path: Path) -> None:
    file = record(
        tmp_path / "record",
        {"collected": ["good", "bad", "twice", "late", "not now"]},
        *phases("good"),
        *phases("bad", call="failed"),
        *phases("twice", call="failed", teardown="failed"),
        *phases("late", teardown="failed"),
        *phases("not now", setup="skipped"),
    )
    found = outcomes.read(file, 1)
    assert found.count() == Count(passed=1, failed=3, skipped=1)
    assert found.failed == {"bad", "twice", "late"}
    assert found.seconds["good"] == 1.5


def test_a_test_that_never_finished_failed(tmp_path: Path) -> None:
    file = record(
        tmp_path / "record",
        {"collected": ["good", "hung", "never begun"]},
        *phases("good"),
        *phases("hung")[:1],
        rest='{"test": "hu',
    )
    found = outcomes.read(file, -9)
    assert found.failed == {"hung", "never begun"}
    assert found.count() == Count(passed=1, failed=2)


def test_a_crashed_worker_fails_its_test(tmp_path: Path) -> None:
    crash = {"test": "crash", "when": "???", "outcome": "failed", "seconds": 0}
    file = record(tmp_path / "record", {"collected": ["crash"]}, *phases("crash")[:1], crash)
    assert outcomes.read(file, 1).failed == {"crash"}


@pytest.mark.parametrize("status", [1, 2, 3, 4, 5, -9])
def test_a_session_that_went_wrong_without_a_failed_test_failed(
    tmp_path: Path, status: int
) -> None:
    file = record(tmp_path / "record", {"collected": ["good"]}, *phases("good"))
    assert outcomes.read(file, status).count() == Count(passed=1, failed=1)
    assert outcomes.read(tmp_path / "missing", status).count() == Count(failed=1)


def test_a_file_that_cannot_be_collected_is_a_failure_of_its_own(tmp_path: Path) -> None:
    broken: dict[str, object] = {"uncollectable": ["tests/test_broken.py"]}  # each worker finds it
    file = record(tmp_path / "record", broken, broken)
    found = outcomes.read(file, 2)
    assert found.count() == Count(failed=1)
    assert found.after_second_run(Outcomes()).count() == Count(failed=1)


def test_only_a_pass_in_the_second_run_counts() -> None:
    first = Outcomes(passed={"good"}, failed={"busy", "bad", "gone"}, skipped={"not now"})
    second = Outcomes(passed={"busy"}, failed={"bad"}, skipped={"gone"}, flaws=1)
    found = first.after_second_run(second)
    assert found.count() == Count(passed=2, failed=2, skipped=1)
    assert found.second_run == {"busy"}


def test_an_internal_error_is_not_mended_by_a_second_run(tmp_path: Path) -> None:
    file = record(tmp_path / "record", {"collected": ["bad"]}, *phases("bad", call="failed"))
    found = outcomes.read(file, 3).after_second_run(Outcomes(passed={"bad"}))
    assert found.count() == Count(passed=1, failed=1)


def test_the_slowest_come_in_order() -> None:
    assert outcomes.slowest({"a": 1, "b": 3, "c": 2}, 2) == [("b", 3), ("c", 2)]


def test_only_durations_worth_it_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "build" / "durations.json"
    durations.write(file, {"long": 12.345, "short": 0.2, "tests/system/x.py::short": 0.21})
    assert durations.read(file) == {"long": 12.3, "tests/system/x.py::short": 0.2}
    assert durations.read(tmp_path / "missing") == {}


SUITE = """
import os, time

def test_good(): pass
def test_bad(): assert False
def test_crash(): os._exit(1)
def test_hang(): time.sleep(600)
def test_other(): pass
"""


def test_crashes_and_hangs_of_a_real_session_are_seen(tmp_path: Path) -> None:
    (tmp_path / "test_suite.py").write_text(SUITE)
    file = tmp_path / "record"
    options = ["-p", "recorder", f"--record={file}", "--numprocesses=1", "--maxschedchunk=1"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-o", "timeout=2", "test_suite.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(HARNESS)},
        capture_output=True,
        timeout=120,
    )
    found = outcomes.read(file, done.returncode)
    assert found.passed == {"test_suite.py::test_good", "test_suite.py::test_other"}
    assert found.failed == {f"test_suite.py::test_{name}" for name in ("bad", "crash", "hang")}
    assert found.flaws == 0


def test_the_longest_test_is_begun_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Item:
        def __init__(self, nodeid: str) -> None:
            self.nodeid = nodeid

    import recorder

    system = "tests/system/test_"
    known = {
        f"{system}a.py::long": 100.0,
        f"{system}a.py::short": 0.1,
        f"{system}b.py::longer": 200.0,
    }
    order = [
        f"{system}new_file.py::any",
        f"{system}b.py::longer",
        f"{system}a.py::long",
        f"{system}a.py::new",
        f"{system}a.py::short",
        "tests/unit/python/test_c.py::new",
    ]
    monkeypatch.setattr(durations, "known", lambda: known)
    items = [Item(order[i]) for i in (5, 4, 2, 3, 0, 1)]
    recorder.pytest_collection_modifyitems(items)  # type: ignore[arg-type]
    assert [item.nodeid for item in items] == order


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """Return tests/run.py as a module."""
    spec = importlib.util.spec_from_file_location("run_all_tests", HARNESS.parent / "run.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "run_all_tests", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "LOGS", tmp_path / "logs")
    return module


def sessions(run: ModuleType, monkeypatch: pytest.MonkeyPatch, *results: Outcomes) -> list[Any]:
    """Let the sessions of pytest end like this; return the list of how they were started."""
    started: list[Any] = []

    def run_pytest(arguments: list[str], workers: int, seconds: float) -> Outcomes:
        started.append((arguments, workers))
        return results[len(started) - 1]

    monkeypatch.setattr(run, "run_pytest", run_pytest)
    monkeypatch.setattr(run, "all_workers", lambda: 4)
    return started


def test_what_fails_runs_once_more_alone(
    run: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    (tmp_path / "logs" / "busy").mkdir(parents=True)
    first = Outcomes(passed={"good"}, failed={"busy", "bad"}, seconds={"good": 5.0, "busy": 7.0})
    second = Outcomes(passed={"busy"}, failed={"bad"})
    started = sessions(run, monkeypatch, first, second)
    result = run.system_step("system").run(100)
    assert started == [(["tests/system"], 4), (["bad", "busy"], 1)]
    assert result.count == Count(passed=2, failed=1)
    run.print_totals([("system", result, 12.0), ("check", run.Result(Count(passed=1)), 1.0)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "3 passed, 1 failed"
    assert lines[-2] == "needed a second run: busy"
    assert lines.index("     7 s  busy") < lines.index("     5 s  good")
    kept = [line.split(": ")[1] for line in lines if line.startswith("logs of the first one: ")]
    assert (tmp_path / kept[0] / "busy").is_dir(), "the second run would take them away"
    assert not (tmp_path / "logs").exists()


@pytest.mark.parametrize(("failed", "seconds"), [(0, 100), (21, 100), (1, 0)])
def test_nothing_runs_again_without_need_hope_or_time(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, failed: int, seconds: float
) -> None:
    first = Outcomes(passed={"good"}, failed={str(number) for number in range(failed)})
    started = sessions(run, monkeypatch, first)
    assert run.system_step("system").run(seconds).count == Count(passed=1, failed=failed)
    assert len(started) == 1


def test_a_file_that_asks_for_the_long_form_marks_its_tests() -> None:
    """`make test-long` runs what is marked."""
    files = (HARNESS.parent / "system").glob("test_*.py")
    texts = {file.name: file.read_text(encoding="utf-8") for file in files}
    asking = {name for name, text in texts.items() if re.search(r"\b(is_long|times)\(", text)}
    assert asking == {name for name, text in texts.items() if "pytest.mark.long_form" in text}
    assert asking
