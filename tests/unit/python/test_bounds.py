# SPDX-License-Identifier: BSD-2-Clause
"""Computed bounds: of small programs, whose longest ways are counted by hand."""

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from cotenant import system as systems
from cotenant.bench import bounds as bench_bounds
from cotenant.bench.report.kept import read as read_kept
from cotenant.bench.row import row
from cotenant.bounds.annotations import (
    Annotations,
    Callees,
    Jump,
    Lock,
    LoopBound,
    Recursion,
    Sleep,
    TextBound,
    Wait,
    Zero,
    read,
)
from cotenant.bounds.limits import limits_of
from cotenant.bounds.monitor import ANNOTATIONS, MonitorBounds
from cotenant.bounds.observed import Observer
from cotenant.errors import BoundsError

NONE = Annotations({"start": ""}, ("gone",), ("mip",), {}, (), ("sized",), (), [], [])


def built(tmp_path: Path, text: str, name: str = "code.S") -> Path:
    """Return the ELF file of an assembly or C program."""
    source, elf = tmp_path / name, tmp_path / "code.elf"
    source.write_text(text)
    subprocess.run(
        ["riscv64-linux-gnu-gcc", "-g", "-O2", "-march=rv64imac_zicsr", "-mabi=lp64", "-nostdlib",
         "-ffreestanding", "-mcmodel=medany", "-fno-pic", "-static", "-Wl,--build-id=none",
         "-Wl,-Ttext=0x1000", "-Wl,-estart", "-o", str(elf), str(source)],
        check=True,
    )  # fmt: skip
    return elf


def bounds_of(elf: Path, annotations: Annotations = NONE) -> MonitorBounds:
    return MonitorBounds(elf, annotations, elf.parent)


def longest(tmp_path: Path, text: str, annotations: Annotations = NONE) -> int:
    """Return the longest stretch from `start` of an assembly program."""
    code = "".join(
        f".globl {name}\n.type {name}, @function\n" for name in ("start", "f", "g") if name in text
    )
    bounds = bounds_of(built(tmp_path, f"{code}.option norvc\n{text}\n"), annotations)
    return bounds.of_entries()["start"].instructions


def turns(text: str, most: int | str) -> LoopBound:
    return LoopBound("code.S", text, most, "by hand")


def test_a_straight_way_is_counted_with_its_end(tmp_path: Path) -> None:
    assert longest(tmp_path, "start: nop\n nop\n mret") == 3


def test_vector_instructions_are_counted(tmp_path: Path) -> None:
    # vmv.v.i v0, 0 and vs8r.v v0, (a0)
    assert longest(tmp_path, "start: .word 0x5e003057\n .word 0xe2850027\n mret") == 3


def test_fences_of_guests_are_counted(tmp_path: Path) -> None:
    # hfence.gvma and hfence.vvma a0, a1
    assert longest(tmp_path, "start: .word 0x62000073\n .word 0x22b50073\n mret") == 3


def test_the_longer_side_of_a_branch_counts(tmp_path: Path) -> None:
    text = "start: beqz a0, 1f\n nop\n nop\n nop\n mret\n1: nop\n mret"
    assert longest(tmp_path, text) == 5


def test_a_look_ends_a_stretch_and_begins_one(tmp_path: Path) -> None:
    text = ".globl start\nstart: nop\n csrr a0, mip\n nop\n nop\n nop\n mret\n"
    bounds = bounds_of(built(tmp_path, text))
    assert bounds.of_entries()["start"].instructions == 2
    assert [each.instructions for each in bounds.of_looks()] == [4]


def test_a_loop_takes_its_turns(tmp_path: Path) -> None:
    text = "start: li a0, 9\n1: nop\n addi a0, a0, -1\n bnez a0, 1b\n mret"
    annotations = replace(NONE, loops=[turns("bnez a0, 1b", 9)])
    # Nine times back to its head, then out of it: a bound of the turns, not of the visits.
    assert longest(tmp_path, text, annotations) == 1 + 9 * 3 + 3 + 1


def test_nested_loops_multiply(tmp_path: Path) -> None:
    text = "start: nop\n1: nop\n2: nop\n bnez a1, 2b\n bnez a0, 1b\n mret"
    annotations = replace(NONE, loops=[turns("bnez a1, 2b", 4), turns("bnez a0, 1b", 2)])
    inner = 4 * 2 + 2
    outer = 1 + inner + 1
    assert longest(tmp_path, text, annotations) == 1 + 2 * outer + outer + 1


NESTED = "start: nop\n1: nop\n2: nop\n bnez a1, 2b\n bnez a0, 1b\n mret"


def over(most: int) -> Annotations:
    """Return the bounds of both loops: the inner one has that of all its turns."""
    inner = replace(turns("bnez a1, 2b", most), over="bnez a0, 1b")
    return replace(NONE, loops=[inner, turns("bnez a0, 1b", 2)])


