# SPDX-License-Identifier: BSD-2-Clause
"""From a device tree to a board file."""

from dataclasses import dataclass, field
from pathlib import Path

from cotenant.board import Aclint
from cotenant.board_import import controllers, devices, harts
from cotenant.board_import.board_text import board_text
from cotenant.board_import.findings import Findings
from cotenant.board_import.tree import Node, Tree, read
from cotenant.ranges import Range

# Entries that the harts of a machine have by its manual: a tree does not tell.
_PMP_ENTRIES = {
    "riscv-virtio": 16,
    "sifive,fu540-c000": 8,
    "sifive,hifive-unleashed-a00": 8,
    "sifive,fu740-c000": 8,
    "starfive,jh7110": 8,
    "microchip,mpfs": 16,
}
_FEWEST_PMP_ENTRIES = 8
# What firmware in M-mode keeps for itself: it is not there when the monitor is.
OF_FIRMWARE = ("mmode_resv", "opensbi", "m-mode", "fw_")
_MOST_VIRTUAL_SOURCES = 16
_VIRTUAL_STEP = 0x1_0000
_PAGE = 0x1000


@dataclass
class Board:
    """What a board file says, in its order."""

    name: str
    compatible: str
    timebase: int
    harts: harts.Harts
    all_harts: bool
    ram: Range
    pmp_entries: int
    timer: Aclint
    plic: controllers.Plic
    virtual_sources: tuple[int, ...]
    uart: controllers.Uart
    virtual_devices: Range | None
    reset: controllers.Reset
    devices: list[devices.Found]


@dataclass
class Imported:
    """What came of a tree. `board` and `text` are None where there are problems."""

    model: str
    compatible: str
    problems: list[str]
    notes: list[str]
    board: Board | None = None
    text: str | None = None
    reserved: list[str] = field(default_factory=list)


def import_tree(file: Path, uart: str | None = None) -> Imported:
    """Read a device tree; `uart` names the one for the console. Raises TreeError if it is none."""
    tree = read(file)
    findings = Findings()
    model = tree.root.text("model") or (tree.root.compatible or ("a machine",))[0]
    compatible = (tree.root.compatible or ("",))[0]
    board = _board(tree, model, compatible, uart, findings)
    result = Imported(model, compatible, findings.problems, findings.notes)
    if board is not None and not findings.problems:
        result.board = board
        result.text = board_text(board, file.name, findings.notes)
    return result


def _board(
    tree: Tree, model: str, compatible: str, uart_name: str | None, findings: Findings
) -> Board | None:
    found = harts.find(tree, findings)
    owners = {id(h.interrupt_controller): h.id for h in found.all if h.interrupt_controller}
    timer, timer_nodes = controllers.find_timer(tree, findings)
    plic = controllers.find_plic(tree, owners, findings)
    uart = controllers.find_uart(tree, plic, uart_name, findings)
    reset = controllers.find_reset(tree, findings)
    ram = _ram(tree, findings)
    if findings.problems or timer is None or plic is None or uart is None or ram is None:
        return None
    _check_contexts(found, plic, findings)
    own: list[tuple[Node, Range]] = [(node, timer.range) for node in timer_nodes]
    own += [(plic.node, plic.range), (uart.node, uart.range)]
    taken = [("the timer", timer.range), ("the PLIC", plic.range), ("the UART", uart.range)]
    taken.append(("RAM", ram))
    if reset.node is not None and reset.range is not None:
        own.append((reset.node, reset.range))
        taken.append(("the power-off device", reset.range))
    owned = {uart.source} if uart.source else set()
    some = devices.find(tree, plic, own, taken, owned, findings)
    return Board(
        name=model,
        compatible=compatible or "unknown",
        timebase=found.timebase or 1,
        harts=found,
        all_harts=not tree.root.is_a("riscv-virtio"),
        ram=ram,
        pmp_entries=_pmp_entries(tree, findings),
        timer=timer,
        plic=plic,
        virtual_sources=_virtual_sources(tree, plic, findings),
        uart=uart,
        virtual_devices=_virtual_devices(tree, uart.range, taken, some, findings),
        reset=reset,
        devices=some,
    )


