# SPDX-License-Identifier: BSD-2-Clause
"""What is known of the registers' values on a way: which of them a branch rules out.

Few values are enough: numbers that the code itself loads, what a comparison leaves of them, and
that a pointer which was used is not null.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_

from cotenant.bounds.instructions import Instruction, Kind

_MOST_NUMBERS = 4
_BITS = 64
_ALL = (1 << _BITS) - 1
_SMALL = 1 << 15
_LOW = (1 << 31) - 1
"""the bits of a word that sext.w leaves as they are, and that do not come to be others"""

ARGUMENTS = tuple(f"a{i}" for i in range(8))
RESULTS = ("a0", "a1")
SAVED = frozenset(f"s{i}" for i in range(12)) | {"sp", "gp", "tp"}
"""registers that a function of C leaves as they are"""


@dataclass(frozen=True)
class Value:
    """One of some numbers, or none of them; `far`: a pointer, near which 0 is not.

    Registers with the same `copy`, which is not 0, have the same value. `bits` are known to be set
    in one that is none of some numbers, 0 among them.
    """

    numbers: frozenset[int]
    is_one: bool = True
    far: bool = False
    copy: int = 0
    bits: int = 0

    @property
    def is_not_zero(self) -> bool:
        """Whether it cannot be 0."""
        return (0 in self.numbers) != self.is_one

    def without(self, number: int) -> "Value | None":
        """Return what is left when it is known not to be a number; None: nothing is."""
        if self.is_one:
            left = self.numbers - {number}
            return Value(left) if left else None
        if number in self.numbers or len(self.numbers) == _MOST_NUMBERS:
            return self
        return replace(self, numbers=self.numbers | {number})

    def only(self, other: "Value") -> "Value | None":
        """Return what is left when it is one of the other's numbers; None: nothing is."""
        left = frozenset(n for n in other.numbers if (n in self.numbers) == self.is_one)
        return Value(left) if left else None

    def either(self, other: "Value") -> "Value | None":
        """Return what is known when it is this or the other one; None: nothing is."""
        if self.is_one and other.is_one:
            return _of(self.numbers | other.numbers)
        if not self.is_one and not other.is_one:
            left = self.numbers & other.numbers
        else:
            one, rest = (self, other) if self.is_one else (other, self)
            left = rest.numbers - one.numbers
        far = self.far and other.far
        return Value(left, is_one=False, far=far, bits=self.bits & other.bits) if left else None


ZERO = Value(frozenset({0}))
NOT_ZERO = Value(frozenset({0}), is_one=False)
POINTER = Value(frozenset({0}), is_one=False, far=True)
UNKNOWN = Value(frozenset(), is_one=False)
_TRUTH = Value(frozenset({0, 1}))

State = Mapping[str, Value]


def number(value: int) -> Value:
    """Return that of a number."""
    return Value(frozenset({value & _ALL}))


def _of(numbers: Iterable[int]) -> Value | None:
    found = frozenset(each & _ALL for each in numbers)
    return Value(found) if 0 < len(found) <= _MOST_NUMBERS else None


def _word(value: int) -> int:
    value &= 0xFFFF_FFFF
    return value - (1 << 32) if value >> 31 else value


def _signed(value: int) -> int:
    return value - (1 << _BITS) if value >> (_BITS - 1) else value


_Compute = Callable[[int, int], int]
_OPERATIONS: dict[str, _Compute] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "sll": lambda a, b: a << (b & 63),
    "srl": lambda a, b: a >> (b & 63),
    "addw": lambda a, b: _word(a + b),
    "subw": lambda a, b: _word(a - b),
    "sltu": lambda a, b: int(a < b),
    "slt": lambda a, b: int(_signed(a) < _signed(b)),
}
_CHANGES: dict[str, Callable[[int], int]] = {
    "sext.w": _word, "neg": lambda a: -a, "not": lambda a: ~a,
}  # fmt: skip
_WITH_NUMBER = {
    "addi": "add", "addi16sp": "add", "addi4spn": "add", "andi": "and", "ori": "or",
    "xori": "xor", "slli": "sll", "srli": "srl", "addiw": "addw", "sltiu": "sltu", "slti": "slt",
}  # fmt: skip
_TESTS: dict[str, Callable[[int, int], bool]] = {
    "beq": lambda a, b: a == b,
    "bne": lambda a, b: a != b,
    "blt": lambda a, b: _signed(a) < _signed(b),
    "bge": lambda a, b: _signed(a) >= _signed(b),
    "bltu": lambda a, b: a < b,
    "bgeu": lambda a, b: a >= b,
}
_TESTS_OF_ZERO = {"beqz": "beq", "bnez": "bne", "bltz": "blt", "bgez": "bge"}
_STORES = ("sb", "sh", "sw", "sd", "fsw", "fsd", "sdsp", "swsp", "fsdsp")
_NO_REGISTER = (*_STORES, "csrw", "csrs", "csrc", "csrwi", "csrsi", "csrci", "fence", "fence.i",
                "sfence.vma", "hfence.gvma", "hfence.vvma", "wfi", "nop")  # fmt: skip
