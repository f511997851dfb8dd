# SPDX-License-Identifier: BSD-2-Clause
"""What a newcomer meets first: the command without a word, its help, the line of the compilers."""

import os
import pty
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from cotenant.cli import _COMMANDS, main
from cotenant.paths import ROOT

IN_ONE_LINE = ROOT / "tool" / "setup" / "in-one-line.sh"


def test_without_a_word_it_names_three_commands() -> None:
    shown = CliRunner().invoke(main, env={"COTENANT_PROGRAM": "./cotenant"})
    assert shown.exit_code == 0
    assert shown.output.count("\n  ./cotenant ") == 3
    assert all(len(line) < 80 for line in shown.output.splitlines())


@pytest.mark.parametrize("name", _COMMANDS)
def test_every_command_of_the_help_is_there(name: str) -> None:
    shown = CliRunner().invoke(main, [name, "--help"])
    assert shown.exit_code == 0
    assert shown.output.startswith(f"Usage: main {name}")


@pytest.mark.parametrize("words", [[], ["--help"], ["run", "--help"], ["ctl", "list"]])
def test_no_set_up_and_no_compiler_before_an_answer(words: list[str], tmp_path: Path) -> None:
    for program in ("make", "flock", "dpkg-query"):
        made = tmp_path / program
        made.write_text(f"#!/bin/sh\ntouch {tmp_path}/used\n")
        made.chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    environment["XDG_RUNTIME_DIR"] = str(tmp_path)
    subprocess.run([ROOT / "cotenant", *words], env=environment, capture_output=True, check=False)
    assert not (tmp_path / "used").exists()


def test_compilers_are_two_lines_of_a_log() -> None:
    lines = "".join(f"  CC      file{number}.c\n" for number in range(50))
    shown = subprocess.run([IN_ONE_LINE], input=lines, capture_output=True, text=True, check=True)
    assert shown.stdout == ""
    assert shown.stderr == (
        "compiling the monitor, the tenants and the programs\ncompiled 50 files\n"
    )
    shown = subprocess.run([IN_ONE_LINE], input="", capture_output=True, text=True, check=True)
    assert shown.stderr == ""


def test_compilers_are_one_line_of_a_terminal() -> None:
    ours, theirs = pty.openpty()
    subprocess.run(
        [IN_ONE_LINE], input=b"  CC      one.c\n  LD      two\n", stderr=theirs, check=True
    )
    os.close(theirs)
    shown = os.read(ours, 4096).decode()
    os.close(ours)
    assert "compiling: 1 files, 0 s: one.c" in shown
    assert shown.count("\n") == 1
    assert shown.endswith("\x1b[Kcompiled 2 files\r\n")
