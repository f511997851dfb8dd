# SPDX-License-Identifier: BSD-2-Clause
"""What registers and extensions RISC-V has, by lists that others keep.

CSRs: that of the package riscv-isac, which is made from riscv-opcodes, and that of the assembler,
which objdump tells for each of the 4096 numbers. Extensions: the package riscv-config, and what
QEMU's processor offers. tool/setup/isa-lists.sh fetches the packages; they are read, not run.
"""

import ast
import re
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LISTS = ROOT / "build" / "isa-lists"

_CSRS = 4096
# csrrs a0, CSR, zero
_READ = 0x00002573
_NUMBER_SHIFT = 20
_OBJDUMP = "riscv64-linux-gnu-objdump"
_SHOWN = re.compile(r"^\s*([0-9a-f]+):\s+[0-9a-f]+\s+csrrs\s+a0,(\w+),zero", re.MULTILINE)
_PROPERTY = re.compile(r"^\s+(\S+)=<bool>", re.MULTILINE)
# Extensions of one letter, unprivileged ISA, table 27.1.
_LETTERS = "IEMAFDQCBVHSUJPN"


class ListError(Exception):
    """A list that is not there or has another form than it had."""


@cache
def csrs() -> dict[str, int]:
    """Return the numbers of all CSRs that any of the lists knows, by name."""
    packaged, assembled = _packaged(), _assembled()
    for name in packaged.keys() & assembled.keys():
        if packaged[name] != assembled[name]:
            raise ListError(f"two lists have different numbers for {name}")
    return assembled | packaged


def extensions() -> frozenset[str]:
    """Return the names of all extensions that any of the lists knows, in small letters."""
    found = set(_LETTERS.lower())
    for name, value in _assignments(LISTS / "riscv_config" / "constants.py"):
        if name.endswith("_extensions"):
            found |= {
                each.value.lower()
                for each in ast.walk(value)
                if isinstance(each, ast.Constant) and isinstance(each.value, str)
            }
    if len(found) < len(_LETTERS) + 50:
        raise ListError("riscv-config has hardly any extensions: its form has changed")
    return frozenset(found)


def qemu_switches() -> frozenset[str]:
    """Return what can be turned on and off of QEMU's processor, in small letters."""
    command = ["qemu-system-riscv64", "-machine", "virt", "-device", "rv64-riscv-cpu,help"]
    found = _PROPERTY.findall(_output(command))
    if "sstc" not in found:
        raise ListError("QEMU does not tell what its processor has")
    return frozenset(each.lower() for each in found)


def _packaged() -> dict[str, int]:
    found: dict[str, int] = {}
    for name, value in _assignments(LISTS / "riscv_isac" / "data" / "constants.py"):
        if name in ("csrs", "csrs32"):
            found |= {csr: number for number, csr in ast.literal_eval(value)}
    if "sstatus" not in found or "cycleh" not in found:
        raise ListError("riscv-isac has no list of CSRs: its form has changed")
    return found


def _assembled() -> dict[str, int]:
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        for number in range(_CSRS):
            file.write((number << _NUMBER_SHIFT | _READ).to_bytes(4, "little"))
        file.flush()
        machine = ["-b", "binary", "-m", "riscv:rv64", "-M", "no-aliases"]
        text = _output([_OBJDUMP, "-D", *machine, file.name])
    found = {name: int(place, 16) // 4 for place, name in _SHOWN.findall(text)}
    if "stimecmp" not in found:
        raise ListError(f"{_OBJDUMP} does not tell the names of CSRs")
    return {name: number for name, number in found.items() if not name.startswith("0x")}


def _assignments(file: Path) -> Iterator[tuple[str, ast.expr]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of how they are written
            tree = ast.parse(file.read_text())
    except OSError as error:
        raise ListError(f"{file} is not there: run 'tool/setup/setup.sh --tests'") from error
    for each in tree.body:
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):
            yield each.targets[0].id, each.value


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
