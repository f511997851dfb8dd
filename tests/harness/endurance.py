# SPDX-License-Identifier: BSD-2-Clause
"""Does the same thing some thousand times and writes a report: `make endurance`.

    make endurance                                all parts, some hours
    make endurance PARTS="restarts switches"      these, each within an hour on two processors
    make endurance PARTS=switches TIMES=100       less often

The report is build/endurance/report.md, and report.json for programs. A part is done by a test that
repeats what it does as often as COTENANT_TIMES says; it fails as that test does.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "build" / "endurance"
# Each part takes less than an hour on a quiet machine. One that takes this long hangs; seconds.
TIME_LIMIT = 6 * 60 * 60


@dataclass(frozen=True)
class Part:
    """What is done, how often, and the tests that do it."""

    what: str
    times: int
    tests: tuple[str, ...]


PARTS = {
    "restarts": Part(
        "restarts of two small tenants beside a booting Linux and an RTOS, which misses nothing",
        10_000,
        ("tests/system/test_restarts.py::test_a_thousand_lives_leave_nothing",),
    ),
    "switches": Part(
        "OS switches between two whole Linuxes, each of which checks its memory, FP registers, "
        "file, clocks and network every time",
        10_000,
        ("tests/system/test_switch.py::test_everything_is_as_it_was[one-hart]",),
    ),
    "small-switches": Part(
        "OS switches between three small tenants, each of which finds the hart, the interrupts and "
        "the devices as agreed, and leaves as much behind as it can; with a virtual UART, and as "
        "often with a real one",
        10_000,
        ("tests/system/test_switch.py::test_nobody_finds_what_the_one_before_left",),
    ),
    "guests": Part(
        "guests started, and killed wherever they were, beside an RTOS",
        1_000,
        ("tests/system/test_hosted.py::test_guests_are_started_and_killed",),
    ),
    "host-kills": Part(
        "processes of guests killed wherever they were, by a stock Linux that has their memory and "
        "their devices, beside an RTOS",
        100,
        ("tests/system/test_cohost_devices.py::test_devices_pauses_and_kills",),
    ),
    "commands": Part(
        "commands in fresh guests of a stock Linux, two at a time, with all bytes of their input, "
        "output and errors, beside an RTOS",
        1_000,
        ("tests/system/test_cohost_devices.py::test_a_thousand_commands",),
    ),
    "power-cuts": Part(
        "kills at a random point of: the build of a bundle, the fetch of an image, the save of a "
        "tenant",
        200,
        (
            "tests/unit/python/test_power_cut.py::test_a_bundle_is_whole_or_not_there",
            "tests/unit/python/test_power_cut.py::test_an_image_of_the_cache_is_whole_or_not_there",
            "tests/unit/python/test_cotenantctl.py::test_a_save_that_is_cut_leaves_a_whole_file",
        ),
    ),
}


@dataclass(frozen=True)
class Result:
    """What came of a part."""

    name: str
    what: str
    times: int
    passed: bool
    seconds: float


def run(name: str, times: int | None) -> Result:
    """Run a part, with what pytest says shown as it comes."""
    part = PARTS[name]
    count = times or part.times
    sys.stdout.write(f"=== {name}: {count:,} {part.what}\n")
    sys.stdout.flush()
    environment = os.environ | {"COTENANT_TIMES": str(count), "COTENANT_LONG_TESTS": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *part.tests]
    command += [f"--timeout={TIME_LIMIT}"]
    started = time.monotonic()
    ended = subprocess.run(command, cwd=ROOT, env=environment, check=False)
    return Result(name, part.what, count, ended.returncode == 0, time.monotonic() - started)


def markdown(results: Sequence[Result]) -> str:
    """Return the report for people."""
    lines = [
        "# Endurance",
        "",
        "| part | times | what | result | minutes |",
        "|---|--:|---|---|--:|",
    ]
    for each in results:
        verdict = "passed" if each.passed else "**failed**"
        minutes = each.seconds / 60
        lines.append(f"| {each.name} | {each.times:,} | {each.what} | {verdict} | {minutes:.1f} |")
    return "\n".join(lines) + "\n"


def write(results: Sequence[Result], folder: Path) -> None:
    """Write the report; parts that did not run this time keep what they had."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "report.json"
    kept = (
        {each["name"]: Result(**each) for each in json.loads(file.read_text())}
        if (file.is_file())
        else {}
    )
    kept |= {each.name: each for each in results}
    ordered = [kept[name] for name in PARTS if name in kept]
    file.write_text(json.dumps([asdict(each) for each in ordered], indent=1) + "\n")
    (folder / "report.md").write_text(markdown(ordered))


def main() -> int:
    """Run the parts that are asked for; 0 if all passed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--times", type=int, help="how often, instead of what each part says")
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    results = []
    for name in arguments.parts or PARTS:
        results.append(run(name, arguments.times))
        write(results, REPORT)
    sys.stdout.write((REPORT / "report.md").read_text())
    return 0 if all(each.passed for each in results) else 1


if __name__ == "__main__":
    sys.exit(main())
