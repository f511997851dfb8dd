# SPDX-License-Identifier: BSD-2-Clause
"""The entries of proofs keep to the interfaces that they stand in for.

`make prove` takes long and is not part of every run: an entry that a change of the monitor has left
behind would be found late.
"""

import subprocess
from pathlib import Path

import prove
import pytest

# What Frama-C brings along.
BUILTINS = """
int Frama_C_interval(int low, int high);
int Frama_C_interval_split(int low, int high);
unsigned int Frama_C_unsigned_int_interval(unsigned int low, unsigned int high);
unsigned long Frama_C_unsigned_long_interval(unsigned long low, unsigned long high);
void Frama_C_make_unknown(char *object, unsigned long size);
"""
FOLDERS = ("tests/proofs/include", "tests/unit/c/include", "monitor", ".", "linux/cotenantctl")
PROOFS = prove.read_proofs((prove.PROOFS / "proofs.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("entry", [proof.entry for proof in PROOFS])
def test_an_entry_compiles(entry: str, tmp_path: Path) -> None:
    (tmp_path / "__fc_builtin.h").write_text(BUILTINS)
    includes = [f"-I{folder}" for folder in (tmp_path, *FOLDERS)]
    command = ["gcc", "-std=c11", "-D_GNU_SOURCE", "-fsyntax-only", "-w", *includes]
    outcome = subprocess.run(
        [*command, f"tests/proofs/{entry}.c"],
        cwd=prove.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr
