# SPDX-License-Identifier: BSD-2-Clause
"""`cotenant ctl` and `cotenant switch`: which system is meant, and what cotenantctl is given."""

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cotenant.cli import main
from cotenant.commands import ctl as command
from cotenant.control.server import SUFFIX


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Sockets are looked for in an empty folder; what would be run is kept here."""
    made: list[list[str]] = []

    def run(words: list[Any], **_: object) -> SimpleNamespace:
        made.append([str(word) for word in words])
        return SimpleNamespace(returncode=3)

    monkeypatch.setattr(command, "socket_folder", lambda: tmp_path)
    monkeypatch.setattr(command, "is_alive", lambda path: not path.stem.startswith("dead"))
    monkeypatch.setattr(subprocess, "run", run)
    return made


def call(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def test_nothing_runs(calls: list[list[str]]) -> None:
    for words in (("ctl", "list"), ("switch", "two")):
        result = call(*words)
        assert result.exit_code == 1
        assert "no system runs here" in result.output
    assert calls == []


def test_the_only_system(calls: list[list[str]], tmp_path: Path) -> None:
    (tmp_path / f"dead{SUFFIX}").touch()
    place = tmp_path / f"desk{SUFFIX}"
    place.touch()
    assert call("ctl", "--json", "list").exit_code == 3
    assert call("switch", "two").exit_code == 3
    program = str(command.PROGRAM)
    assert calls == [
        [program, "--port", str(place), "--json", "list"],
        [program, "--port", str(place), "switch", "two"],
    ]


def test_several_systems(calls: list[list[str]], tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}{SUFFIX}").touch()
    result = call("switch", "other")
    assert result.exit_code == 1
    assert "several systems run (one, two)" in result.output
    assert call("switch", "other", "--system", "system.toml").exit_code == 3
    assert calls[0][3:] == ["switch", "other"]
