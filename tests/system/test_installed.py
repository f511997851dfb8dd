# SPDX-License-Identifier: BSD-2-Clause
"""The package works without the tree: what it needs of that is in it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cotenant.paths import ROOT

SHARE = ROOT / "tool" / "share"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the package as pip would, and return the folder that has it."""
    folder = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "setup.py", "--quiet", "build_py", "--build-lib", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=300)
    return folder


def call(installed: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command in a folder that is far from the tree."""
    environment = os.environ | {"PYTHONPATH": str(installed), "XDG_RUNTIME_DIR": str(folder)}
    environment.pop("COTENANT_PROGRAM", None)
    return subprocess.run(
        [sys.executable, "-m", "cotenant", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_a_system_is_described_built_and_run_without_the_tree(
    installed: Path, tmp_path: Path
) -> None:
    assert call(installed, tmp_path, "new", "mine.toml", "--yes").returncode == 0
    checked = call(installed, tmp_path, "check", "mine.toml")
    assert checked.stdout == "mine.toml: valid: linux, freertos in 2G of RAM\n"
    text = 'board = "qemu-virt"\n[tenant.hello]\npriority = 1\nmemory = "4M"\nimage = "hello"\n'
    (tmp_path / "hello.toml").write_text(text)
    built = call(installed, tmp_path, "build", "hello.toml", "-o", "hello.bin")
    assert built.returncode == 0, built.stderr
    shown = call(installed, tmp_path, "run", "hello.toml", "--batch")
    assert shown.returncode == 0, shown.stderr
    assert "hello | PASS hello" in shown.stderr
    assert "does not run" in call(installed, tmp_path, "ctl", "--system", "x.toml", "list").stderr


def test_nothing_else_is_installed_among_the_packages(installed: Path) -> None:
    assert [entry.name for entry in installed.iterdir()] == ["cotenant"]


def test_first_steps_name_nothing_of_the_tree(installed: Path, tmp_path: Path) -> None:
    assert "examples/" not in call(installed, tmp_path).stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [("cotenant sw", "switch"), ("cotenant run --ba", "--batch"), ("cotenant board i", "import")],
)
def test_the_shell_completes(words: str, expected: str, tmp_path: Path) -> None:
    program = tmp_path / "cotenant"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m cotenant "$@"\n')
    program.chmod(0o755)
    script = (
        f". {SHARE}/cotenant; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1));"
        ' _cotenant_completion cotenant; echo "${COMPREPLY[@]}"'
    )
    environment = os.environ | {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "tool"),
    }
    shown = subprocess.run(
        ["bash", "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert shown.stdout.split() == [expected]


def test_the_manual_page_has_every_command() -> None:
    page = (SHARE / "cotenant.1").read_text().replace("\\", "")
    shown = subprocess.run(
        [sys.executable, "-m", "cotenant", "--help"],
        env=os.environ | {"PYTHONPATH": str(ROOT / "tool")},
        capture_output=True,
        text=True,
        check=True,
    )
    commands = shown.stdout.partition("Commands:\n")[2].splitlines()
    assert len(commands) > 8
    for line in commands:
        assert line.split()[0] in page