def test_turns_that_are_bounded_over_the_loop_around_do_not_multiply(tmp_path: Path) -> None:
    once = 1 + 2 + 1
    assert longest(tmp_path, NESTED, over(4)) == 1 + 2 * once + 4 * 2 + once + 1


def test_turns_that_are_bounded_over_the_loop_around_are_counted_together(tmp_path: Path) -> None:
    code = f".option norvc\n.globl start\n{NESTED}\n"
    observer = Observer(bounds_of(built(tmp_path, code), over(4)))
    start, outer, inner, again, branch, end = range(0x1000, 0x1018, 4)
    once = [outer, *3 * [inner, again], branch]
    assert not list(observer.problems([start, *once, outer, *3 * [inner, again], branch, end]))
    assert "5 turns of the loop" in next(observer.problems([start, *3 * once, end]))


def test_a_loop_without_a_bound_is_named(tmp_path: Path) -> None:
    with pytest.raises(BoundsError, match=r"code.S:\d+: .*a loop without a bound: .*bnez a0, 1b"):
        longest(tmp_path, "start: nop\n1: nop\n bnez a0, 1b\n mret")


def test_a_loop_that_looks_in_each_turn_needs_no_bound(tmp_path: Path) -> None:
    text = "start: nop\n1: csrr a1, mip\n nop\n nop\n bnez a0, 1b\n mret"
    assert longest(tmp_path, text) == 2


def test_a_loop_that_looks_in_some_turns_needs_a_bound(tmp_path: Path) -> None:
    text = "start: nop\n1: beqz a2, 2f\n csrr a1, mip\n2: nop\n bnez a0, 1b\n mret"
    with pytest.raises(BoundsError, match="a loop without a bound"):
        longest(tmp_path, text)
    annotations = replace(NONE, loops=[turns("bnez a0, 1b", 3)])
    assert longest(tmp_path, text, annotations) == 1 + 3 * 3 + 3 + 1


WAIT = Wait("code.S", "bnez a0, 1b", "lock", "by hand")
WAITING = "start: nop\n1: lw a0, 0(a1)\n nop\n bnez a0, 1b\n mret"


def waits_of(tmp_path: Path, text: str, annotations: Annotations) -> MonitorBounds:
    """Return the bounds of an assembly program of `start`, that may call `take` and `release`."""
    names = (name for name in ("start", "take", "release") if f"{name}:" in text)
    code = "".join(f".globl {name}\n.type {name}, @function\n" for name in names)
    return bounds_of(built(tmp_path, f"{code}.option norvc\n{text}\n"), annotations)


def test_a_wait_is_one_turn_and_is_counted_by_itself(tmp_path: Path) -> None:
    bounds = waits_of(tmp_path, WAITING, replace(NONE, waits=[WAIT]))
    assert bounds.waits == ["lock"]
    assert bounds.of_entries()["start"].instructions == 1 + 3 + 3 + 1
    assert bounds.waits_of_entries("lock") == {"start": 1}
    assert not bounds.annotations.unused


def test_waits_for_two_things_are_told_apart_and_multiply_with_loops(tmp_path: Path) -> None:
    text = "start: nop\n1: nop\n2: nop\n bnez a1, 2b\n3: nop\n bnez a2, 3b\n bnez a0, 1b\n mret"
    waits = [
        Wait("code.S", "bnez a1, 2b", "lock", "by hand"),
        Wait("code.S", "bnez a2, 3b", "retry", "by hand"),
    ]
    annotations = replace(NONE, waits=waits, loops=[turns("bnez a0, 1b", 2)])
    bounds = waits_of(tmp_path, text, annotations)
    assert bounds.waits == ["lock"]
    assert bounds.waits_of_entries("lock") == {"start": 3}


@pytest.mark.parametrize(("look", "waits"), [("nop", 1), ("csrr a3, mip", 0)])
def test_only_turns_through_the_line_of_a_wait_wait(tmp_path: Path, look: str, waits: int) -> None:
    text = (
        "start: nop\n1: lw a0, 0(a1)\n beqz a0, 9f\n bltz a0, 8f\n"
        f" nop # waits\n {look}\n8: j 1b\n9: mret"
    )
    wait = replace(WAIT, text="8: j 1b", at="nop # waits")
    found = []
    for each in (wait, replace(wait, at="")):
        bounds = waits_of(tmp_path, text, replace(NONE, waits=[each]))
        found.append(bounds.waits_of_entries("lock")["start"])
    # A turn that tries again does not wait, and one that looks ends the stretch.
    assert found == [waits, 1]


def test_a_sleep_of_a_wait_is_no_look(tmp_path: Path) -> None:
    text = "start: nop\n1: lw a0, 0(a1)\n wfi\n bnez a0, 1b\n nop\n mret"
    annotations = replace(NONE, waits=[WAIT])
    assert waits_of(tmp_path, text, annotations).of_entries()["start"].instructions == 3
    annotations = replace(annotations, sleeps=[Sleep("code.S", "wfi", "by hand")])
    bounds = waits_of(tmp_path, text, annotations)
    assert bounds.of_entries()["start"].instructions == 1 + 3 + 3 + 2
    assert not bounds.of_looks()


