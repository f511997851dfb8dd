# SPDX-License-Identifier: BSD-2-Clause
"""Runs every check and test of the project and prints the totals: `make test`.

A check (build, formatter, linter) counts as one; a test suite counts its tests. What a step prints
is shown as it comes. Later steps run even if earlier ones fail, except that nothing is tested when
the build fails. Exit status 0 means that nothing failed.
"""

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
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "build" / "tests"
# Left here for CI, whose last line it is.
TOTAL = RESULTS / "total"
# Two processors need 15 minutes. A run that takes longer than this hangs; seconds.
TIME_LIMIT = 60 * 60
# Tests that run at the same time. More of them would wait for each other's memory and disk.
MOST_WORKERS = 4


@dataclass
class Count:
    """How many checks or tests passed, failed and were skipped."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0


@dataclass(frozen=True)
class Step:
    """A command, and how its results are counted from its exit status and output."""

    name: str
    command: list[str]
    count: Callable[[int, str], Count]
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
    return _at_least_one_failure(count, status)


def count_pytest(report: Path) -> Callable[[int, str], Count]:
    """Return a counter for pytest that reads its JUnit report."""

    def count(status: int, _: str) -> Count:
        result = Count()
        try:
            suites = ElementTree.parse(report).getroot().iter("testsuite")
        except (OSError, ElementTree.ParseError):
            return _at_least_one_failure(result, status)
        for suite in suites:
            tests, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
            failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
            result.passed += tests - skipped - failed
            result.failed += failed
            result.skipped += skipped
        return _at_least_one_failure(result, status)

    return count


def _at_least_one_failure(count: Count, status: int) -> Count:
    """A suite that ended badly without a failed test (it crashed, it found no test) failed."""
    if status != 0 and count.failed == 0:
        count.failed = 1
    return count


def make_step(name: str, *targets: str) -> Step:
    """Return a step that checks through make targets."""
    return Step(name, ["make", "--no-print-directory", *targets], count_check)


def pytest_step(name: str, directory: str) -> Step:
    """Return a step that runs the Python tests of a directory."""
    report = RESULTS / f"{directory.replace('/', '-')}.xml"
    report.unlink(missing_ok=True)
    workers = min(os.cpu_count() or 1, MOST_WORKERS)
    options = [f"--numprocesses={workers}", f"--junitxml={report}", "--durations=5"]
    command = [sys.executable, "-m", "pytest", *options, directory]
    return Step(name, command, count_pytest(report))


def all_steps() -> list[Step]:
    """Return the steps in the order in which they run: the quick ones first."""
    return [
        Step("build", ["make", "--no-print-directory", "compile"], count_check, required=True),
        make_step("format of C", "lint-c-format"),
        make_step("lint of C", "lint-c"),
        make_step("lint of shell", "lint-shell"),
        make_step("lint and format of Python", "lint-python"),
        make_step("types of Python", "lint-types"),
        Step(
            "unit tests in C",
            ["make", "--no-print-directory", "--keep-going", "-C", "tests/unit/c"],
            count_cmocka,
        ),
        pytest_step("unit tests in Python", "tests/unit/python"),
        pytest_step("models in SPIN", "tests/models"),
        pytest_step("system tests under QEMU", "tests/system"),
    ]


def run_step(step: Step, seconds: float) -> Count:
    """Run a step, passing on what it prints; a step that takes too long is ended, and failed."""
    print(f"\n=== {step.name}", flush=True)
    with subprocess.Popen(
        step.command,
        cwd=ROOT,
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
    return step.count(status, "".join(lines))


def _end_session(process: "subprocess.Popen[str]") -> None:
    """Kill a step with all that it has started."""
    print(f"error: the whole run takes more than {TIME_LIMIT} s; ended", flush=True)
    os.killpg(process.pid, signal.SIGKILL)


def main() -> int:
    """Run all steps, print the table of totals and the total."""
    started = time.monotonic()
    RESULTS.mkdir(parents=True, exist_ok=True)
    results: list[tuple[str, Count, float]] = []
    for step in all_steps():
        step_started = time.monotonic()
        count = run_step(step, TIME_LIMIT - (step_started - started))
        results.append((step.name, count, time.monotonic() - step_started))
        if step.required and count.failed:
            break
    print("\n=== totals")
    for name, count, seconds in results:
        print(
            f"{name:28} {count.passed:5} passed {count.failed:3} failed "
            f"{count.skipped:3} skipped {seconds:6.0f} s"
        )
    passed = sum(count.passed for _, count, _ in results)
    failed = sum(count.failed for _, count, _ in results)
    total = f"{passed} passed, {failed} failed"
    print(total, flush=True)
    TOTAL.write_text(f"{total}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
