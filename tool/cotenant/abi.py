# SPDX-License-Identifier: BSD-2-Clause
"""The numbers that the tool shares with the monitor, read from the headers in abi/.

The headers keep one literal per line (`#define NAME 123`), so that every number has one source.
"""

import re
from functools import cache
from pathlib import Path

from cotenant import paths
from cotenant.errors import CotenantError

_DEFINE = re.compile(
    r"^#define[ \t]+([A-Z][A-Z0-9_]*)[ \t]+\(?(-?(?:0[xX][0-9a-fA-F]+|[0-9]+))[uUlL]*\)?[ \t]*$",
    re.MULTILINE,
)


def parse_defines(text: str) -> dict[str, int]:
    """Return the names that a header defines as one integer literal; other lines are skipped."""
    return {name: int(literal, 0) for name, literal in _DEFINE.findall(text)}


@cache
def header(name: str, folder: Path = paths.ABI) -> dict[str, int]:
    """Return the constants of one header of abi/, such as `limits.h`."""
    path = folder / name
    try:
        return parse_defines(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CotenantError(
            f"{path} cannot be read ({error.strerror}): the cotenant tool needs the tree it is from"
        ) from error


def limit(name: str) -> int:
    """Return a limit of abi/limits.h by its name without the prefix, such as `MAX_TENANTS`."""
    return header("limits.h")[f"COTENANT_{name}"]


def bundle(name: str) -> int:
    """Return a constant of abi/bundle.h by its name without the prefix, such as `NONE`."""
    return header("bundle.h")[f"COTENANT_{name}"]


def trace(name: str) -> int:
    """Return a constant of abi/trace.h by its name without the prefix, such as `MAGIC`."""
    return header("trace.h")[f"COTENANT_TRACE_{name}"]


def served(name: str) -> int:
    """Return a constant of abi/served.h by its name without the prefix, such as `PAGE`."""
    return header("served.h")[f"COTENANT_SERVED_{name}"]


def hosted(name: str) -> int:
    """Return a constant of abi/hosted.h by its name without the prefix, such as `PAGE`."""
    return header("hosted.h")[f"COTENANT_HOSTED_{name}"]