_OPPOSITES = {
    "beq": "bne",
    "bne": "beq",
    "blt": "bge",
    "bge": "blt",
    "bltu": "bgeu",
    "bgeu": "bltu",
}


@dataclass(frozen=True)
class Operation:
    """An instruction as far as values go."""

    name: str
    target: str = ""
    """the register that it writes"""
    sources: tuple[str, ...] = ()
    immediate: int | None = None
    base: str = ""
    """the register that it takes an address from"""
    writes_all: bool = False
    """it may write any register"""


def operation(each: Instruction) -> Operation:
    """Return what an instruction does."""
    name = each.mnemonic.removeprefix("c.")
    fields = [part.strip() for part in each.operands.split(",")] if each.operands else []
    if each.kind is Kind.BRANCH:
        return _branch(name, fields)
    if each.kind is not Kind.PLAIN or name in ("vector",):
        return Operation(name, writes_all=each.kind is Kind.PLAIN)
    base = fields[-1].partition("(")[2].rstrip(")") if fields and "(" in fields[-1] else ""
    if name in _NO_REGISTER or not fields:
        return Operation(name, base=base)
    target, sources = fields[0], fields[1:]
    if base:
        return Operation(name, target, base=base)
    is_short = (
        each.mnemonic.startswith("c.") and len(fields) == 2 and name not in ("mv", "li", "lui")
    )
    if is_short:
        sources = [target, *sources]
    immediate = _number(sources[-1]) if sources else None
    registers = tuple(sources[:-1] if immediate is not None else sources)
    return Operation(name, target, registers, immediate)


def _branch(name: str, fields: list[str]) -> Operation:
    if name in _TESTS_OF_ZERO:
        return Operation(_TESTS_OF_ZERO[name], sources=(fields[0], "zero"))
    if name in ("blez", "bgtz"):
        return Operation("bge" if name == "blez" else "blt", sources=("zero", fields[0]))
    return Operation(name, sources=tuple(fields[:2]))


def _number(field: str) -> int | None:
    try:
        return int(field, 0)
    except ValueError:
        return None


def is_understood(each: Operation) -> bool:
    """Whether what it leaves may be known."""
    return each.name in _OPERATIONS or each.name in _WITH_NUMBER or each.name in (
        "mv", "seqz", "snez", "sext.w", "neg", "not", "li", "lui", "auipc", "nop",
    )  # fmt: skip


def value_of(state: State, register: str) -> Value | None:
    """Return what is known of a register."""
    return ZERO if register == "zero" else state.get(register)


def result(state: State, each: Operation) -> Value | None:
    """Return what is known of what an operation leaves in its register."""
    name, immediate = each.name, each.immediate
    if name == "addiw" and immediate == 0:
        name = "sext.w"
    if name == "li":
        return number(immediate or 0)
    if name in ("lui", "auipc"):
        return number(_word((immediate or 0) << 12)) if name == "lui" else POINTER
    values = [value_of(state, source) for source in each.sources]
    if name in ("seqz", "snez"):
        return _test_of_zero(values[0], name == "seqz")
    if name == "sltu" and values[0] == ZERO:
        return _test_of_zero(values[1], is_zero=False)
    if name == "sltiu" and immediate == 1:
        return _test_of_zero(values[0], is_zero=True)
    if name in _CHANGES:
        one = values[0]
        change = _CHANGES[name]
        if one is not None and not one.is_one and name == "sext.w":
            return _with_bits(one.bits & _LOW)
        return _of(change(a) for a in one.numbers) if one is not None and one.is_one else None
    return _computed(each, values)


def _test_of_zero(value: Value | None, is_zero: bool) -> Value:
    if value is None:
        return _TRUTH
    if value.is_not_zero:
        return number(0 if is_zero else 1)
    return number(1 if is_zero else 0) if value == ZERO else _TRUTH


def _computed(each: Operation, values: list[Value | None]) -> Value | None:
    name = _WITH_NUMBER.get(each.name, each.name)
    compute = _OPERATIONS.get(name)
    if compute is None:
        return None
    if each.immediate is not None:
        values = [*values, number(each.immediate)]
    one, other = (*values, None, None)[:2]
    if one is not None and other is not None and one.is_one and other.is_one:
        found = _of(compute(a, b) for a in one.numbers for b in other.numbers)
        if found is not None:
            return found
    if name in ("slt", "sltu"):
        return _TRUTH
    if name == "or" and any(value is not None and value.is_not_zero for value in values):
        return _with_bits(_bits_set(one) | _bits_set(other)) or NOT_ZERO
    if name == "add" and one is not None and one.far and abs(each.immediate or _SMALL) < _SMALL:
        return POINTER
    if name == "and":
        return next((_bits(value) for value in values if value is not None and value.is_one), None)
    return None


