# SPDX-License-Identifier: BSD-2-Clause
"""The costs of the Rocket core's instructions."""

import pytest

from cotenant.bounds import rocket
from cotenant.bounds.instructions import Decoder, Instruction
from cotenant.bounds.rocket import RocketCost

KINDS = {
    0x00B50533: "plain",  # add a0, a0, a1
    0x00053503: "load",  # ld a0, 0(a0)
    0x00B53023: "store",  # sd a1, 0(a0)
    0x0005_3507: "load",  # fld fa0, 0(a0)
    0x00B5_3027: "store",  # fsd fa1, 0(a0)
    0x00B50463: "branch",  # beq a0, a1, 8
    0x0080006F: "jump",  # j 8
    0x008000EF: "jump",  # jal 8
    0x00008067: "indirect",  # ret
    0x000500E7: "indirect",  # jalr a0
    0x30200073: "system",  # mret
    0x10500073: "system",  # wfi
    0x34402573: "system",  # csrr a0, mip
    0x12000073: "system",  # sfence.vma
    0x0FF0000F: "fence",
    0x0CB5352F: "atomic",  # amoswap.d.aq a0, a1, (a0)
    0x1005352F: "atomic",  # lr.d a0, (a0)
    0x02B50533: "multiply",  # mul a0, a0, a1
    0x02B55533: "divide",  # divu a0, a0, a1
    0x02B57533: "divide",  # remu a0, a0, a1
}


def decoded(word: int, address: int) -> Instruction:
    return Decoder(lambda _, size: word.to_bytes(4, "little")[:size]).at(address)


@pytest.mark.parametrize("word", KINDS, ids=lambda word: f"{word:08x}")
def test_each_instruction_has_its_kind(word: int) -> None:
    kind = rocket.kind_of(decoded(word, 0x1000))
    assert kind == KINDS[word]
    assert kind in rocket.warm().cycles


def test_a_compressed_load_from_the_stack_is_a_load() -> None:
    assert rocket.kind_of(decoded(0x6502, 0x1000)) == "load"  # c.ldsp a0, 0(sp)


@pytest.mark.parametrize(
    ("word", "address", "lines", "data"),
    [
        (0x00B50533, 0x1004, 0, 0),
        (0x00B50533, 0x1040, 1, 0),  # the first of a line
        (0x00B50533, 0x103E, 1, 0),  # in two lines
        (0x00053503, 0x1004, 0, 1),
        (0x00B53023, 0x1004, 0, 1),
        (0x0CB5352F, 0x1004, 0, 1),
        (0x0FF0000F, 0x1004, 0, 1),
        (0x00B50463, 0x1004, 1, 0),  # where it leads to
        (0x00008067, 0x1000, 2, 0),
    ],
)
def test_an_instruction_waits_for_its_lines(word: int, address: int, lines: int, data: int) -> None:
    cost = RocketCost(dict.fromkeys(rocket.warm().cycles, 1), 10, code_line=100, data_line=10_000)
    assert cost.of(decoded(word, address)) == 1 + 100 * lines + 10_000 * data


def test_a_stretch_finds_a_trap_and_lines_under_way() -> None:
    assert rocket.warm().start == rocket.warm().trap
    cold = rocket.miss()
    assert cold.start == cold.trap + cold.code_line + cold.data_line
    assert min(cold.code_line, cold.data_line) > 0
