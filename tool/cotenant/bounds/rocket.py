# SPDX-License-Identifier: BSD-2-Clause
"""Cycles of the Rocket core of `cotenant bench rtl`, for bounds in cycles.

An instruction counts for what its kind takes at most when all that it needs is in the caches
(*warm*), or when nothing is (*miss*): then each access to memory fills a line of the data cache,
and each line of code that is come to is filled, too, whether by going on or by a branch, jump,
call or return, taken or not. So no history of the caches has to be known, and no run can take
longer. The figures are in bench/rtl/costs.toml; tests/system/test_rtl_costs.py holds them against
what the core does.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cotenant import paths
from cotenant.bounds.instructions import Instruction, Kind

COSTS = paths.ROOT / "bench" / "rtl" / "costs.toml"
LINE = 64
"""bytes of a line of both caches"""

_LOADS = frozenset(["lb", "lh", "lw", "ld", "lbu", "lhu", "lwu", "flw", "fld"])
_STORES = frozenset(["sb", "sh", "sw", "sd", "fsw", "fsd"])
_BY_ORDER = {
    Kind.BRANCH: "branch",
    Kind.JUMP: "jump",
    Kind.CALL: "jump",
    Kind.INDIRECT_JUMP: "indirect",
    Kind.INDIRECT_CALL: "indirect",
    Kind.END: "system",
    Kind.WAIT: "system",
}
_ACCESSES = ("load", "store", "atomic", "fence")
"""kinds that may wait for a line of data: a fence for one that is written back"""
_BY_NAME = (
    ("csr", "system"),
    ("frcsr", "system"),
    ("fscsr", "system"),
    ("fence", "fence"),
    ("sfence", "system"),
    ("amo", "atomic"),
    ("lr.", "atomic"),
    ("sc.", "atomic"),
    ("mul", "multiply"),
    ("div", "divide"),
    ("rem", "divide"),
)
_TRANSFERS = (Kind.BRANCH, Kind.JUMP, Kind.CALL, Kind.INDIRECT_JUMP, Kind.INDIRECT_CALL, Kind.END)


@dataclass(frozen=True)
class RocketCost:
    """What instructions count for: cycles. A `cotenant.bounds.stretches.Cost`."""

    cycles: dict[str, int]
    """by kind of instruction, all within the caches"""
    trap: int
    """a trap, and the return from it, besides their instructions"""
    code_line: int = 0
    """of a line of code that is not in the cache"""
    data_line: int = 0
    """of a line of data that is not in the cache, with that of a line that leaves it"""

    @property
    def start(self) -> int:
        """What a stretch finds under way: a trap, the first line of code, a line written back."""
        return self.trap + self.code_line + self.data_line

    def of(self, instruction: Instruction) -> int:
        """Return the cycles of an instruction."""
        kind = kind_of(instruction)
        lines = int(instruction.kind in _TRANSFERS) + int(_begins_line(instruction))
        accesses = int(kind in _ACCESSES)
        return self.cycles[kind] + lines * self.code_line + accesses * self.data_line


def warm(file: Path = COSTS) -> RocketCost:
    """Return the costs when all is in the caches."""
    table = _read(file)
    return RocketCost(table["cycles"], table["trap"])


def miss(file: Path = COSTS) -> RocketCost:
    """Return the costs when nothing is in the caches."""
    table = _read(file)
    lines = table["line"]
    return RocketCost(table["cycles"], table["trap"], lines["code"], lines["data"])


def kind_of(instruction: Instruction) -> str:
    """Return the kind of an instruction, a key of the table `cycles`."""
    name = instruction.mnemonic.removeprefix("c.").removesuffix("sp")
    if instruction.kind in _BY_ORDER:
        return _BY_ORDER[instruction.kind]
    if name in _LOADS:
        return "load"
    if name in _STORES:
        return "store"
    return next((kind for start, kind in _BY_NAME if name.startswith(start)), "plain")


def _begins_line(instruction: Instruction) -> bool:
    """Whether it is the first of a line, or lies in two."""
    into = instruction.address % LINE
    return into == 0 or into + instruction.size > LINE


def _read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))