LOCKED = """
start: call take
 beqz a0, 1f
 csrr a1, mip
{body}
 call release
1: nop
 nop
 mret
take: lw a0, 0(a2)
 beqz a0, 2f
 li a0, 1
 ret
2: li a0, 0
 ret
release: nop
 ret
"""
LOCK = replace(NONE, lock=Lock("take", "release"))


def test_the_lock_is_held_from_its_call_to_the_end_of_its_release(tmp_path: Path) -> None:
    (hold,) = waits_of(tmp_path, LOCKED.format(body=" nop"), LOCK).of_holds()
    # The call may be two instructions: where the linker cannot shorten it.
    assert (hold.function, hold.instructions) == ("start", 4 + 3 + 2 + 2)


def test_a_hold_goes_on_behind_looks_and_its_loops_need_a_bound_of_their_own(
    tmp_path: Path,
) -> None:
    text = LOCKED.format(body="3: csrr a3, mip\n bnez a3, 3b")
    with pytest.raises(BoundsError, match=r"the shared lock is held without a bound: code.S:\d+"):
        waits_of(tmp_path, text, LOCK).of_holds()
    loop = replace(turns("bnez a3, 3b", 5), held=True)
    bounds = waits_of(tmp_path, text, replace(LOCK, loops=[loop]))
    (hold,) = bounds.of_holds()
    assert hold.instructions == 4 + 2 + 5 * 2 + 2 + 2 + 2
    assert not bounds.annotations.unused


def test_a_wait_while_the_lock_is_held_is_named(tmp_path: Path) -> None:
    text = LOCKED.format(body="3: lw a3, 0(a2)\n bnez a3, 3b")
    wait = replace(WAIT, text="bnez a3, 3b", of="fence")
    with pytest.raises(BoundsError, match=r"the shared lock is held without a bound: code.S:\d+"):
        waits_of(tmp_path, text, replace(LOCK, waits=[wait])).of_holds()
    retry = replace(LOCK, waits=[replace(wait, of="retry")])
    assert waits_of(tmp_path, text, retry).of_holds()


def test_what_may_have_been_refused_is_followed_as_what_was_not(tmp_path: Path) -> None:
    unknown = " ld a0, 8(a2)\n beqz a5, 3f\n ret\n3:"
    text = LOCKED.format(body=" nop").replace("take:", f"take:{unknown}")
    (hold,) = waits_of(tmp_path, text, LOCK).of_holds()
    assert hold.instructions == 6 + 3 + 2 + 2


def test_a_bound_while_the_lock_is_held_is_none_of_a_stretch(tmp_path: Path) -> None:
    loop = replace(turns("bnez a0, 1b", 5), held=True)
    with pytest.raises(BoundsError, match="a loop without a bound"):
        waits_of(tmp_path, WAITING, replace(NONE, loops=[loop]))


def test_a_function_that_is_never_come_to_with_the_lock_may_wait(tmp_path: Path) -> None:
    text = LOCKED.format(body=" beqz a4, 3f\n call never\n3: nop")
    text += ".globl never\nnever: lw a3, 0(a2)\n bnez a3, never\n ret\n"
    wait = replace(WAIT, text="bnez a3, never")
    never = replace(LOCK, waits=[wait], lock=Lock("take", "release", ("never",)))
    (hold,) = waits_of(tmp_path, text, never).of_holds()
    assert hold.instructions == 4 + 4 + 2 + 2


def test_a_lock_that_is_not_released_is_named(tmp_path: Path) -> None:
    text = LOCKED.format(body=" beqz a4, 1f")
    with pytest.raises(BoundsError, match=r"the shared lock is held without a bound: code.S:\d+"):
        waits_of(tmp_path, text, LOCK).of_holds()


def test_a_bit_that_is_clear_with_several_harts_is_known_to_be(tmp_path: Path) -> None:
    text = "start: ld a0, 0(a1)\n andi a0, a0, 8\n beqz a0, 1f\n nop\n nop\n1: mret"
    annotations = replace(NONE, zeros=[Zero("code.S", "andi a0, a0, 8", "by hand")])
    elf = built(tmp_path, f".globl start\n.option norvc\n{text}\n")
    for harts, most in ((1, 6), (2, 4)):
        bounds = MonitorBounds(elf, annotations, elf.parent, {"MAX_HARTS": harts})
        assert bounds.of_entries()["start"].instructions == most


def test_an_observed_wait_may_go_round_and_counts_once(tmp_path: Path) -> None:
    observer = Observer(waits_of(tmp_path, WAITING, replace(NONE, waits=[WAIT])))
    start, load, nop, branch, end = range(0x1000, 0x1014, 4)
    assert not list(observer.problems([start, *9 * [load, nop, branch], end]))
    assert observer.longest == 1 + 3 + 3 + 1


