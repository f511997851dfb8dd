# SPDX-License-Identifier: BSD-2-Clause
"""The examples, as a user runs them: through the command line."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cotenant import paths

EXAMPLES = sorted((paths.ROOT / "examples").glob("*.toml"))


def cotenant(*arguments: str, timeout: float = 280) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    command = [sys.executable, "-m", "cotenant", *arguments]
    return subprocess.run(
        command,
        cwd=paths.ROOT,
        env={"PYTHONPATH": str(paths.ROOT / "tool"), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_in_batch(example: Path, tmp_path: Path) -> None:
    run = cotenant(
        "run", str(example), "--batch", "--for", "3s", "--json", "--icount", "4",
        "--send", "linux", "echo hello from $(uname)", "--log-dir", str(tmp_path),
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    result: dict[str, Any] = json.loads(run.stdout)
    assert result["ok"] is True
    for name, tenant in result["tenants"].items():
        assert tenant["ready"], name
        assert tenant["state"] == "running"
        assert tenant["cpu_ns"] > 0 and tenant["switches"] > 0
        assert (tmp_path / f"{name}.log").stat().st_size > 0
        if tenant["app"]:
            assert tenant["app"]["missed"] == 0
            assert tenant["app"]["samples"] > 2500
    assert "hello from Linux\n" in result["tenants"]["linux"]["output"]
    assert any(tenant["app"] for tenant in result["tenants"].values())
