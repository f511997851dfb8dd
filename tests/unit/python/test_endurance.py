# SPDX-License-Identifier: BSD-2-Clause
"""The parts of `make endurance` name tests that there are, and its report has all of them."""

import json
import re
from pathlib import Path

import endurance
import pytest

from cotenant import paths


@pytest.mark.parametrize("name", endurance.PARTS)
def test_each_part_names_tests_that_repeat_as_often_as_they_are_told(name: str) -> None:
    for test in endurance.PARTS[name].tests:
        file, _, function = test.partition("::")
        source = (paths.ROOT / file).read_text()
        assert re.search(rf"^def {re.escape(function.partition('[')[0])}\(", source, re.MULTILINE)
        assert "COTENANT_TIMES" in source or re.search(r"\btimes\(\d+, \d+\)", source)


def test_a_part_that_runs_again_replaces_its_own_result(tmp_path: Path) -> None:
    first = [
        endurance.Result("guests", "guests killed", 1000, True, 60),
        endurance.Result("restarts", "restarts", 10_000, False, 1800),
    ]
    endurance.write(first, tmp_path)
    endurance.write([endurance.Result("restarts", "restarts", 10_000, True, 2400)], tmp_path)
    found = {each["name"]: each for each in json.loads((tmp_path / "report.json").read_text())}
    assert list(found) == ["restarts", "guests"]
    assert found["restarts"]["passed"] and found["restarts"]["seconds"] == 2400
    text = (tmp_path / "report.md").read_text()
    assert "| restarts | 10,000 | restarts | passed | 40.0 |" in text
    assert "failed" not in text


def test_a_part_that_fails_is_seen(tmp_path: Path) -> None:
    endurance.write([endurance.Result("switches", "switches", 5, False, 60)], tmp_path)
    assert "**failed**" in (tmp_path / "report.md").read_text()
