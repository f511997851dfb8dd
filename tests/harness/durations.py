# SPDX-License-Identifier: BSD-2-Clause
"""How long each test took, kept so that the next run can begin with the longest.

A run of all tests leaves its durations in build/tests; `make keep-durations` makes them the ones of
tests/durations.json, from which a fresh clone profits. Short tests are not kept: their order does
not matter.
"""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "tests" / "durations.json"
LAST = ROOT / "build" / "tests" / "durations.json"

SHORTEST = 1.0
"""seconds of the shortest test that is kept"""


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


def write(file: Path, seconds: dict[str, float]) -> None:
    """Write the durations that are worth keeping."""
    worth = {test: round(each, 1) for test, each in sorted(seconds.items()) if each >= SHORTEST}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(worth, indent=0) + "\n", encoding="utf-8")


def keep() -> None:
    """Make the durations of the last run the kept ones."""
    write(KEPT, read(LAST))


if __name__ == "__main__":
    keep()
