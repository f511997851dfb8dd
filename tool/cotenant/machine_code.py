# SPDX-License-Identifier: BSD-2-Clause
"""Tells from the first instructions of an image whether it was built for machine mode.

And, of such a one, whether it means to have S-mode below its machine mode.

Only what the processor comes to from the entry is looked at: data is never taken for code. A path
ends where it returns or jumps to an address that is computed, and where the image sets `stvec`:
behind that it may try an instruction and handle the exception.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cotenant import abi
from cotenant.imagefile import Image

MOST_INSTRUCTIONS = 256

_REGISTERS = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1",
    *(f"a{i}" for i in range(8)), *(f"s{i}" for i in range(2, 12)), "t3", "t4", "t5", "t6",
]  # fmt: skip
_CSRS = {
    number: name.removeprefix("CSR_").lower()
    for name, number in abi.header("csr_numbers.h").items()
}
_SYSTEM, _BRANCH, _JAL, _JALR, _AUIPC = 0x73, 0x63, 0x6F, 0x67, 0x17
_EBREAK, _SRET, _MRET = 0x00100073, 0x10200073, 0x30200073
_STVEC = 0x105
_DELEGATION = (0x302, 0x303)
_MACHINE, _SUPERVISOR = 3, 1


@dataclass(frozen=True)
class MachineInstruction:
    """An instruction that says for which mode the image was built."""

    address: int
    text: str
    certain: bool
    """Every start comes to it; else some path does."""


def csr_name(number: int) -> str:
    """Return the name of a CSR of machine mode or of S-mode, or its number."""
    return _CSRS.get(number, f"{number:#x}")


def machine_instruction(word: int) -> str | None:
    """Return a 32-bit instruction in assembly if it is one of machine mode, else None."""
    if word == _MRET:
        return "mret"
    return _access(word) if _mode_of_access(word) == _MACHINE else None


def supervisor_instruction(word: int) -> str | None:
    """Return a 32-bit instruction in assembly if only a hart with S-mode has a use for it.

    Those are accesses to CSRs of S-mode and writes of `medeleg` and `mideleg`; not of the immediate
    0 or of the register `zero`, by which an image says that it delegates nothing.
    """
    if word == _SRET:
        return "sret"
    mode, csr, source = _mode_of_access(word), word >> 20, word >> 15 & 31
    delegates = csr in _DELEGATION and source != 0 and mode == _MACHINE
    return _access(word) if mode == _SUPERVISOR or delegates else None


def _mode_of_access(word: int) -> int | None:
    """Return the mode that the CSR's number says; None: the instruction accesses no CSR."""
    is_access = word & 0x7F == _SYSTEM and word >> 12 & 3 != 0
    return word >> 28 & 3 if is_access else None


def _access(word: int) -> str:
    """Return an access to a CSR in assembly."""
    function, rd, rs1 = word >> 12 & 7, word >> 7 & 31, word >> 15 & 31
    name = csr_name(word >> 20)
    source = str(rs1) if function >= 4 else _REGISTERS[rs1]
    suffix = "i" if function >= 4 else ""
    operation = "wsc"[(function & 3) - 1]
    if function == 2 and rs1 == 0:
        return f"csrr {_REGISTERS[rd]}, {name}"
    if rd == 0:
        return f"csr{operation}{suffix} {name}, {source}"
    return f"csrr{operation}{suffix} {_REGISTERS[rd]}, {name}, {source}"


def find_machine_instruction(image: Image) -> MachineInstruction | None:
    """Return the first instruction of machine mode that the start of the image comes to."""
    return _find(image, machine_instruction)


def find_supervisor_instruction(image: Image) -> MachineInstruction | None:
    """Return the first instruction for S-mode that the start of an image for machine mode comes to.

    A kernel that begins in machine mode has one before it leaves it; firmware comes to it later.
    """
    return _find(image, supervisor_instruction)


def _find(image: Image, told: Callable[[int], str | None]) -> MachineInstruction | None:
    for address, word, certain in _reached(image):
        text = told(word)
        if text is not None:
            return MachineInstruction(address, text, certain)
    return None


