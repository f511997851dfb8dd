# SPDX-License-Identifier: BSD-2-Clause
"""Where the parts of a Cotenant tree are: the package lives in tool/cotenant of it."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ABI = ROOT / "abi"
BOARDS = ROOT / "boards"
BUILD = ROOT / "build"
MONITOR = ROOT / "monitor"
MONITOR_IMAGE = BUILD / "monitor" / "monitor.bin"
MONITOR_ELF = BUILD / "monitor" / "monitor.elf"
TENANT_IMAGES = BUILD / "tenants"
BUNDLES = BUILD / "bundles"
TRACES = BUILD / "traces"


def shown(path: Path) -> str:
    """Return a path as the user would type it: relative to the current folder if it is below."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
