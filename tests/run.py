# SPDX-License-Identifier: BSD-2-Clause
"""Runs every check and test of the project and prints the totals: `make test`.

A check (build, formatter, linter) counts as one; a test suite counts its tests. What a step prints
is shown as it comes. Later steps run even if earlier ones fail, except that nothing is tested when
the build fails. A system test that fails runs once more, alone: one that only failed because the
machine was busy passes then, and the totals name it. Exit status 0 means that nothing failed.

`--long` builds, then runs the proofs and the system tests that have a long form, in it: `make
test-long`. `--minutes` is the limit for a machine that has other work to do: `make test-loaded`.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HARNESS = ROOT / "tests" / "harness"
sys.path.insert(0, str(HARNESS))

import durations  # noqa: E402
import outcomes  # noqa: E402
from outcomes import Count, Outcomes  # noqa: E402

RESULTS = ROOT / "build" / "tests"
# Of tests that failed: tests/system/conftest.py.
LOGS = ROOT / "build" / "logs"
# Left here for CI, whose last line it is.
TOTAL = RESULTS / "total"
# Two processors need less than 20 minutes, and some hours for the long forms. A run that takes
# longer than this hangs; minutes.
TIME_LIMIT = 60
LONG_TIME_LIMIT = 6 * 60
# Tests that run at the same time. More of them would wait for each other's memory and disk.
MOST_WORKERS = 4
# When more system tests fail than this, it is not because the machine was busy: none runs again.
MOST_SECOND_RUNS = 20
SLOWEST = 10


@dataclass
class Result:
    """The totals of a step, and of a suite of Python tests what became of each."""

    count: Count
    tests: Outcomes | None = None


@dataclass(frozen=True)
class Step:
    """Something that is checked or tested. `run` takes the time that is left, in seconds."""

    name: str
    run: Callable[[float], Result]
    required: bool = False  # the steps after it make no sense when it fails


def count_check(status: int, _: str) -> Count:
    """Count a command that either finds fault or does not."""
    return Count(passed=1) if status == 0 else Count(failed=1)


def count_cmocka(status: int, output: str) -> Count:
    """Add up what the cmocka programs print at their end."""
    count = Count()
    for result, number in re.findall(r"\[  (PASSED|FAILED|SKIPPED)  \] (\d+) test", output):
        name = result.lower()
        setattr(count, name, getattr(count, name) + int(number))
    if status != 0 and count.failed == 0:  # it crashed, or was not built
        count.failed = 1
    return count


def make_step(
    name: str,
    *targets: str,
    count: Callable[[int, str], Count] = count_check,
    required: bool = False,
) -> Step:
    """Return a step that checks through make targets."""
    jobs = [f"--jobs={all_workers()}", "--output-sync=target"]
    command = ["make", "--no-print-directory", *jobs, *targets]
    return Step(name, lambda seconds: Result(count(*run_command(command, seconds))), required)


def python_step(name: str, directory: str) -> Step:
    """Return a step that runs the Python tests of a directory."""

    def run(seconds: float) -> Result:
        tests = run_pytest([directory], all_workers(), seconds)
        return Result(tests.count(), tests)

    return Step(name, run)


def system_step(name: str, *options: str) -> Step:
    """Return a step that runs the system tests, and those that fail once more."""

    def run(seconds: float) -> Result:
        started = time.monotonic()
        tests = run_pytest([*options, "tests/system"], all_workers(), seconds)
        again = sorted(tests.failed)
        left = seconds - (time.monotonic() - started)
        if 0 < len(again) <= MOST_SECOND_RUNS and left > 0:
            print(f"\n=== second run, one by one, of {', '.join(again)}", flush=True)
            keep_logs()
            tests = tests.after_second_run(run_pytest(again, 1, left))
        return Result(tests.count(), tests)

    return Step(name, run)


def keep_logs() -> None:
    """Put the logs of failed tests where a second run does not take them away."""
    if LOGS.exists():
        kept = LOGS.rename(LOGS.with_name(time.strftime("logs-%Y%m%d-%H%M%S")))
        print(f"logs of the first one: {kept.relative_to(ROOT)}", flush=True)


def run_pytest(arguments: list[str], workers: int, seconds: float) -> Outcomes:
    """Run tests by so many workers. A single one is a process of its own too: tests crash it."""
    record = RESULTS / "record"
    record.unlink(missing_ok=True)
    options = ["-p", "recorder", f"--record={record}", f"--numprocesses={workers}"]
    # A worker gets one test at a time, so that the longest are begun first.
    options.append("--maxschedchunk=1")
    status, _ = run_command([sys.executable, "-m", "pytest", *options, *arguments], seconds)
    return outcomes.read(record, status)


def all_workers() -> int:
    """Return how many tests run at the same time."""
    return min(os.cpu_count() or 1, MOST_WORKERS)


def all_steps() -> list[Step]:
    """Return the steps in the order in which they run: the quick ones first."""
    return [
        make_step("build", "compile", required=True),
        make_step("format of C", "lint-c-format"),
        make_step("lint of C", "lint-c"),
        make_step("layers of the monitor", "lint-layers"),
        make_step("lint of shell", "lint-shell"),
        make_step("lint and format of Python", "lint-python"),
        make_step("types of Python", "lint-types"),
        make_step("figures of documents", "lint-docs"),
        make_step("unit tests in C", "--keep-going", "-C", "tests/unit/c", count=count_cmocka),
        python_step("unit tests in Python", "tests/unit/python"),
        python_step("models in SPIN", "tests/models"),
        system_step("system tests under QEMU"),
    ]


def long_steps() -> list[Step]:
    """Return the steps of the long forms."""
    os.environ["COTENANT_LONG_TESTS"] = "1"
    return [
        make_step("build", "compile", required=True),
        make_step("proofs", "prove"),
        system_step("long forms under QEMU", "-m", "long_form"),
    ]


def run_command(command: list[str], seconds: float) -> tuple[int, str]:
    """Run a command, passing on what it prints; one that takes too long is ended, and fails."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'tool'}:{HARNESS}"}
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        watchdog = threading.Timer(max(seconds, 0), _end_session, [process])
        watchdog.start()
        lines = []
        for line in process.stdout or ():
            lines.append(line)
            print(line, end="", flush=True)
        status = process.wait()
        watchdog.cancel()
    return status, "".join(lines)


