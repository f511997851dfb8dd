# SPDX-License-Identifier: BSD-2-Clause
"""Instructions of RV64, as far as the order of execution goes."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

import capstone

from cotenant.errors import BoundsError

LOOK_CSR = "mip"

_LONGEST = 4
_UNKNOWN_PLAIN = {0x57: "vector", 0x07: "load", 0x27: "store"}
"""major opcodes of which capstone does not know all: what V adds computes or moves, too"""
_FENCES = {0x62000073: "hfence.gvma", 0x22000073: "hfence.vvma"}
"""of H, without the registers that they name"""
_FENCE_MASK = 0xFE00_7FFF
_STORES = ("sb", "sh", "sw", "sd", "fsw", "fsd")


class Kind(Enum):
    """What comes after an instruction."""

    PLAIN = auto()
    BRANCH = auto()
    JUMP = auto()
    CALL = auto()
    INDIRECT_JUMP = auto()
    INDIRECT_CALL = auto()
    END = auto()
    """the tenant goes on (mret), or nothing does"""
    WAIT = auto()
    """the hart sleeps"""


@dataclass(frozen=True)
class Instruction:
    """One instruction; `target` of those that name one, `register` of those that have it in one."""

    address: int
    size: int
    mnemonic: str
    operands: str
    kind: Kind
    target: int = 0
    register: str = ""
    link: str = ""
    """the register that a call leaves the return address in"""

    @property
    def after(self) -> int:
        """The address behind it."""
        return self.address + self.size

    @property
    def reads_mip(self) -> bool:
        """Whether it reads the pending interrupts, and keeps what it reads."""
        fields = self.operands.replace(",", " ").split()
        return self.mnemonic.startswith("csrr") and LOOK_CSR in fields[1:] and fields[0] != "zero"

    def writes(self, register: str) -> bool:
        """Whether it, which is no call, leaves something in a register."""
        first = self.operands.partition(",")[0].strip()
        is_store = self.mnemonic.removeprefix("c.").removesuffix("sp") in _STORES
        return self.kind is Kind.PLAIN and not is_store and first == register


class Decoder:
    """Decodes what `fetch` gives for an address."""

    def __init__(self, fetch: Callable[[int, int], bytes]) -> None:
        self._fetch = fetch
        mode = capstone.CS_MODE_RISCV64 | capstone.CS_MODE_RISCVC
        self._capstone = capstone.Cs(capstone.CS_ARCH_RISCV, mode)
        self._known: dict[int, Instruction] = {}

    def at(self, address: int) -> Instruction:
        """Return the instruction at an address. Raises BoundsError if there is none."""
        if address not in self._known:
            code = self._fetch(address, _LONGEST)
            found = next(self._capstone.disasm_lite(code, address, 1), None)
            if found is None and len(code) == _LONGEST and code[0] & 0x7F in _UNKNOWN_PLAIN:
                found = (address, _LONGEST, _UNKNOWN_PLAIN[code[0] & 0x7F], "")
            fence = _FENCES.get(int.from_bytes(code, "little") & _FENCE_MASK)
            if found is None and len(code) == _LONGEST and fence:
                found = (address, _LONGEST, fence, "")
            if found is None or found[2].startswith(("c.unimp", "unimp")):
                raise BoundsError(f"there is no instruction at {address:#x}")
            _, size, mnemonic, operands = found
            self._known[address] = _classified(address, size, mnemonic, operands)
        return self._known[address]


def _classified(address: int, size: int, mnemonic: str, operands: str) -> Instruction:
    name = mnemonic.removeprefix("c.")
    fields = [each.strip() for each in operands.split(",")]

    def made(kind: Kind, *, target: int = 0, register: str = "", link: str = "") -> Instruction:
        return Instruction(address, size, mnemonic, operands, kind, target, register, link)

    if name in ("beq", "bne", "blt", "bge", "bltu", "bgeu", "bgt", "ble", "bgtu", "bleu") or (
        name in ("beqz", "bnez", "blez", "bgez", "bltz", "bgtz")
    ):
        return made(Kind.BRANCH, target=address + int(fields[-1], 0))
    if name == "j":
        return made(Kind.JUMP, target=address + int(fields[-1], 0))
    if name == "jal":
        link = fields[0] if len(fields) == 2 else "ra"
        return made(Kind.CALL, target=address + int(fields[-1], 0), link=link)
    if name == "ret":
        return made(Kind.INDIRECT_JUMP, register="ra")
    if name == "jr":
        return made(Kind.INDIRECT_JUMP, register=fields[-1])
    if name == "jalr":
        link = "ra" if len(fields) == 1 else fields[0]
        kind = Kind.INDIRECT_JUMP if link == "zero" else Kind.INDIRECT_CALL
        return made(kind, register=fields[-1] if len(fields) < 3 else fields[1], link=link)
    if name in ("mret", "sret", "ebreak", "ecall"):
        return made(Kind.END)
    if name == "wfi":
        return made(Kind.WAIT)
    return made(Kind.PLAIN)
