# SPDX-License-Identifier: BSD-2-Clause
"""What the monitor makes of a device tree that is handed over, by its own code, on this machine."""

import subprocess
from pathlib import Path

from cotenant import paths
from cotenant.board_import.node import Node

_SOURCES = ("fdt.c", "merge.c")


def program(folder: Path) -> Path:
    """Build the monitor's merge with sanitizers."""
    made = folder / "merge-trees"
    tests = paths.ROOT / "tests" / "unit" / "c"
    sources = [paths.MONITOR / "features" / "handed_tree" / name for name in _SOURCES]
    flags = ["-std=c11", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    places = [f"-I{tests / 'include'}", f"-I{paths.MONITOR}", f"-I{paths.ROOT}"]
    subprocess.run(
        ["gcc", *flags, *places, "-o", made, tests / "merge_trees.c", *sources], check=True
    )
    return made


def merged(program_: Path, handed: bytes, plan: bytes, folder: Path) -> bytes | str:
    """Return the tenant's tree, or what the monitor says against the one that is handed over."""
    (folder / "handed.dtb").write_bytes(handed)
    (folder / "plan.dtb").write_bytes(plan)
    out = folder / "merged.dtb"
    result = subprocess.run(
        [program_, folder / "handed.dtb", folder / "plan.dtb", out],
        check=False,
        capture_output=True,
        text=True,
    )
    if result.returncode == 0:
        return out.read_bytes()
    assert result.returncode == 1, result.stderr
    return result.stderr.strip()


def content(node: Node) -> object:
    """Return what a tree says, whatever the order of its nodes and properties."""
    below = {child.name: content(child) for child in node.children}
    assert len(below) == len(node.children)
    return node.name, node.properties, below
