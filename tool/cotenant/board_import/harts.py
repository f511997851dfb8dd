# SPDX-License-Identifier: BSD-2-Clause
"""The harts: which there are, which of them have S-mode, and what all of those can do."""

import re
from dataclasses import dataclass

from cotenant import abi
from cotenant.board import HART_ID_HIGH
from cotenant.board_import.findings import Findings
from cotenant.board_import.tree import Node, Tree

# What tenants may use, no state to switch beyond what the monitor switches, no switch in menvcfg;
# and H, which they are not told of. Those in order of the ISA string.
_PLAIN = ("i", "m", "a", "f", "d", "c", "v", "h")
_HARMLESS = (
    *("zicntr", "zicsr", "zifencei", "zihintpause", "zihintntl"),
    *("zba", "zbb", "zbc", "zbs", "zfh", "zfhmin", "zacas", "zawrs"),
)
# Extensions that came with menvcfg (privileged ISA 1.12) or need it.
_NEED_ENVCFG = ("h", "sstc", "svpbmt", "svadu", "zicbom", "zicboz", "zicbop")
# Bits of a vector register: of V the least, and what is reserved where no tree tells.
_VLEN_LOW, _LONG_VLEN = 128, 1024
_TELLS_NOTHING = ("zihpm", "zicond", "zmmul", "smaia", "ssaia", "sscofpmf", "svinval", "svnapot")
_SMALLEST_MMU = ("riscv,sv39", "riscv,sv48", "riscv,sv57")


@dataclass(frozen=True)
class Hart:
    """One hart of the tree."""

    id: int
    mmu: str | None
    """None: it has no S-mode"""
    extensions: tuple[str, ...]
    interrupt_controller: Node | None


@dataclass(frozen=True)
class Harts:
    """All of them, and what those with S-mode have in common."""

    all: tuple[Hart, ...]
    isa: tuple[str, ...]
    mmu: str
    envcfg: bool
    sstc: bool
    timebase: int | None
    vlen: int
    """the bits that a vector register has at most; 0: there are none"""


def find(tree: Tree, findings: Findings) -> Harts:
    """Return the harts; says what a person should know of them."""
    cpus = tree.child("cpus")
    nodes = [each for each in cpus.children if each.kind == "cpu"] if cpus else []
    harts = tuple(hart for hart in (_hart(node, findings) for node in nodes) if hart is not None)
    most = abi.limit("MAX_HARTS")
    if not harts:
        findings.problem("It has no harts.")
    elif len(harts) > most:
        findings.problem(f"It has {len(harts)} harts, and the monitor serves {most} at most.")
    timebase = cpus.number("timebase-frequency") if cpus else None
    if timebase is None:
        timebase = next((t for n in nodes if (t := n.number("timebase-frequency"))), None)
    if timebase is None and harts:
        findings.problem("It does not say how fast the clock of its harts runs.")
    with_s_mode = [hart for hart in harts if hart.mmu is not None]
    if harts and not with_s_mode:
        findings.problem("None of its harts has S-mode with a page table: nothing for tenants.")
    common = _common(with_s_mode)
    known = {each for hart in with_s_mode for each in hart.extensions}
    _tell(common, known, findings)
    listed = tuple(each for each in (*_PLAIN, *_HARMLESS) if each in common)
    mmu = min((hart.mmu for hart in with_s_mode if hart.mmu), key=_order, default="riscv,sv39")
    envcfg = any(each in common for each in _NEED_ENVCFG)
    return Harts(
        harts, listed, mmu, envcfg or "sstc" in known, "sstc" in common, timebase, _vlen(common)
    )


def _order(mmu: str) -> int:
    return _SMALLEST_MMU.index(mmu) if mmu in _SMALLEST_MMU else 0


def _hart(node: Node, findings: Findings) -> Hart | None:
    number = node.number("reg")
    if number is None or number > HART_ID_HIGH:
        findings.note(f"{node.path} has no usable number and was left out.")
        return None
    extensions = _extensions(node)
    if not extensions or "e" in extensions:
        findings.note(f"Hart {number} does not tell of a 64-bit ISA.")
    mmu = node.text("mmu-type")
    if mmu == "riscv,none":
        mmu = None
    controller = next(
        (each for each in node.children if each.is_a("riscv,cpu-intc")),
        None,
    )
    return Hart(number, mmu, extensions, controller)


def _extensions(node: Node) -> tuple[str, ...]:
    """Return extensions in lower case, by the new properties or the old string."""
    listed = node.texts("riscv,isa-extensions")
    if listed:
        return tuple(each.lower() for each in listed)
    text = (node.text("riscv,isa") or "").lower()
    first, *rest = text.split("_")
    if not first.startswith("rv64"):
        return ()
    single = re.split(r"[zsx]", first[4:], maxsplit=1)[0].replace("g", "imafd")
    # The ISA of those days had the counters and what was split off later in it.
    return (*single, "zicntr", "zicsr", "zifencei", *rest)


def _common(harts: list[Hart]) -> set[str]:
    return set.intersection(*(set(hart.extensions) for hart in harts)) if harts else set()


def _lengths(extensions: set[str]) -> list[int]:
    """Return what extensions such as zvl256b say of the bits of a vector register."""
    found = (re.fullmatch(r"zvl(\d+)b", each) for each in extensions)
    return [int(each[1]) for each in found if each]


def _vlen(extensions: set[str]) -> int:
    """Return the bits of a vector register at most; 0: there are none."""
    if "v" not in extensions:
        return 0
    return max(_VLEN_LOW, *_lengths(extensions)) if _lengths(extensions) else _LONG_VLEN


def _tell(common: set[str], known: set[str], findings: Findings) -> None:
    if "v" in known and "v" not in common:
        findings.problem("Some of its harts have vector registers (V), and others have none.")
    elif "v" in common and not _lengths(common):
        findings.note(
            f"It does not tell how long vector registers are: there is room for {_LONG_VLEN} bits."
        )
    if "h" in common:
        findings.note("The harts have the H extension, of which tenants are not told.")
    unknown = common - {*_PLAIN, *_HARMLESS, *_TELLS_NOTHING, "sstc", "b", "k"}
    unknown -= {each for each in common if each.startswith(("zvl", "zve"))}
    if unknown:
        findings.note(
            f"Tenants are not told of {', '.join(sorted(unknown))}: the monitor does not manage "
            "that."
        )
