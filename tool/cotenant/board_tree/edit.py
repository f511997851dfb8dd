# SPDX-License-Identifier: BSD-2-Clause
"""Cuts the board's device tree to what a tenant has, in the order of the functions of edit()."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cotenant import devicetree
from cotenant.board import Board, BoardHart
from cotenant.board_import.importer import OF_FIRMWARE
from cotenant.board_import.node import flatten
from cotenant.board_import.tree import Node, Tree
from cotenant.board_tree import additions, device_nodes, handed, machine
from cotenant.devicetree import TenantView
from cotenant.ranges import Range

_SUPERVISOR_EXTERNAL = 9
_NO_INTERRUPT = 0xFFFF_FFFF
# What a virtual UART does not have of the vendor's: it is no part of the board's clocks and pins.
_OF_A_REAL_UART = (
    *("clocks", "clock-names", "resets", "reset-names", "power-domains", "dmas", "dma-names"),
    *("reg-shift", "reg-io-width", "reg-offset", "interrupts-extended", "interrupt-names"),
    *("assigned-clocks", "assigned-clock-rates", "assigned-clock-parents", "current-speed"),
    *("auto-flow-control", "uart-has-rtscts", "fifo-size", "tx-threshold", "clock-frequency"),
)
_HIDDEN = "cotenant,compatible"
# An argument of Linux.
_KEEPS_CLOCKS = "clk_ignore_unused"
_ISA = ("riscv,isa", "riscv,isa-base", "riscv,isa-extensions")


@dataclass(frozen=True)
class Edited:
    """What came of a tree."""

    blob: bytes
    cut: tuple[str, ...]
    """sentences: what was disabled or replaced"""
    wanting: tuple[str, ...]
    """sentences: what the tenant keeps, and lacks something that was cut"""
    reserved: tuple[tuple[str, Range], ...] = ()
    """what the vendor reserves in the tenant's memory: nothing of the bundle may be put there"""
    plan: bytes = b""
    """by which the monitor edits a tree alike that is handed over at boot (handed.py)"""


@dataclass
class Edit:
    """A tree on its way: `places` are the addresses of its nodes before anything was changed."""

    tree: Tree
    view: TenantView
    board: Board
    harts: Sequence[BoardHart]
    foreign: Mapping[str, str]
    """whose each device of the board is that is not the tenant's; one that is not here: nobody's"""
    places: dict[int, list[Range]]
    disabled: list[Node] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    wanting: list[str] = field(default_factory=list)

    def places_of(self, node: Node) -> list[Range]:
        """Return the physical addresses of a node."""
        return self.places[id(node)]

    def disable(self, node: Node, why: str) -> None:
        """Disable a node that is in use, and with it what is below.

        Some code of kernels finds nodes by what they are compatible with and does not look at their
        status (U-Boot's flash, Linux' cache controllers and syscons): that has another name now.
        """
        if not node.enabled:
            return
        self.cut.append(f"{node.path} is disabled: {why}")
        node.set_texts("status", "disabled")
        for each in node.all():
            self.disabled.append(each)
            if node.kind != "cpu" and "compatible" in each.properties:
                each.properties[_HIDDEN] = each.properties.pop("compatible")


def edit(
    data: bytes,
    view: TenantView,
    board: Board,
    harts: Sequence[BoardHart],
    foreign: Mapping[str, str],
) -> Edited:
    """Return the tree for a tenant that `view` describes, of a tree that check() finds good.

    `harts`: the tenant's, in the order of the ids that it sees. `foreign`: by the names of the
    board's devices, who has them if not the tenant.
    """
    tree = Tree(data)
    origins = dict(zip(map(id, tree.nodes), Tree(data).nodes, strict=True))
    places = {id(node): tree.ranges(node) for node in tree.nodes}
    it = Edit(tree, view, board, harts, foreign, places)
    plic, uart = machine.plic(tree, board), machine.uart(tree, board)
    assert plic is not None
    reserved = _reserve(it)
    device_nodes.cut_monitor(it, (plic, uart))
    device_nodes.cut_devices(it, (plic, uart))
    device_nodes.cut_dependent(it)
    _give_harts(it)
    _give_plic(it, plic)
    has_uart = _give_uart(it, uart, machine.handle(plic))
    _give_memory(it)
    made = additions.add(it, machine.handle(plic), uart is None)
    _choose(it, uart if has_uart else made)
    own = [area for area in tree.reservations if _in_memory(view, area)]
    reserved += [("/memreserve/", area) for area in own]
    needed = [plic, *([uart] if uart is not None else []), *_controllers(it)]
    plan = handed.plan(tree.root, origins, {id(node) for node in needed if node.enabled})
    return Edited(
        flatten(tree.root, own),
        tuple(it.cut),
        tuple(it.wanting),
        tuple(reserved),
        flatten(plan, own),
    )


def _in_memory(view: TenantView, area: Range) -> bool:
    return any(each.contains(area) for each in view.memory)


def _reserve(it: Edit) -> list[tuple[str, Range]]:
    """Keep reservations that are in the tenant's memory, or that its kernel places itself.

    Return the former.
    """
    kept: list[tuple[str, Range]] = []
    reserved = it.tree.child("reserved-memory")
    for node in reserved.children if reserved else ():
        if node.kind.startswith(OF_FIRMWARE):
            it.disable(node, "the firmware that it was for is not there")
        elif any(not _in_memory(it.view, area) for area in it.places_of(node)):
            it.disable(node, "it is not in the tenant's memory")
        elif node.enabled:
            kept += [(node.path, area) for area in it.places_of(node)]
    return kept


