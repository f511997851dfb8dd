# SPDX-License-Identifier: BSD-2-Clause
"""`cohost serve` between a client and a back end that write anything: tests/fuzz/serve_*.c."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from test_cohost_program import BUILD_SETTINGS, program

from cotenant import paths

__all__ = ["program"]  # a fixture

ROUNDS = 5000


@pytest.mark.parametrize("seed", [1, 2])
def test_a_hostile_client_breaks_nothing(program: Path, tmp_path: Path, seed: int) -> None:
    out = tmp_path / "out"
    shutil.copytree(program.parent, out)
    (out / "cohost").unlink()
    fuzz = paths.ROOT / "tests" / "fuzz"
    machine = f"{fuzz / 'serve_client.c'} {fuzz / 'serve_backend.c'}"
    make: list[str | Path] = ["make", "-C", paths.ROOT / "linux" / "cohost", f"OUT={out}"]
    settings = [*BUILD_SETTINGS, f"MACHINE={machine}"]
    subprocess.run([*make, *settings], check=True, stdout=subprocess.DEVNULL)
    disk = tmp_path / "disk"
    disk.write_bytes(bytes(65536))
    values = {"COHOST_TEST": str(tmp_path), "COHOST_SEED": str(seed), "COHOST_ROUNDS": str(ROUNDS)}
    command: list[str | Path] = [
        out / "cohost",
        "serve",
        "client",
        "--disk",
        disk,
        "--net",
        "tap0",
        "--console",
        "--share",
        f"socket:{tmp_path}/backend=share",
    ]
    ended = subprocess.run(
        command, env=os.environ | values, capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.endswith("serve: disk and share answer\n")
