# SPDX-License-Identifier: BSD-2-Clause
"""What the tool knows of a board, found in the board's device tree."""

from cotenant.board import Board
from cotenant.board_import.tree import Node, Tree
from cotenant.ranges import Range


def memory_nodes(tree: Tree) -> list[Node]:
    """Return the nodes of RAM, in the order of the tree."""
    return [
        node
        for node in tree.root.children
        if node.kind == "memory" or node.text("device_type") == "memory"
    ]


def memory(tree: Tree) -> list[Range]:
    """Return RAM, ascending, adjacent pieces as one."""
    pieces: list[Range] = []
    found = (each for node in memory_nodes(tree) if node.enabled for each in tree.ranges(node))
    for each in sorted(found, key=lambda area: area.base):
        if pieces and pieces[-1].end >= each.base:
            end = max(pieces[-1].end, each.end)
            pieces[-1] = Range(pieces[-1].base, end - pieces[-1].base)
        else:
            pieces.append(each)
    return pieces


def harts(tree: Tree) -> dict[int, Node]:
    """Return the nodes of the harts by their ids, in the order of the tree."""
    cpus = tree.child("cpus")
    found = {}
    for node in cpus.children if cpus else ():
        number = node.number("reg")
        if node.kind == "cpu" and number is not None:
            found[number] = node
    return found


def interrupt_controller(hart: Node) -> Node | None:
    """Return the controller of a hart that the PLIC leads to; None: it has none with a phandle."""
    return next(
        (each for each in hart.children if each.is_a("riscv,cpu-intc") and handle(each)), None
    )


def handle(node: Node) -> int:
    """Return the phandle of a node; 0: it has none."""
    return (node.cells("phandle") or node.cells("linux,phandle") or (0,))[0]


def plic(tree: Tree, board: Board) -> Node | None:
    """Return the interrupt controller of the board."""
    return next(
        (
            node
            for node in tree.nodes
            if "interrupt-controller" in node.properties
            and _begins_at(tree, node, board.plic.range)
        ),
        None,
    )


def uart(tree: Tree, board: Board) -> Node | None:
    """Return the UART of the monitor; None: the tree has none there."""
    return next(
        (
            node
            for node in tree.nodes
            if node.compatible and _begins_at(tree, node, board.uart.range)
        ),
        None,
    )


def _begins_at(tree: Tree, node: Node, area: Range) -> bool:
    places = tree.ranges(node)
    return bool(places) and places[0].base == area.base
