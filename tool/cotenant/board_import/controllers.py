# SPDX-License-Identifier: BSD-2-Clause
"""What the monitor drives itself: timer, interrupt controller, UART, reset."""

from dataclasses import dataclass

from cotenant import abi
from cotenant.board import Aclint
from cotenant.board_import.findings import Findings
from cotenant.board_import.tree import Node, Tree
from cotenant.ranges import Range

_MACHINE, _SUPERVISOR = 11, 9
_UNUSED = 0xFFFFFFFF
# CLINT of SiFive's cores: FU540-C000 manual, chapter 9; the same ones have not been in every tree.
_CLINT_SIZE, _MTIMECMP, _MTIME = 0x1_0000, 0x4000, 0xBFF8
_CLINTS_NOT_IN_TREES = {"sifive,fu540-c000": 0x0200_0000, "sifive,fu740-c000": 0x0200_0000}

_NS16550 = ("ns16550a", "ns16550", "snps,dw-apb-uart")
_SIFIVE_UART = ("sifive,uart0", "sifive,fu540-c000-uart0", "sifive,fu740-c000-uart0")
_SIFIVE_TEST = ("sifive,test0", "sifive,test1")
# Where nothing is said. Only the virtual UART's idea of its clock follows from it.
_USUAL_UART_CLOCK = 3_686_400


@dataclass(frozen=True)
class Plic:
    """The interrupt controller, and the contexts of each hart, by its id: M-mode's and S-mode's."""

    node: Node
    range: Range
    sources: int
    compatible: tuple[str, ...]
    contexts: dict[int, tuple[int | None, int | None]]


@dataclass(frozen=True)
class Uart:
    """The console of the monitor."""

    node: Node
    kind: str
    range: Range
    source: int
    register_shift: int
    register_width: int
    """bytes of an access, 1 or 4"""
    clock: int


@dataclass(frozen=True)
class Reset:
    """What powers the machine off; `kind` none: nothing that the monitor drives."""

    node: Node | None
    kind: str
    range: Range | None


def find_timer(tree: Tree, findings: Findings) -> tuple[Aclint | None, tuple[Node, ...]]:
    """Return the timer and the nodes that it is."""
    for node in tree.nodes:
        if node.is_a("sifive,clint0", "riscv,clint0") and (place := tree.ranges(node)):
            return _clint(place[0].base), (node,)
    timer = _first(tree, "riscv,aclint-mtimer")
    software = _first(tree, "riscv,aclint-mswi")
    if timer is not None and software is not None:
        return _aclint(tree, timer, software, findings), (timer, software)
    for soc, base in _CLINTS_NOT_IN_TREES.items():
        if tree.root.is_a(soc):
            findings.note(
                f"The tree has no CLINT. That of the {soc.partition(',')[2].upper()}'s manual, "
                f"at {base:#x}, was taken."
            )
            return _clint(base), ()
    thead = _first(tree, "thead,c900-clint", "thead,c900-aclint-mtimer")
    if thead is not None:
        findings.problem(
            f"Its timer, {thead.compatible[-1]}, has no mtime register to read: there is no driver."
        )
        return None, ()
    findings.problem("It names no timer: no CLINT, no ACLINT.")
    return None, ()


def _first(tree: Tree, *names: str) -> Node | None:
    return next((node for node in tree.nodes if node.is_a(*names)), None)


def _clint(base: int) -> Aclint:
    return Aclint(Range(base, _CLINT_SIZE), base + _MTIME, base + _MTIMECMP, base)


def _aclint(tree: Tree, timer: Node, software: Node, findings: Findings) -> Aclint | None:
    """RISC-V ACLINT specification: the timer's ranges are mtime, then mtimecmp."""
    times, words = tree.ranges(timer), tree.ranges(software)
    if len(times) < 2 or not words:
        findings.problem(f"{timer.path} does not tell where mtime and mtimecmp are.")
        return None
    low = min(each.base for each in (*times, *words)) & ~0xFFF
    high = (max(each.end for each in (*times, *words)) + 0xFFF) & ~0xFFF
    return Aclint(Range(low, high - low), times[0].base, times[1].base, words[0].base)


