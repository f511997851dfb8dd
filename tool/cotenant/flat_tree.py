# SPDX-License-Identifier: BSD-2-Clause
"""Flattened device trees, each with memory reservations of its own.

The library gives all trees that it makes without a list the same one: what is read with one tree
would be written with every later one.
"""

import fdt


def new() -> fdt.FDT:
    """Return an empty tree."""
    return fdt.FDT(entries=[])


def parse(blob: bytes) -> fdt.FDT:
    """Return the tree of a blob. Raises what the library raises for a damaged one."""
    shared = fdt.FDT().entries
    shared.clear()
    try:
        tree = fdt.parse_dtb(blob)
        tree.entries = list(shared)
    finally:
        shared.clear()
    return tree
