# SPDX-License-Identifier: BSD-2-Clause
"""Instruction counts that a change must not make longer: bench/expected.toml.

They are exact: the same code gives the same numbers on every machine. A test compares, and
`cotenant bench --accept` writes the file anew.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from cotenant import paths
from cotenant.bench import hosted, machine, sbi, stops, switch
from cotenant.bench.osswitch import benchmark as osswitch
from cotenant.errors import BenchError

FILE = paths.ROOT / "bench" / "expected.toml"
TOLERANCE_PERCENT = 2
"""by how much a count may exceed what is expected: room for what a compiler changes"""

Counts = dict[str, dict[str, int]]

_HEAD = """\
# SPDX-License-Identifier: BSD-2-Clause
#
# Instructions of the monitor's hot paths, under QEMU's -icount. The test of instruction counts in
# tests/system fails when one of them is more than {tolerance} % above what it says here. Written by
# 'cotenant bench --accept'; docs/performance.md explains the figures.
"""


@dataclass(frozen=True)
class Change:
    """A count that is not what was expected; None where there is no such count."""

    section: str
    name: str
    expected: int | None
    measured: int | None

    @property
    def is_longer(self) -> bool:
        """Whether it is a regression: longer than tolerated, or not measured any more."""
        if self.expected is None:
            return False
        return self.measured is None or self.measured > limit(self.expected)

    def __str__(self) -> str:
        return f"{self.section}: {self.name}: {self.expected} -> {self.measured}"


def limit(expected: int) -> int:
    """Return the largest count that is tolerated."""
    return expected + expected * TOLERANCE_PERCENT // 100


def measure() -> Counts:
    """Measure every count; takes less than a minute."""
    counts = {"sbi": sbi.measure(sstc=False), "sbi, Sstc": sbi.measure(sstc=True)}
    for sstc in (False, True):
        for rtos_fp, other_fp in ((False, False), (False, True), (True, True)):
            ways = switch.measure_pair(sstc=sstc, rtos_fp=rtos_fp, other_fp=other_fp)
            counts[f"switch, {switch.pair_name(sstc, rtos_fp, other_fp)}"] = _rounded(ways)
    counts["switch, 8 tenants"] = _rounded(switch.measure_many(8))
    counts["switch of operating systems"] = osswitch.measure_monitor(sstc=False)
    counts["stop of a tenant"] = stops.measure()
    counts["guests of a host"] = hosted.counts(sstc=True)
    for sstc in (False, True):
        suffix = f"Sstc {'on' if sstc else 'off'}"
        counts[f"FreeRTOS in machine mode, {suffix}"] = machine.counts(sstc=sstc)
    return counts


def read(file: Path = FILE) -> Counts:
    """Return what is expected. Raises BenchError if the file is missing or damaged."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise BenchError(
            f"{paths.shown(file)} does not exist: write it with 'cotenant bench --accept'"
        ) from error
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise BenchError(f"{paths.shown(file)} cannot be read: {error}") from error


def write(counts: Counts, file: Path = FILE) -> None:
    """Make these counts the expected ones."""
    text = _HEAD.format(tolerance=TOLERANCE_PERCENT)
    for section, values in counts.items():
        text += f'\n["{section}"]\n'
        text += "".join(f"{name} = {value}\n" for name, value in values.items())
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BenchError(f"{paths.shown(file)} cannot be written: {error.strerror}") from error


def compare(expected: Counts, measured: Counts) -> list[Change]:
    """Return every count that differs, in the order of the sections."""
    changes = []
    for section in expected | measured:
        old, new = expected.get(section, {}), measured.get(section, {})
        for name in old | new:
            if old.get(name) != new.get(name):
                changes.append(Change(section, name, old.get(name), new.get(name)))
    return changes


def _rounded(ways: switch.Ways) -> dict[str, int]:
    return {"in": round(ways.into), "out": round(ways.out)}