def test_a_loop_that_is_entered_in_its_middle_is_bounded_from_there(tmp_path: Path) -> None:
    text = "start: beqz a1, 2f\n1: nop\n nop\n2: nop\n bnez a0, 1b\n mret"
    annotations = replace(NONE, loops=[turns("bnez a0, 1b", 2)])
    most = longest(tmp_path, text, annotations)
    assert 1 + 4 + 2 * 4 + 1 <= most <= 1 + 4 + 3 * 4 + 1


def test_calls_are_gone_through_and_a_tail_call_returns_for_its_caller(tmp_path: Path) -> None:
    text = "start: call f\n nop\n mret\nf: nop\n tail g\ng: nop\n nop\n ret"
    # Each call is one instruction, or two where the linker cannot shorten it.
    assert longest(tmp_path, text) == 1 + (1 + 1) + 3 + 2


def test_a_stretch_goes_on_in_the_caller(tmp_path: Path) -> None:
    text = (
        ".globl start\n.globl f\n.type f, @function\n"
        "start: call f\n nop\n nop\n mret\nf: csrr a0, mip\n nop\n ret\n"
    )
    found = bounds_of(built(tmp_path, text)).of_looks()
    assert [each.instructions for each in found] == [2 + 3]


def test_a_function_that_never_returns_has_nothing_behind_it(tmp_path: Path) -> None:
    text = "start: beqz a0, 1f\n nop\n mret\n1: call gone\n.globl gone\ngone: nop\n nop\n j gone"
    assert longest(tmp_path, text) == 3


INDIRECT = "start: jalr a5\n mret\nf: nop\n ret\ng: nop\n nop\n nop\n ret"


def test_an_indirect_call_that_is_not_listed_is_named(tmp_path: Path) -> None:
    with pytest.raises(BoundsError, match=r"not annotated what is called: start: jalr a5"):
        longest(tmp_path, INDIRECT)


def test_an_indirect_call_takes_the_longest_callee(tmp_path: Path) -> None:
    callees = Callees("code.S", "jalr a5", functions=("f", "g"))
    assert longest(tmp_path, INDIRECT, replace(NONE, calls=[callees])) == 1 + 4 + 1


def test_a_jump_by_a_table_of_instructions_takes_its_longest_entry(tmp_path: Path) -> None:
    text = "start:\n jr t1\n j 1f\n nop\n nop\n nop\n1: nop\n mret"
    annotations = replace(NONE, jumps=[Jump("code.S", "jr t1", 8, 2)])
    assert longest(tmp_path, text, annotations) == 1 + 2 + 2
    assert not annotations.unused


def test_jumps_of_one_text_are_told_apart_by_their_functions(tmp_path: Path) -> None:
    text = "start: call f\n call g\n mret\nf:\n jr t1\n ret\n nop\ng:\n jr t1\n nop\n nop\n ret"
    jumps = [
        Jump("code.S", "jr t1", 4, entries, function=function)
        for function, entries in (("f", 1), ("g", 3))
    ]
    assert longest(tmp_path, text, replace(NONE, jumps=jumps)) == 1 + 2 + 1 + 4 + 1


def test_a_jump_by_a_table_of_instructions_can_come_back(tmp_path: Path) -> None:
    text = "start:\n jr t1\n nop\n mret\ntable: nop\n jr t3\n jr t3\n nop"
    annotations = replace(NONE, jumps=[Jump("code.S", "jr t1", 8, 2, "table", "t3")])
    assert longest(tmp_path, text, annotations) == 1 + 2 + 2


def test_mret_to_machine_mode_goes_on(tmp_path: Path) -> None:
    text = "start: nop\n mret\n.globl again\nagain: nop\n nop\n mret"
    assert longest(tmp_path, text, replace(NONE, continues=("again",))) == 2 + 3


@pytest.mark.parametrize(("size", "turns_taken"), [("li a2, 3", 3), ("ld a2, 0(a0)", 7)])
def test_a_size_that_is_known_bounds_what_it_is_the_size_of(
    tmp_path: Path, size: str, turns_taken: int
) -> None:
    text = (
        f"start: {size}\n call sized\n mret\n.globl sized\n.type sized, @function\n"
        "sized: nop\n1: addi a2, a2, -1\n bnez a2, 1b\n ret"
    )
    annotations = replace(NONE, loops=[replace(turns("bnez a2, 1b", 7), bytes=1)])
    assert longest(tmp_path, text, annotations) == 2 + (1 + 2 * turns_taken + 2 + 1) + 1


