# SPDX-License-Identifier: BSD-2-Clause
"""Whether a device tree is that of a board."""

from collections.abc import Callable, Sequence

from cotenant.board import Board, BoardHart
from cotenant.board_import.tree import Tree, TreeError, cell_counts
from cotenant.board_tree import machine
from cotenant.ranges import Range

_REMEDY = "name the tree of this board, or correct the board's file"

Complain = Callable[[str, str], None]
"""takes a problem and its remedy"""


def check(
    data: bytes, board: Board, harts: Sequence[BoardHart], ram: Range, complain: Complain
) -> None:
    """Say where the tree tells of another machine than `board`, of which a tenant has `harts`.

    `ram`: what the system uses of it.
    """
    try:
        tree = Tree(data)
    except TreeError as error:
        complain(str(error), "name a flattened device tree, such as /sys/firmware/fdt of Linux")
        return
    address, size = cell_counts(tree.root)
    if max(_ends(board, ram)) > 1 << 32 * address or ram.size >= 1 << 32 * size:
        complain(f"its addresses and sizes have {address} and {size} cells: too few", _REMEDY)
    _check_memory(tree, board, ram, complain)
    _check_harts(tree, board, harts, complain)
    plic = machine.plic(tree, board)
    if plic is None:
        complain(
            f"it has no interrupt controller at {board.plic.range.base:#x}, where the PLIC of "
            f"{board.id} is",
            _REMEDY,
        )
    elif not machine.handle(plic) or plic.number("#interrupt-cells") != 1:
        complain(f"its {plic.path} has no phandle, or not one cell an interrupt", _REMEDY)


def _ends(board: Board, ram: Range) -> list[int]:
    """Return the ends of all that a tree of a tenant may name below the root."""
    areas = [ram, board.uart.range, board.aclint.range]
    areas += [board.virtual_devices] if board.virtual_devices is not None else []
    return [area.end for area in areas]


def _check_memory(tree: Tree, board: Board, ram: Range, complain: Complain) -> None:
    pieces = machine.memory(tree)
    if any(each.contains(ram) for each in pieces):
        return
    told = " and ".join(map(str, pieces)) or "nowhere"
    remedy = _REMEDY
    fitting = next((each for each in pieces if each.base <= ram.base < each.end), None)
    if fitting is not None:
        size = (fitting.end - ram.base) >> 20
        remedy = f'write memory = "{size}M" at the top of the file, or less, or name another tree'
    complain(f"it has RAM at {told}, and the system uses {ram} of {board.id}", remedy)


def _check_harts(tree: Tree, board: Board, harts: Sequence[BoardHart], complain: Complain) -> None:
    found = machine.harts(tree)
    for hart in harts:
        node = found.get(hart.id)
        if node is None:
            listed = ", ".join(map(str, found)) or "none"
            complain(f"it has no hart {hart.id}, but {listed}", _REMEDY)
        elif machine.interrupt_controller(node) is None:
            complain(f"its {node.path} has no interrupt controller with a phandle", _REMEDY)
    cpus = tree.child("cpus")
    told = cpus.number("timebase-frequency") if cpus else None
    if told not in (None, board.timebase):
        complain(
            f"its harts count {told} a second, and those of {board.id} {board.timebase}", _REMEDY
        )