def _bits_set(value: Value | None) -> int:
    """Return bits that are set in a value, whichever it is."""
    if value is None or not value.is_one:
        return 0 if value is None else value.bits
    return reduce(and_, value.numbers)


def _with_bits(bits: int) -> Value | None:
    return replace(NOT_ZERO, bits=bits) if bits else None


def _bits(mask: Value) -> Value | None:
    """Return what can be left of an unknown value by a mask of one bit."""
    bit = next(iter(mask.numbers)) if len(mask.numbers) == 1 else 0
    if bit and bit & (bit - 1) == 0:
        return Value(frozenset({0, bit}))
    return ZERO if mask == ZERO else None


def refined(state: dict[str, Value], each: Operation, taken: bool) -> dict[str, Value] | None:
    """Return what is known behind a branch; None: it cannot go there."""
    name = each.name if taken else _OPPOSITES[each.name]
    left, right = each.sources
    one, other = value_of(state, left), value_of(state, right)
    if left == right:
        return state if _TESTS[name](0, 0) else None
    if one is not None and other is not None and one.is_one and other.is_one:
        test = _TESTS[name]
        a = frozenset(n for n in one.numbers if any(test(n, m) for m in other.numbers))
        b = frozenset(m for m in other.numbers if any(test(n, m) for n in one.numbers))
        return _with(state, {left: Value(a), right: Value(b)}) if a and b else None
    if name == "beq":
        return _equal(state, left, right)
    if name == "bne":
        return _different(state, left, right)
    return _greater(state, right) if name == "bltu" else state


def _equal(state: dict[str, Value], left: str, right: str) -> dict[str, Value] | None:
    for one, other in ((left, right), (right, left)):
        value, known = value_of(state, one), value_of(state, other)
        if known is not None and known.is_one:
            rest = known if value is None else value.only(known)
            return None if rest is None else _with(state, {one: rest, other: rest})
    return state


def _different(state: dict[str, Value], left: str, right: str) -> dict[str, Value] | None:
    for one, other in ((left, right), (right, left)):
        value, known = value_of(state, one), value_of(state, other)
        if known is not None and known.is_one and len(known.numbers) == 1:
            (n,) = known.numbers
            rest = Value(known.numbers, is_one=False) if value is None else value.without(n)
            return None if rest is None else _with(state, {one: rest})
    return state


def _greater(state: dict[str, Value], register: str) -> dict[str, Value] | None:
    """What is greater than something, without sign, is not 0."""
    value = value_of(state, register)
    rest = NOT_ZERO if value is None else value.without(0)
    return None if rest is None else _with(state, {register: rest})


def _with(state: dict[str, Value], more: Mapping[str, Value]) -> dict[str, Value]:
    found = dict(state)
    for name, value in more.items():
        copy = state[name].copy if name in state else 0
        for other in state if copy else ():
            if state[other].copy == copy:
                found[other] = value
        if name != "zero":
            found[name] = value
    return found


def known_too(state: dict[str, Value], register: str, value: Value) -> dict[str, Value]:
    """Return what is known when a value has turned out, of the register and of its copies."""
    return _with(state, {register: value})


def common(states: Iterable[State]) -> dict[str, Value]:
    """Return what is known when one of some states holds."""
    first, *others = states
    found: dict[str, Value | None] = {name: replace(value, copy=0) for name, value in first.items()}
    for other in others:
        for name, value in list(found.items()):
            rest = other.get(name)
            found[name] = None if value is None or rest is None else value.either(rest)
    return {name: value for name, value in found.items() if value is not None and value.numbers}


def simplified(state: State, registers: frozenset[str]) -> dict[str, Value]:
    """Return what is known of some registers."""
    copies = [value.copy for name, value in state.items() if name in registers and value.copy]
    found = {
        name: value if copies.count(value.copy) != 1 else replace(value, copy=0)
        for name, value in state.items()
        if name in registers
    }
    return {name: value for name, value in found.items() if value.numbers or value.copy}


def copied(state: State, each: Operation) -> str:
    """Return the register of which an operation leaves a copy in its own; none: of no other one."""
    source = ""
    if each.name == "mv" or (each.name == "addi" and each.immediate == 0):
        source = each.sources[0]
    elif each.name in ("or", "add", "xor") and each.immediate is None:
        one, other = each.sources
        if value_of(state, one) == ZERO:
            source = other
        elif value_of(state, other) == ZERO:
            source = one
    return source


def moved(state: Mapping[str, Value], target: str, source: str, copy: int) -> dict[str, Value]:
    """Return what is known when a register has been copied; `copy` is a number of its own."""
    value = value_of(state, source)
    if source == "zero" or (value is not None and value.is_one):
        return {**state, target: value or ZERO}
    if source == target:
        return dict(state)
    value = UNKNOWN if value is None else value
    value = value if value.copy else replace(value, copy=copy)
    return {**state, source: value, target: value}
