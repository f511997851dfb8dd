# SPDX-License-Identifier: BSD-2-Clause
"""`cotenant new`: what it writes is read without a mistake, whatever is answered."""

import os
import pty
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cotenant import config
from cotenant.cli import main
from cotenant.errors import Mistakes


def call(file: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["new", str(file), *words])


@pytest.mark.parametrize(
    ("beside", "hart", "control"),
    list(
        product(
            ["freertos", "linux", "nothing", './my "rtos".elf'],
            ["same", "own"],
            ["--control", "--no-control"],
        )
    ),
)
def test_every_answer(beside: str, hart: str, control: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    result = call(file, "--beside", beside, "--hart", hart, control, "--memory", "128M")
    assert result.exit_code == 0, result.output
    mistakes = Mistakes(file)
    system = config.load(file, mistakes)
    assert system is not None and not mistakes.found
    assert system.tenants[0].memory.size == 128 << 20
    assert (system.tenants[0].may_see is not None) == (control == "--control")
    assert len(system.tenants) == (1 if beside == "nothing" else 2)
    if beside != "nothing":
        assert system.tenants[1].harts == ((1,) if hart == "own" else ())
    if beside.startswith("."):
        assert system.tenants[1].image == beside


def test_the_usual_answers_where_nobody_can_be_asked(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    assert call(file).exit_code == 0
    assert [each.name for each in _tenants(file)] == ["linux", "freertos"]
    again = call(file)
    assert again.exit_code == 1 and "exists already" in again.output


def test_wrong_answers(tmp_path: Path) -> None:
    for words, why in (
        (("--beside", "windows"), "no file beside"),
        (("--memory", "much"), "write it like 512M"),
        (("--memory", "4M"), "not enough for Debian"),
    ):
        result = call(tmp_path / "mine.toml", *words)
        assert result.exit_code == 1 and why in result.output
    assert not (tmp_path / "mine.toml").exists()


def test_four_questions_at_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    file = tmp_path / "mine.toml"
    os.write(ours, b"linux\n256M\nown\nyes\n")
    shown = subprocess.run(
        [sys.executable, "-m", "cotenant", "new", file],
        stdin=theirs,
        capture_output=True,
        text=True,
        check=True,
    )
    os.close(theirs)
    os.close(ours)
    assert shown.stdout.count("?") == 4
    first, second = _tenants(file)
    assert (first.memory.size, second.memory.size) == (256 << 20, 256 << 20)
    assert second.harts == (1,) and first.may_control


def _tenants(file: Path) -> tuple[config.TenantConfig, ...]:
    system = config.load(file, Mistakes(file))
    assert system is not None
    return system.tenants