def _check_contexts(found: harts.Harts, plic: controllers.Plic, findings: Findings) -> None:
    for hart in found.all:
        _, supervisor = plic.contexts.get(hart.id, (None, None))
        if hart.mmu is not None and supervisor is None:
            findings.problem(f"Hart {hart.id} has S-mode, and the PLIC has no context for it.")


def _ram(tree: Tree, findings: Findings) -> Range | None:
    """Return the first piece of RAM without what others keep; the rest is told of."""
    pieces = sorted(
        (place for node in tree.root.children if node.kind == "memory" and node.enabled
         for place in tree.ranges(node)),
        key=lambda each: each.base,
    )  # fmt: skip
    if not pieces:
        findings.problem("It does not tell where RAM is.")
        return None
    first = pieces[0]
    for other in pieces[1:]:
        if other.base == first.end:
            first = Range(first.base, first.size + other.size)
        else:
            findings.note(f"RAM at {other} is not used: a board has one piece.")
    reserved = tree.child("reserved-memory")
    for node in reserved.children if reserved else ():
        for area in tree.ranges(node):
            if area.overlaps(first) and not node.kind.startswith(OF_FIRMWARE):
                first = _without(first, area)
                findings.note(
                    f"RAM ends before {node.kind} at {area}, which is reserved."
                    if first.end <= area.base
                    else f"RAM begins behind {node.kind} at {area}, which is reserved."
                )
    base = (first.base + _PAGE - 1) & -_PAGE
    size = (first.end & -_PAGE) - base
    if size <= 0:
        findings.problem("All of its RAM is reserved.")
        return None
    return Range(base, size)


def _without(ram: Range, area: Range) -> Range:
    """Return the larger part of RAM beside an area."""
    below = Range(ram.base, max(0, area.base - ram.base))
    above = Range(min(area.end, ram.end), max(0, ram.end - area.end))
    return below if below.size >= above.size else above


def _pmp_entries(tree: Tree, findings: Findings) -> int:
    for name, entries in _PMP_ENTRIES.items():
        if tree.root.is_a(name):
            return entries
    findings.note(
        f"How many PMP entries its harts have is not told: {_FEWEST_PMP_ENTRIES} were taken."
    )
    return _FEWEST_PMP_ENTRIES


def _virtual_sources(tree: Tree, plic: controllers.Plic, findings: Findings) -> tuple[int, ...]:
    """Return sources that nothing in the tree raises, in use or not."""
    used = {0}
    for node in tree.nodes:
        used.update(controllers.plic_sources(tree, node, plic))
        for at, cell in enumerate(node.cells("interrupt-map")):
            if at and cell < plic.sources:
                used.add(cell)
    free = [source for source in range(1, plic.sources) if source not in used]
    if not free:
        findings.problem("Every source of its PLIC has a device: none is left for virtual ones.")
    else:
        findings.note(
            "The virtual sources are numbers that no node of the tree has: make sure that nothing "
            "raises them."
        )
    return tuple(free[:_MOST_VIRTUAL_SOURCES])


def _virtual_devices(
    tree: Tree,
    uart: Range,
    taken: list[tuple[str, Range]],
    some: list[devices.Found],
    findings: Findings,
) -> Range | None:
    """Return addresses near the UART that nothing in the tree has, in use or not."""
    areas = [area for _, area in taken]
    areas += [place for node in tree.nodes for place in tree.ranges(node)]
    areas += [window for device in some for window in device.pci or ()]
    place = Range((uart.end + _VIRTUAL_STEP - 1) & -_VIRTUAL_STEP, _VIRTUAL_STEP)
    for _ in range(len(areas) + 1):
        hit = next((area for area in areas if area.overlaps(place)), None)
        if hit is None:
            return place
        place = Range((hit.end + _VIRTUAL_STEP - 1) & -_VIRTUAL_STEP, _VIRTUAL_STEP)
    findings.note("No room for virtual devices was found.")
    return None