@pytest.mark.parametrize("texts", [['"ab"'], ['"ab"', "name"]])
def test_a_text_that_is_known_bounds_what_it_is_put_by(tmp_path: Path, texts: list[str]) -> None:
    calls = "".join(f"    put({each});\n" for each in texts)
    elf = built(tmp_path, f"""\
const char other[] = "a longer text";
const char *volatile where = other;
__attribute__((noinline)) void put(const char *text)
{{
    while (*text != 0) {{
        (void)*(volatile const char *)text++;
    }}
}}
void work(void)
{{
    const char *name = where;

{calls}}}
__asm__(".globl start\\nstart: call work\\n mret");
""", "code.c")  # fmt: skip
    loop = LoopBound("code.c", "while (*text != 0) {", "longest string", "by hand")
    annotations = replace(NONE, loops=[loop], texts=("put",))
    unknown = bounds_of(elf, annotations).of_entries()["start"].instructions
    name = TextBound("code.c", "put(name);", 4, "by hand")
    known = bounds_of(elf, replace(annotations, lengths=[name])).of_entries()["start"].instructions
    longer = len("a longer text") + 1 - 4
    assert (unknown > known + longer) == (len(texts) == 2)
    assert (unknown == known) == (len(texts) == 1)


HOOKS = """\
void once(void) {{ __asm__ volatile("nop"); }}
void thrice(void) {{ __asm__ volatile("nop\\n nop\\n nop"); }}
typedef void hook(void);
__attribute__((used, section("all"))) static hook *const first = once;
__attribute__((used, section("all"))) static hook *const second = {second};
extern hook *const __start_all[];
extern hook *const __stop_all[];
#define FOR_EACH_IN_TABLE(table, each) \\
    for (hook *const *each = __start_##table; each < __stop_##table; each++)
void work(void)
{{
    FOR_EACH_IN_TABLE(all, each)
    {{
        (*each)();
    }}
}}
__asm__(".globl start\\nstart: call work\\n mret");
"""


def test_a_loop_over_a_table_calls_each_of_its_functions_once(tmp_path: Path) -> None:
    found = []
    for second in ("once", "thrice"):
        folder = tmp_path / second
        folder.mkdir()
        call = Callees("code.c", "(*each)();", table="all")
        elf = built(folder, HOOKS.format(second=second), "code.c")
        bounds = bounds_of(elf, replace(NONE, calls=[call]))
        found.append(bounds.of_entries()["start"].instructions)
    # Two instructions more, and once more in what follows the last turn.
    assert found[1] - found[0] == 2 * 2


RECURSION = "start: call f\n mret\nf: beqz a0, 1f\n call g\n1: ret\ng: lw a0, 0(sp)\n call f\n ret"


def test_ways_that_a_value_rules_out_are_left_out(tmp_path: Path) -> None:
    # It is 0 behind the first branch, or it is not behind either.
    text = "start: bnez a0, 1f\n nop\n nop\n1: beqz a0, 2f\n nop\n nop\n nop\n2: mret"
    assert longest(tmp_path, text) == 1 + 1 + 3 + 1


def test_what_a_function_returns_leads_to_what_belongs_to_it(tmp_path: Path) -> None:
    either = "f: beqz a1, 1f\n li a0, 1\n ret\n1: nop\n nop\n nop\n nop\n li a0, 0\n ret"
    text = f"start: call f\n beqz a0, 1f\n nop\n nop\n nop\n1: mret\n{either}"
    assert longest(tmp_path, text) == 1 + 7 + 1 + 1


def test_a_function_is_followed_with_what_it_is_called_with(tmp_path: Path) -> None:
    text = "start: li a0, 1\n call f\n mret\nf: bnez a0, 1f\n nop\n nop\n1: ret"
    assert longest(tmp_path, text) == 2 + 2 + 1


def test_a_pointer_that_was_used_is_not_null(tmp_path: Path) -> None:
    text = "start: ld a2, 8(a0)\n addi a1, a0, 16\n bnez a1, 1f\n nop\n nop\n1: mret"
    assert longest(tmp_path, text) == 4


def test_what_is_known_of_a_register_is_known_of_its_copies(tmp_path: Path) -> None:
    text = "start: mv a1, a0\n beqz a0, 1f\n bnez a1, 2f\n1: nop\n nop\n nop\n2: mret"
    assert longest(tmp_path, text) == 2 + 3 + 1


def test_a_value_is_forgotten_where_a_loop_writes_it(tmp_path: Path) -> None:
    text = "start: li a0, 0\n1: addi a0, a0, 1\n bnez a1, 1b\n beqz a0, 2f\n nop\n2: mret"
    annotations = replace(NONE, loops=[turns("bnez a1, 1b", 3)])
    assert longest(tmp_path, text, annotations) == 1 + 3 * 2 + 2 + 3


def test_a_call_in_assembly_may_change_every_register(tmp_path: Path) -> None:
    text = "start: li s0, 0\n call f\n beqz s0, 1f\n nop\n nop\n1: mret\nf: li s0, 1\n ret"
    assert longest(tmp_path, text) == 2 + 2 + 1 + 2 + 1


