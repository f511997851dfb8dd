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
from cotenant.commands import which_system
from cotenant.control.server import SUFFIX


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Sockets are looked for in an empty folder; what would be run is kept here."""
    made: list[list[str]] = []

    def run(words: list[Any], **_: object) -> SimpleNamespace:
        made.append([str(word) for word in words])
        return SimpleNamespace(returncode=3)

    monkeypatch.setattr(which_system, "socket_folder", lambda: tmp_path)
    monkeypatch.setattr(which_system, "is_alive", lambda path: not path.stem.startswith("dead"))
    monkeypatch.setenv("COTENANT_PROGRAM", "./cotenant")
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
    assert calls == [
        ["./cotenant ctl", "--port", str(place), "--json", "list"],
        ["./cotenant ctl", "--port", str(place), "switch", "two"],
    ]


def test_several_systems(calls: list[list[str]], tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}{SUFFIX}").touch()
    result = call("switch", "other")
    assert result.exit_code == 1
    assert "several systems run (one, two)" in result.output
    assert call("switch", "other", "--system", "system.toml").exit_code == 3
    assert calls[0][3:] == ["switch", "other"]


def test_a_system_that_does_not_run_is_named(calls: list[list[str]], tmp_path: Path) -> None:
    (tmp_path / f"desk{SUFFIX}").touch()
    for words in (
        ("ctl", "--system", "dead.toml", "list"),
        ("switch", "two", "--system", "dead.toml"),
    ):
        result = call(*words)
        assert result.exit_code == 1
        assert "dead.toml does not run: start it with './cotenant run dead.toml'" in result.output
        assert "(what runs: desk)" in result.output
    result = call("ctl", "--socket", str(tmp_path / "dead.sock"), "list")
    assert f"no system that runs has the socket {tmp_path}/dead.sock" in result.output
    assert calls == []


def test_help_needs_no_system(calls: list[list[str]]) -> None:
    for words in (("top", "--help"), ("--json", "-?"), ("list", "--usage"), ()):
        call("ctl", *words)
        assert calls.pop() == ["./cotenant ctl", *words]


def test_errors_of_use_name_the_program_that_was_called() -> None:
    shown = subprocess.run(
        ["./cotenant ctl", "dance"], executable=command.PROGRAM, capture_output=True, text=True
    )
    assert shown.returncode == 2
    assert shown.stderr.startswith("cotenant ctl: unknown verb: dance\nTry `cotenant ctl --help'")
