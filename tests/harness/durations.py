# SPDX-License-Identifier: BSD-2-Clause
"""How long each test took, kept so that the next run can begin with the longest.

A run of all tests leaves its durations in build/tests; `make keep-durations` makes them the ones of
tests/durations.json, from which a fresh clone profits. They are those of all system tests, and of
the others those that take long: the order of the rest does not matter.
"""

import json
import math
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "tests" / "durations.json"
LAST = ROOT / "build" / "tests" / "durations.json"

SYSTEM = "tests/system/"
SHORTEST = 1.0
"""seconds of the shortest test that is kept, system tests apart"""


def read(file: Path) -> dict[str, float]:
    """Return the seconds of each test in a file; none if it is missing or damaged."""
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
        return {str(test): float(seconds) for test, seconds in values.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def known() -> dict[str, float]:
    """Return the newest duration known of each test."""
    return read(KEPT) | read(LAST)


def estimate(test: str, known: dict[str, float]) -> float:
    """Return how long a test may take, by the durations that are known.

    A new system test is as long as the longest one of its file; one of a new file may be anything.
    """
    if test in known:
        return known[test]
    if not test.startswith(SYSTEM):
        return 0.0
    of_its_file = (seconds for other, seconds in known.items() if _file(other) == _file(test))
    return max(of_its_file, default=math.inf)


def _file(test: str) -> str:
    return test.partition("::")[0]


def write(file: Path, seconds: dict[str, float]) -> None:
    """Write the durations that are worth keeping."""
    worth = {
        test: round(each, 1)
        for test, each in sorted(seconds.items())
        if each >= SHORTEST or test.startswith(SYSTEM)
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(worth, indent=0) + "\n", encoding="utf-8")


def keep() -> None:
    """Make the durations of the last run the kept ones."""
    write(KEPT, read(LAST))


if __name__ == "__main__":
    keep()