def _end_session(process: "subprocess.Popen[str]") -> None:
    """Kill a step with all that it has started."""
    print("error: the whole run takes too long; ended", flush=True)
    os.killpg(process.pid, signal.SIGKILL)


def all_durations(results: list[tuple[str, Result, float]]) -> dict[str, float]:
    """Return the seconds that each Python test took."""
    seconds: dict[str, float] = {}
    for _, result, _ in results:
        seconds |= result.tests.seconds if result.tests else {}
    return seconds


def print_totals(results: list[tuple[str, Result, float]]) -> str:
    """Print the slowest tests, the table of totals, and last the total, which is returned."""
    second_runs: set[str] = set()
    for _, result, _ in results:
        second_runs |= result.tests.second_run if result.tests else set()
    print("\n=== slowest tests")
    for test, each in outcomes.slowest(all_durations(results), SLOWEST):
        print(f"{each:6.0f} s  {test}")
    print("\n=== totals")
    for name, result, each in results:
        count = result.count
        print(
            f"{name:28} {count.passed:5} passed {count.failed:3} failed "
            f"{count.skipped:3} skipped {each:6.0f} s"
        )
    if second_runs:
        print(f"needed a second run: {', '.join(sorted(second_runs))}")
    passed = sum(result.count.passed for _, result, _ in results)
    failed = sum(result.count.failed for _, result, _ in results)
    total = f"{passed} passed, {failed} failed"
    print(total, flush=True)
    return total


def main() -> int:
    """Run the steps, print the totals, and keep the last line for CI."""
    parser = argparse.ArgumentParser(description="Run every check and test, and print the totals.")
    parser.add_argument("--long", action="store_true", help="run the long forms, and only these")
    parser.add_argument("--minutes", type=int, help="a run that takes longer hangs")
    arguments = parser.parse_args()
    is_long = arguments.long
    started = time.monotonic()
    RESULTS.mkdir(parents=True, exist_ok=True)
    limit = 60 * (arguments.minutes or (LONG_TIME_LIMIT if is_long else TIME_LIMIT))
    results: list[tuple[str, Result, float]] = []
    for step in long_steps() if is_long else all_steps():
        step_started = time.monotonic()
        print(f"\n=== {step.name}", flush=True)
        result = step.run(limit - (step_started - started))
        results.append((step.name, result, time.monotonic() - step_started))
        if step.required and result.count.failed:
            break
    total = print_totals(results)
    if not is_long:
        durations.write(durations.LAST, all_durations(results))
    TOTAL.write_text(f"{total}\n")
    return 1 if any(result.count.failed for _, result, _ in results) else 0


if __name__ == "__main__":
    sys.exit(main())