def test_what_is_executed_may_not_contradict_what_is_known(tmp_path: Path) -> None:
    code = (
        ".option norvc\n.globl start\n.globl f\n.type f, @function\n"
        "start: li a0, 1\n call f\n beqz a0, 1f\n nop\n1: mret\nf: beqz a0, 2f\n nop\n2: ret\n"
    )
    observer = Observer(bounds_of(built(tmp_path, code)))
    start, call, test, other, end, callee, nop, ret = range(0x1000, 0x1020, 4)
    assert not list(observer.problems([start, call, callee, nop, ret, test, other, end]))
    (problem,) = observer.problems([start, call, callee, ret, test, other, end])
    assert "f: 0x1014 does not lead to 0x101c" in problem


@pytest.mark.parametrize(
    ("line", "file", "texts", "one"),
    [
        ("messages[first]", "features/commands/tenant_commands.c", ".*", ": ok\\n"),
        ("messages[first]", "core/tenant.c", ".*", "load"),
        ("outcome->reason", "core/lifecycle.c", ".*reason.*", "reboot"),
        ("outcome->reason", "core/lifecycle.c", " *crash.*", "crashed:"),
        ("outcome->reason", "core/teardown.c", ".*reason.*", "starts again"),
        ("outcome->reason", "features/harts/stop.c", " *tenant_shut.*", "stopped its last hart"),
        ("outcome->reason", "sbi/srst.c", " *tenant_shut_down.*", "shutdown"),
        ("crash_names[value]", "core/teardown.c", r" *\[CRASH_.*", " address="),
        ("tenant_state_name", "core/tenant.c", " *return .*", "stopping"),
        ("puts(name)", "features/commands/statistics.c", ".*put_count.*", " only_faults="),
    ],
)
def test_texts_are_not_longer_than_annotated(line: str, file: str, texts: str, one: str) -> None:
    lengths = [each for each in read(ANNOTATIONS).lengths if line in each.text]
    (known,) = [each for each in lengths if each.file != "core/monitor_log.c"]
    lines = (ANNOTATIONS.parent / file).read_text().splitlines()
    found = [
        text.replace("\\n", "\n")
        for each in lines
        if re.fullmatch(texts, each.strip("\t")) and not each.startswith("#include")
        for text in re.findall(r'"([^"]*)"', each)
    ]
    assert one.replace("\\n", "\n") in found
    assert max(map(len, found)) < known.length({})


# Is a bit of a word set, after what the compiler makes of a number that has it?
WORDS = """
start: ld a1, 0(a0)
 ori a2, a1, {bits}
 {extend} a2, a2{zero}
 bnez a2, 1f
 nop
 nop
1: mret
"""


@pytest.mark.parametrize(("extend", "zero"), [("sext.w", ""), ("addiw", ", 0")])
@pytest.mark.parametrize("bits", [1, 0])
def test_a_bit_that_was_set_is_still_set_in_a_word(
    tmp_path: Path, bits: int, extend: str, zero: str
) -> None:
    text = WORDS.format(bits=bits, extend=extend, zero=zero)
    assert longest(tmp_path, text) == 5 + (0 if bits else 2)


def test_the_highest_bits_are_lost_in_a_word(tmp_path: Path) -> None:
    text = WORDS.replace("ori a2, a1, {bits}", "slli a3, a1, 0\n or a2, a1, a4")
    start = "start: li a4, 1\n slli a4, a4, 32\n"
    text = text.replace("start:", start).format(extend="sext.w", zero="")
    assert longest(tmp_path, text) == 2 + 6 + 2


ONCE = """\
typedef int step(void);
struct work {{ step *step; }};
int short_one(void) {{ __asm__ volatile("nop"); return 0; }}
int long_one(void) {{ __asm__ volatile("nop\\n nop\\n nop\\n nop\\n nop\\n nop"); return {busy}; }}
#define WORK __attribute__((used, section("works")))
WORK static const struct work first = {{short_one}};
WORK static const struct work second = {{long_one}};
WORK static const struct work third = {{short_one}};
extern const struct work __start_works[];
extern const struct work __stop_works[];
#define FOR_EACH_IN_TABLE(table, each) \\
    for (const struct work *each = __start_##table; each < __stop_##table; each++)
void all(const struct work *next)
{{
    FOR_EACH_IN_TABLE(works, each)
    {{
        if (next->step() != 0) {{
            return;
        }}
        next++;
    }}
}}
__asm__(".globl start\\nstart: call all\\n mret");
"""


def test_the_turns_of_a_table_of_structs_are_those_that_go_on(tmp_path: Path) -> None:
    found = {}
    for busy in (0, 1):
        for once in ("", "works"):
            folder = tmp_path / f"{busy}{once}"
            folder.mkdir()
            text = "if (next->step() != 0) {"
            call = Callees("code.c", text, struct="work", field="step", once=once)
            elf = built(folder, ONCE.format(busy=busy), "code.c")
            bounds = bounds_of(elf, replace(NONE, calls=[call]))
            found[busy, once] = bounds.of_entries()["start"].instructions
    # By itself each turn may be the longest. Once each, that is one of them; and if it ends the
    # loop, it is none of the turns that lead to another one.
    assert found[0, ""] - found[0, "works"] == 2 * 5
    assert found[0, "works"] - found[1, "works"] >= 5