def _reached(image: Image) -> Iterator[tuple[int, int, bool]]:
    """Yield address, instruction and certainty of what is executed, up to a limit."""
    paths = deque([(image.entry, True)])
    seen: set[int] = set()
    while paths:
        address, certain = paths.popleft()
        bases: dict[int, int] = {}
        while address not in seen and len(seen) < MOST_INSTRUCTIONS:
            word = _fetch(image, address)
            if word is None:
                break
            seen.add(address)
            yield address, word, certain
            step = _step(address, word, bases)
            paths.extend((each, False) for each in step.others)
            if step.next is None:
                break
            certain = certain and not step.is_branch
            address = step.next


@dataclass(frozen=True)
class _Step:
    """Where execution goes on: at `next` (None: not known), or later or perhaps at others."""

    next: int | None
    others: tuple[int, ...] = ()
    is_branch: bool = False


def _fetch(image: Image, address: int) -> int | None:
    for segment in image.segments:
        start = max(address - segment.address, 0)
        data = segment.data[start : start + 4]  # of tens of megabytes
        if segment.address <= address and len(data) >= 2:
            half = int.from_bytes(data[:2], "little")
            if half & 3 != 3:
                return half
            return int.from_bytes(data, "little") if len(data) == 4 else None
    return None


def _step(address: int, word: int, bases: dict[int, int]) -> _Step:
    """`bases`: what `auipc` has put into registers."""
    if word & 3 != 3:
        return _compressed_step(address, word)
    opcode, rd, behind = word & 0x7F, word >> 7 & 31, address + 4
    if opcode == _BRANCH:
        return _Step(behind, (address + _branch_offset(word),), is_branch=True)
    if opcode == _JAL:
        return _Step(address + _jal_offset(word), (behind,) if rd else ())
    if opcode == _JALR:
        base = bases.get(word >> 15 & 31)
        target = None if base is None else base + _signed(word >> 20, 12)
        return _Step(target, (behind,) if rd else ())
    if opcode == _SYSTEM and (word in (_EBREAK, _SRET, _MRET) or word >> 20 == _STVEC):
        return _Step(None)
    bases.pop(rd, None)
    if opcode == _AUIPC:
        bases[rd] = address + _signed(word >> 12 << 12, 32)
    return _Step(behind)


def _compressed_step(address: int, half: int) -> _Step:
    quadrant, function, behind = half & 3, half >> 13, address + 2
    if half == 0:
        return _Step(None)
    if quadrant == 1 and function == 5:
        return _Step(address + _c_jump_offset(half))
    if quadrant == 1 and function in (6, 7):
        return _Step(behind, (address + _c_branch_offset(half),), is_branch=True)
    if quadrant == 2 and function == 4 and half >> 2 & 31 == 0:
        is_call = half >> 12 & 1 == 1  # c.jalr and c.ebreak; else c.jr
        return _Step(None, (behind,) if is_call else ())
    return _Step(behind)


def _bits(word: int, *places: tuple[int, int, int]) -> int:
    """Gather (lowest bit, count, place in the result)."""
    return sum((word >> low & ((1 << count) - 1)) << place for low, count, place in places)


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) & 1 else value


def _branch_offset(word: int) -> int:
    return _signed(_bits(word, (8, 4, 1), (25, 6, 5), (7, 1, 11), (31, 1, 12)), 13)


def _jal_offset(word: int) -> int:
    return _signed(_bits(word, (21, 10, 1), (20, 1, 11), (12, 8, 12), (31, 1, 20)), 21)


def _c_jump_offset(half: int) -> int:
    places = ((3, 3, 1), (11, 1, 4), (2, 1, 5), (7, 1, 6), (6, 1, 7), (9, 2, 8), (8, 1, 10))
    return _signed(_bits(half, *places, (12, 1, 11)), 12)


def _c_branch_offset(half: int) -> int:
    places = ((3, 2, 1), (10, 2, 3), (2, 1, 5), (5, 2, 6), (12, 1, 8))
    return _signed(_bits(half, *places), 9)