def find_plic(tree: Tree, harts: dict[int, int], findings: Findings) -> Plic | None:
    """Return the PLIC. `harts` are ids by the place of the harts' own controllers in the tree."""
    node = _first(tree, "sifive,plic-1.0.0", "riscv,plic0")
    if node is None or node.is_a("thead,c900-plic"):
        other = _first(tree, "thead,c900-plic", "riscv,aplic", "andestech,nceplic100")
        if other is None:
            findings.problem("It names no PLIC.")
        else:
            findings.problem(
                f"Its interrupt controller, {other.compatible[-1]}, is no PLIC of SiFive's kind: "
                "there is no driver."
            )
        return None
    place = tree.ranges(node)
    sources = (node.number("riscv,ndev") or 0) + 1
    most = abi.limit("MAX_SOURCES")
    if not place or sources < 2:
        findings.problem(f"{node.path} does not tell where it is, or how many sources it has.")
        return None
    if sources > most:
        findings.note(f"Of {sources - 1} interrupt sources, those above {most - 1} are left out.")
    contexts: dict[int, tuple[int | None, int | None]] = {}
    cells = node.cells("interrupts-extended")
    for context, at in enumerate(range(0, len(cells) - 1, 2)):
        controller = tree.by_handle.get(cells[at])
        hart = None if controller is None else harts.get(id(controller))
        if hart is None:
            continue
        machine, supervisor = contexts.get(hart, (None, None))
        hidden = cells[at + 1] == _UNUSED and (machine, supervisor) == (None, None)
        if hidden:
            findings.note(
                "The tree hides contexts of the PLIC: each was taken for M-mode's, which is the "
                "first of a hart in PLICs of SiFive's."
            )
        if cells[at + 1] == _MACHINE or hidden:
            machine = context
        elif cells[at + 1] == _SUPERVISOR:
            supervisor = context
        contexts[hart] = machine, supervisor
    return Plic(node, place[0], min(sources, most), node.compatible, contexts)


def find_uart(tree: Tree, plic: Plic | None, wanted: str | None, findings: Findings) -> Uart | None:
    """Return the UART of `wanted` (a path or alias), or that of the tree's stdout."""
    chosen = tree.child("chosen")
    name = wanted or (chosen.text("stdout-path") if chosen else None) or "serial0"
    node = tree.at(name.partition(":")[0])
    if node is None:
        findings.problem(f"It has no UART {name.partition(':')[0]}.")
        return None
    kind = "ns16550" if node.is_a(*_NS16550) else "sifive" if node.is_a(*_SIFIVE_UART) else None
    place = tree.ranges(node)
    if kind is None or not place:
        named = node.compatible[0] if node.compatible else node.path
        findings.problem(f"There is no driver for its UART, {named}.")
        return None
    if not node.enabled:
        findings.note(f"The UART {node.path} is not in use by the tree.")
    if node.is_a("snps,dw-apb-uart"):
        findings.note(
            "Its UART is Synopsys' 16550, which takes no new line settings while it is busy: "
            "leave it as the firmware before set it (no divisor)."
        )
    width = node.number("reg-io-width") or 1
    if width not in (1, 4):
        findings.note(
            f"Its UART's registers want accesses of {8 * width} bits, and the driver makes those "
            "of 8: see whether that works."
        )
    clock = node.number("clock-frequency")
    if clock is None:
        findings.note("The clock of its UART is not told: a usual one was taken.")
    numbers = _sources(tree, node, plic)
    return Uart(
        node,
        kind,
        place[0],
        numbers[0] if numbers else 0,
        min(node.number("reg-shift") or 0, 4),
        width if kind == "ns16550" and width == 4 else 1,
        clock or _USUAL_UART_CLOCK,
    )


def find_reset(tree: Tree, findings: Findings) -> Reset:
    """Return what powers the machine off."""
    node = _first(tree, *_SIFIVE_TEST)
    place = tree.ranges(node) if node else []
    if node is not None and place:
        return Reset(node, "sifive-test", place[0])
    findings.note("It has no device that the monitor can power it off with.")
    return Reset(None, "none", None)


def _sources(tree: Tree, node: Node, plic: Plic | None) -> list[int]:
    """Return the node's interrupts at the PLIC."""
    if plic is None:
        return []
    return [
        cells[0]
        for controller, cells in tree.interrupts(node)
        if controller is plic.node and cells and 0 < cells[0] < plic.sources
    ]


def plic_sources(tree: Tree, node: Node, plic: Plic) -> tuple[int, ...]:
    """Return the node's interrupts at the PLIC, each once."""
    return tuple(dict.fromkeys(_sources(tree, node, plic)))