CASES = """
start: li a1, 1
 bltu a1, a0, 9f
 la a2, table
 slli a0, a0, 2
 add a3, a0, a2
 {jump}
7: nop
 mret
8: nop
 nop
 mret
9: mret
.section .rodata
.balign 4
table: .word 7b - table, 8b - table
"""


@pytest.mark.parametrize(
    "jump",
    [
        "lw a0, 0(a3)\n add a0, a0, a2\n jr a0",
        "lw a0, 0(a3)\n add a0, a2, a0\n jr a0",
        # What the compiler may put in between, for the cases to find.
        "lw a0, 0(a3)\n li a4, 5\n sd a0, 0(sp)\n add a0, a0, a2\n jr a0",
        "lw a0, 0(a3)\n li a4, 5\n li a5, 6\n add a0, a0, a2\n li a6, 7\n jr a0",
    ],
)
def test_the_cases_of_a_switch_are_found(tmp_path: Path, jump: str) -> None:
    # `la` is two instructions.
    before = 6 + jump.count("\n") + 1
    assert longest(tmp_path, CASES.format(jump=jump)) == before + 3


def test_a_jump_through_something_else_is_no_switch(tmp_path: Path) -> None:
    for jump in (
        "lw a0, 0(a3)\n xor a0, a0, a2\n jr a0",
        "lw a0, 0(a3)\n li a0, 5\n add a0, a0, a2\n jr a0",
    ):
        with pytest.raises(BoundsError, match="not annotated what is called"):
            longest(tmp_path, CASES.format(jump=jump))


def test_a_recursion_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BoundsError, match="a recursion has no bound"):
        longest(tmp_path, RECURSION)


def test_a_recursion_of_one_turn_is_gone_round_once(tmp_path: Path) -> None:
    annotations = replace(NONE, recursions=(Recursion("g", "f", "by hand"),))
    again = 2
    once = 1 + 1 + (1 + 1 + again + 1) + 1
    assert longest(tmp_path, RECURSION, annotations) == 1 + once + 1


SOURCE = """\
struct operations {
    int before;
    void (*first)(unsigned);
    int (*work)(int *, unsigned);
};
static int sum(int *values, unsigned count)
{
    int found = 0;

    for (unsigned i = 0; i < count; i++) {
        found += values[i];
    }
    return found;
}
static int one(int *values, unsigned count)
{
    return count + *values;
}
__attribute__((used)) static const struct operations all[2] = {{0, 0, sum}, {1, 0, one}};
const struct operations *chosen = &all[1];
int values[8];
int work(void)
{
    return chosen->work(values, 8);
}
__asm__(".globl start\\nstart: call work\\n mret");
"""


def test_callees_are_found_in_the_fields_of_objects(tmp_path: Path) -> None:
    elf = built(tmp_path, SOURCE, "code.c")
    callees = Callees("code.c", "chosen->work(", struct="operations", field="work")
    loop = LoopBound("code.c", "for (unsigned i = 0; i < count; i++) {", 8, "by hand")
    annotations = replace(NONE, calls=[callees], loops=[loop])
    bounds = bounds_of(elf, annotations)
    assert {each.name for each in bounds.functions.values()} >= {"start", "work", "sum", "one"}
    assert bounds.of_entries()["start"].instructions > 8 * 3
    assert not annotations.unused


def test_a_field_that_there_is_not_is_an_error(tmp_path: Path) -> None:
    callees = Callees("code.c", "chosen->work(", struct="operations", field="play")
    with pytest.raises(BoundsError, match="struct operations has no field 'play'"):
        bounds_of(built(tmp_path, SOURCE, "code.c"), replace(NONE, calls=[callees]))


def test_an_annotation_of_a_line_that_is_gone_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "code.c").write_text("for (;;) {\n}\n")
    file = tmp_path / "bounds.toml"
    file.write_text('[[loop]]\nfile = "code.c"\ntext = "while (1) {"\nmost = 1\nwhy = "so"\n')
    with pytest.raises(BoundsError, match="has no line"):
        read(file)


def test_a_bound_can_be_a_limit_and_that_of_a_system() -> None:
    bound = turns("", "2 * MAX_VHARTS_PER_HART + 1")
    assert bound.turns({}) == 17
    assert bound.turns({"MAX_VHARTS_PER_HART": 3}) == 7
    assert turns("", "MAX_VHARTS_PER_HART - 1").turns({"MAX_VHARTS_PER_HART": 3}) == 2
    assert turns("", "2 * A - B + 3 * C").turns({"A": 5, "B": 2, "C": 1}) == 11
    with pytest.raises(BoundsError, match="what is 'A \\* 2'"):
        turns("", "A * 2").turns({"A": 1})
    with pytest.raises(BoundsError, match="has no COTENANT_MAX_WISHES"):
        turns("", "MAX_WISHES").turns({})


