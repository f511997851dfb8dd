# SPDX-License-Identifier: BSD-2-Clause
"""How large the monitor is: its folders, its core and features, and lean ones for examples."""

import tempfile
from pathlib import Path

from cotenant import features, monitor_parts, paths
from cotenant import system as systems
from cotenant.bench.row import Row, row
from cotenant.monitor_build import Monitor, build, code_lines, source_files

_EXAMPLES = (
    "switch-linux-freertos",
    "control-loop",
    "udp-echo",
    "smp-linux-freertos",
    "linux-freertos",
)
_PAIR = """\
board = "qemu-virt"
[tenant.one]
priority = 1
memory = "4M"
image = "freertos-latency"
fp = false
uart = false
[tenant.two]
priority = 2
memory = "4M"
image = "freertos-latency"
fp = false
uart = false
"""
_LINES_BUDGET = 6000
_KILOBYTE = 1000


def run(quick: bool) -> list[Row]:
    """Count, and compile what is not compiled; `quick` is no less."""
    del quick
    files = source_files()
    rows = [
        row(f"monitor/{folder.name}", "lines", sum(map(code_lines, _below(folder, files))))
        for folder in sorted(paths.MONITOR.iterdir())
        if folder.is_dir() and _below(folder, files)
    ]
    rows.append(row("all", "lines", sum(map(code_lines, files))))
    full = build(frozenset(features.WHAT))
    for part in monitor_parts.parts(full.elf.parent):
        rows += _part(part)
    rows += _monitor("full", full)
    for name in _EXAMPLES:
        rows += _monitor(name, of_example(name))
    rows += _monitor("two FreeRTOS", of_pair())
    checking = "[monitor]\nwith = ['check']\n"
    rows += _monitor("two FreeRTOS, check", of_pair(checking))
    least = "[monitor]\nwithout = ['commands']\n"
    rows += _monitor("two FreeRTOS, least", of_pair(least))
    return rows


def of_example(name: str) -> Monitor:
    """Return the lean monitor of an example."""
    return _lean(paths.ROOT / "examples" / f"{name}.toml")


def of_pair(monitor: str = "") -> Monitor:
    """Return the lean monitor of two RTOSes; `monitor` is that table of their system."""
    with tempfile.TemporaryDirectory(prefix="cotenant-bench.") as folder_name:
        pair = Path(folder_name) / "system.toml"
        pair.write_text(f"{_PAIR}{monitor}", encoding="utf-8")
        return _lean(pair)


def _below(folder: Path, files: list[Path]) -> list[Path]:
    return [file for file in files if file.is_relative_to(folder)]


def _lean(system: Path) -> Monitor:
    """Return the monitor with only what a system uses."""
    return build(features.chosen(systems.load(system, lean=True)))


def _part(part: monitor_parts.Part) -> list[Row]:
    budget = _LINES_BUDGET if part.name == monitor_parts.CORE else None
    return [
        row(f"{part.name}: lines", "lines", part.lines, None, budget),
        row(f"{part.name}: code and constants", "bytes", part.code),
        *(row(f"{part.name}: data of a {of}", "bytes", size) for of, size in part.each.items()),
    ]


def _monitor(name: str, monitor: Monitor) -> list[Row]:
    return [
        row(f"{name}: code and constants", "KB", round(monitor.text_bytes / _KILOBYTE, 1)),
        row(f"{name}: lines", "lines", monitor.lines),
    ]
