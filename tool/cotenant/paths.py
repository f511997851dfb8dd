# SPDX-License-Identifier: BSD-2-Clause
"""Where the parts of a Cotenant tree are: the package lives in tool/cotenant of it.

One that was installed has in it what it needs of the tree, and builds in the user's cache.
"""

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_PACKED = _PACKAGE / "tree"
INSTALLED = _PACKED.is_dir()


def cache() -> Path:
    """Return the cache directory of this user, outside any source tree."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "cotenant"


ROOT = _PACKED if INSTALLED else _PACKAGE.parents[1]
ABI = ROOT / "abi"
BOARDS = ROOT / "boards"
BUILD = ROOT / "build"
MONITOR = ROOT / "monitor"
MONITOR_IMAGE = BUILD / "monitor" / "monitor.bin"
MONITOR_ELF = BUILD / "monitor" / "monitor.elf"
TENANT_IMAGES = BUILD / "tenants"
# What is made for a user's systems.
MADE = cache() / "build" if INSTALLED else BUILD
BUNDLES = MADE / "bundles"
TRACES = MADE / "traces"


def shown(path: Path) -> str:
    """Return a path as the user would type it: relative to the current folder if it is below."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
