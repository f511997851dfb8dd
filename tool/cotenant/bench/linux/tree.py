# SPDX-License-Identifier: BSD-2-Clause
"""The machine that a Linux on the compared firmware sees: the one that a tenant sees.

QEMU's own device tree has devices that the measured tenant does not have, and describes the hart in
other words; a kernel would then do other work on the two sides. What only the firmware needs stays.
"""

import subprocess
from pathlib import Path

import fdt

from cotenant import devicetree, flat_tree
from cotenant.board import Board
from cotenant.errors import BenchError
from cotenant.run.qemu import Machine, find_program

# The devices of QEMU's tree that stay: those of a tenant without devices of its own, and the
# firmware's.
_SHARED = ("serial@", "plic@", "clint@", "test@")
_OUTSIDE = ("fw-cfg@", "flash@", "platform-bus@")


def write(path: Path, board: Board, machine: Machine, *, sstc: bool) -> None:
    """Write the tree of a machine to `path`, with the hart that the board's tenants see.

    Raises BenchError if QEMU does not tell its own tree.
    """
    tree = flat_tree.parse(_dump(path, machine))
    for node in list(tree.root.nodes):
        if node.name.startswith(_OUTSIDE):
            tree.root.remove_subnode(node.name)
    devices = tree.get_node("/soc")
    for node in list(devices.nodes):
        if not node.name.startswith(_SHARED):
            devices.remove_subnode(node.name)
    _describe_hart(tree.get_node("/cpus/cpu@0"), board, sstc=sstc)
    path.write_bytes(tree.to_dtb(version=17))


def _dump(path: Path, machine: Machine) -> bytes:
    assert machine.cpu is not None
    command = [find_program(), "-M", f"{machine.machine},dumpdtb={path}", "-cpu", machine.cpu]
    command += ["-m", f"{machine.memory_bytes >> 10}K", "-smp", "1", "-display", "none"]
    outcome = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if outcome.returncode != 0 or not path.is_file():
        raise BenchError(f"QEMU does not tell its device tree: {outcome.stderr.strip()}")
    return path.read_bytes()


def _describe_hart(node: fdt.Node, board: Board, *, sstc: bool) -> None:
    names = devicetree.extensions(board, fp=True, vector=False, sstc=sstc)
    node.set_property("riscv,isa", devicetree.isa_string(names))
    node.set_property("riscv,isa-base", "rv64i")
    node.set_property("riscv,isa-extensions", list(names))
    node.set_property("mmu-type", board.mmu)