def test_what_was_executed_is_held_against_the_graph(tmp_path: Path) -> None:
    text = (
        ".option norvc\n.globl start\n.globl f\n.type f, @function\n"
        "start: call f\n1: nop\n bnez a0, 1b\n mret\nf: nop\n ret\n"
    )
    annotations = replace(NONE, loops=[turns("bnez a0, 1b", 2)])
    observer = Observer(bounds_of(built(tmp_path, text), annotations))
    start, head, branch, end, callee, ret = range(0x1000, 0x1018, 4)
    before = [start, callee, ret]

    def found(*path: int) -> list[str]:
        return list(observer.problems(path))

    assert not found(*before, *2 * [head, branch], head, branch, end)
    assert "3 turns of the loop" in found(*before, *4 * [head, branch], end)[0]
    assert "does not lead to" in found(*before, branch, end)[0]
    assert "does not lead to" in found(start, head)[0]


def test_a_pointer_that_no_known_call_uses_is_named(tmp_path: Path) -> None:
    code = ".globl start\n.globl f\n.type f, @function\nstart: mret\nf: ret\n"
    bounds = bounds_of(built(tmp_path, code))
    assert not bounds.unused_pointers()
    bounds.image.relocated = {0x9000: bounds.image.address("f")}
    assert [each for each in bounds.unused_pointers() if "f: there is a pointer to it" in each]


def test_a_function_of_a_header_is_named_by_that_header(tmp_path: Path) -> None:
    (tmp_path / "look.h").write_text(
        "static __attribute__((noipa)) long look(void)\n"
        '{\n    long mip;\n    __asm__ volatile("csrr %0, mip" : "=r"(mip));\n    return mip;\n}\n'
    )
    code = '#include "look.h"\nvoid start(void) { look(); __asm__ volatile("mret"); }\n'
    bounds = bounds_of(built(tmp_path, code, "code.c"))
    look = bounds.image.address("look")
    assert bounds.sources.text(bounds.sources.at(look)).startswith("__asm__")
    (bound,) = bounds.of_looks()
    assert str(bound.start) == "look.h:4"


def test_what_benchmarks_saw_is_below_what_was_computed() -> None:
    kept = read_kept()
    seen = [row for row in kept["longest"].rows if row.name.startswith("longest stretch")]
    computed = next(row for row in kept["bounds"].rows if ", longest: " in row.name)
    assert seen
    assert all(row.ours <= computed.ours for row in seen)


def test_every_annotation_of_the_monitor_is_of_a_line_that_there_is() -> None:
    assert read(ANNOTATIONS).loops


def test_a_stretch_that_is_longer_than_published_is_raised() -> None:
    def published(name: str, instructions: int) -> tuple[str, int]:
        return name, instructions

    before = [
        published("s, longest: entry/run.c:96 (a:2)", 9),
        published("s: from trap_entry (memset:7 b:1)", 8),
        published("s: behind a look in f, core/f.c:3 (c:1)", 5),
        published("s: behind a look in f, core/f.c:9 (c:1)", 7),
    ]

    def raised(name: str, instructions: int) -> list[str]:
        return bench_bounds.raised([row(name, "instructions", instructions, None, None)], before)

    assert raised("s, longest: core/other.c:1 (x:1)", 9) == []
    assert raised("s: from trap_entry (b:8)", 8) == []
    assert raised("s: behind a look in f, core/f.c:4 (c:1)", 7) == []
    assert raised("s: from trap_entry (b:9)", 9) == [
        "s: from trap_entry: 9 instructions, published 8"
    ]
    assert raised("s: behind a look in f, core/f.c:4 (c:1)", 8) != []
    before.append(("s: behind a look in f, core/f.c:3 (c:1): lock", 2))
    assert raised("s: behind a look in f, core/f.c:8 (x:1): lock", 2) == []
    assert raised("s: behind a look in f, core/f.c:8 (x:1): lock", 3) != []
    (new,) = raised("s: behind a look in g, core/g.c:1 (c:1)", 1)
    assert new == "s: behind a look in g: 1 instructions, published none"


def test_limits_of_a_host(tmp_path: Path) -> None:
    """Its guests are tenants, and have vharts; on a hart there is one more for each of its own."""
    keys = 'image = "hello"\nmemory = "32M"\npriority = 1'
    file = tmp_path / "system.toml"
    for guests, tenants, vharts, on_hart, mail in ((0, 2, 3, 2, 2), (3, 5, 9, 3, 8)):
        hosts = f"guests = {guests}\n" if guests else ""
        file.write_text(
            f'board = "qemu-virt"\n[tenant.one]\n{keys}\nharts = [0, 1]\n{hosts}'
            '[tenant.two]\nimage = "hello"\nmemory = "1M"\npriority = 2\n'
        )
        found = limits_of(systems.load(file, lean=True))
        assert (found["MAX_TENANTS"], found["MAX_VHARTS"]) == (tenants, vharts)
        assert (found["MAX_VHARTS_PER_HART"], found["MAX_CONTEXTS"]) == (on_hart, 2)
        assert found["MAX_MAIL"] == mail