def _give_harts(it: Edit) -> None:
    """Number the tenant's harts as it sees them, and disable the others, with higher numbers."""
    nodes = machine.harts(it.tree)
    own = [hart.id for hart in it.harts]
    order = [*own, *(number for number in nodes if number not in own)]
    names = devicetree.extensions(it.board, it.view.fp, it.view.vector, it.view.sstc)
    isa = (devicetree.isa_string(names), "rv64i", *names)
    moved = {}
    for number, hart in enumerate(order):
        node = nodes[hart]
        if hart in own:
            node.set_texts("status", "okay")
            node.set_texts(_ISA[0], isa[0])
            node.set_texts(_ISA[1], isa[1])
            node.set_texts(_ISA[2], *isa[2:])
            if number != hart:
                it.cut.append(f"{node.path} is the tenant's hart {number}")
        else:
            it.disable(node, f"hart {hart} is not the tenant's")
        before = node.path
        node.name = f"{node.kind}@{number:x}"
        node.properties["reg"] = number.to_bytes(len(node.properties["reg"]), "big")
        moved[before] = node.path
    _follow(it.tree, moved)


def _follow(tree: Tree, moved: Mapping[str, str]) -> None:
    """Let the names of nodes that have other paths now lead to them."""
    for name in ("aliases", "__symbols__"):
        table = tree.child(name)
        for key in list(table.properties) if table else ():
            assert table is not None
            path = table.text(key) or ""
            for before, now in moved.items():
                if path == before or path.startswith(f"{before}/"):
                    table.set_texts(key, now + path[len(before) :])


def _give_plic(it: Edit, plic: Node) -> None:
    """Leave the contexts of the tenant's harts: the position of an entry is its context."""
    contexts = it.view.plic_contexts
    if not contexts:
        it.disable(plic, "the tenant has no interrupts")
        return
    controllers = [machine.handle(each) for each in _controllers(it)]
    cells: list[int] = []
    for context in range(max(contexts) + 1):
        if context in contexts:
            cells += [controllers[contexts.index(context)], _SUPERVISOR_EXTERNAL]
        else:
            cells += [controllers[0], _NO_INTERRUPT]
    plic.properties.pop("status", None)
    plic.set_cells("interrupts-extended", *cells)
    plic.set_cells("riscv,ndev", it.board.plic.sources - 1)


def _controllers(it: Edit) -> list[Node]:
    """Return the interrupt controllers of the tenant's harts, which have its numbers already."""
    nodes = machine.harts(it.tree)
    found = (machine.interrupt_controller(nodes[number]) for number in range(len(it.harts)))
    return [each for each in found if each is not None]


def _give_uart(it: Edit, uart: Node | None, plic: int) -> bool:
    """Make the monitor's UART the virtual one; tell whether there is one."""
    if uart is None or it.view.uart_source is None:
        if uart is not None:
            it.disable(uart, "it is the monitor's, and the tenant has uart = false")
        return False
    if "clocks" in uart.properties and _KEEPS_CLOCKS not in it.view.arguments.split():
        it.wanting.append(
            f"{uart.path} had clocks: a Linux switches off what nobody uses, and with it the UART "
            f'that the monitor writes to; add "{_KEEPS_CLOCKS}" to its arguments'
        )
    for name in list(uart.properties):
        if name in _OF_A_REAL_UART or name.startswith("pinctrl-"):
            del uart.properties[name]
    uart.set_texts("compatible", "ns16550a")
    uart.set_texts("status", "okay")
    for name, number in devicetree.uart_numbers(it.board).items():
        uart.set_cells(name, number)
    uart.set_cells("interrupt-parent", plic)
    uart.set_cells("interrupts", it.view.uart_source)
    it.cut.append(f"{uart.path} is the tenant's virtual 16550: the UART is the monitor's")
    return True


def _give_memory(it: Edit) -> None:
    """Replace the nodes of RAM."""
    root = it.tree.root
    old = machine.memory_nodes(it.tree)
    total = sum(area.size for area in machine.memory(it.tree))
    at = root.children.index(old[0])
    root.children = [node for node in root.children if node not in old]
    for number, area in enumerate(it.view.memory):
        node = Node(f"memory@{area.base:x}", root, {})
        node.set_texts("device_type", "memory")
        node.properties["reg"] = additions.reg(root, area)
        root.children.insert(at + number, node)
    own = sum(area.size for area in it.view.memory)
    it.cut.append(f"memory is {own >> 10} KiB of {total >> 10} KiB")


def _choose(it: Edit, uart: Node | None) -> None:
    """Write /chosen anew, by what the system says; `uart`: the tenant's virtual one."""
    old = it.tree.child("chosen")
    before = (old.text("stdout-path") if old else None) or ""
    if old is not None:
        it.tree.root.children.remove(old)
    chosen = Node("chosen", it.tree.root, {})
    it.tree.root.children.insert(0, chosen)
    view = it.view
    if view.arguments:
        chosen.set_texts("bootargs", view.arguments)
    name, _, speed = before.partition(":")
    told = it.tree.at(name) if name else None
    if uart is not None and told is not uart:
        chosen.set_texts("stdout-path", uart.path)
    elif told is not None and told.enabled:
        chosen.set_texts("stdout-path", f"{name}:{speed}" if speed else name)
    if view.initrd is not None:
        chosen.properties["linux,initrd-start"] = struct.pack(">Q", view.initrd.base)
        chosen.properties["linux,initrd-end"] = struct.pack(">Q", view.initrd.end)
    chosen.properties["rng-seed"] = view.random_seed
