# SPDX-License-Identifier: BSD-2-Clause
"""Each register and extension of the ISA has a true statement in monitor/state.toml, and one."""

import tomllib
from dataclasses import replace
from pathlib import Path

import isa_lists
import pytest
import state
from state import Accesses, Statement, Statements

from cotenant import paths

CSRS = {"sscratch": 0x140, "mtvec": 0x305, "time": 0xC01, "stopi": 0xDB0}
SWITCHED = Statement(("sscratch",), "switched", "exchanged", loaded_by=("world_enter",))
OWN = Statement(("mtvec",), "not reachable", "its own", written_by=("begin",))
SAME = Statement(("time",), "same for all", "one clock")
REFUSED = Statement(("stopi",), "not reachable", "refused", refused_by="probe")
GOOD = Statements((SWITCHED, OWN, SAME, REFUSED), (), (), {}, frozenset())
ACCESSES = Accesses(
    reads={0x140: frozenset({"world_enter"}), 0xDB0: frozenset({"probe"})},
    writes={0x140: frozenset({"world_enter"}), 0x305: frozenset({"begin"})},
)


def with_statement(old: Statement, new: Statement | None) -> Statements:
    csrs = tuple(new if each is old else each for each in GOOD.csrs)
    return replace(GOOD, csrs=tuple(each for each in csrs if each is not None))


def test_the_monitor_does_what_its_statements_say() -> None:
    accesses, functions = state.accesses_of()
    statements = state.read()
    assert state.faults(statements, isa_lists.csrs(), accesses) == []
    assert state.element_faults(statements, functions) == []


def test_each_extension_has_a_statement_and_boards_only_those_that_are_kept() -> None:
    boards = {
        file.stem: tomllib.loads(file.read_text()).get("isa", [])
        for file in sorted(paths.BOARDS.glob("*.toml"))
    }
    assert any(boards.values())
    listed = isa_lists.extensions() | isa_lists.qemu_switches()
    assert state.extension_faults(state.read(), listed, boards) == []


def test_the_document_has_the_statements() -> None:
    document = state.DOCUMENT.read_text()
    assert state.documented(document, state.table(state.read())) == document, (
        "run 'tests/harness/state.py --docs'"
    )


def test_true_statements_have_no_faults() -> None:
    assert state.faults(GOOD, CSRS, ACCESSES) == []


@pytest.mark.parametrize(
    ("statements", "csrs", "words"),
    [
        (with_statement(SWITCHED, None), CSRS, "sscratch has 0 statements"),
        (
            with_statement(SAME, replace(SAME, names=("time", "mtv*"))),
            CSRS,
            "mtvec has 2 statements",
        ),
        (GOOD, CSRS | {"sctrctl": 0x14E}, "sctrctl has 0 statements"),
        (replace(GOOD, newer={"time": 0xC01}), CSRS, "time is in a list now"),
        (
            with_statement(SAME, replace(SAME, names=("time", "sfoo"))),
            CSRS,
            "sfoo: there is no such",
        ),
        (
            with_statement(SWITCHED, replace(SWITCHED, loaded_by=())),
            CSRS,
            "nothing is said to load",
        ),
        (with_statement(SAME, replace(SAME, kind="kept")), CSRS, "a statement is one of"),
        (with_statement(SAME, replace(SAME, held_in="no")), CSRS, "no: there is no such"),
        (
            with_statement(SWITCHED, replace(SWITCHED, loaded_by=("world_enter", "load_all"))),
            CSRS,
            "sscratch: load_all() does not write it",
        ),
        (
            with_statement(SWITCHED, replace(SWITCHED, kind="same for all")),
            CSRS,
            "sscratch: same for all, but world_enter() writes it",
        ),
        (with_statement(OWN, replace(OWN, written_by=())), CSRS, "but begin() writes it"),
        (
            with_statement(REFUSED, replace(REFUSED, refused_by="begin")),
            CSRS,
            "begin() does not look",
        ),
    ],
)
def test_a_false_or_missing_statement_is_a_fault(
    statements: Statements, csrs: dict[str, int], words: str
) -> None:
    assert any(words in fault for fault in state.faults(statements, csrs, ACCESSES))


def test_an_access_of_an_unknown_csr_is_a_fault() -> None:
    accesses = replace(ACCESSES, reads={**ACCESSES.reads, 0x9FF: frozenset({"somewhere"})})
    (fault,) = state.faults(GOOD, CSRS, accesses)
    assert "0x9ff" in fault


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        ({}, "sscratch is said to be switched, and was not planted"),
        ({0x140: "fixed"}, "sscratch is said to be switched, and was not planted"),
        ({0x140: "planted", 0xC01: "planted"}, "time takes values"),
        ({0x140: "planted", 0xDB0: "read-only"}, "stopi is reached, and said to be not reachable"),
        ({0x140: "planted", 0x1FF: "read-only"}, "0x1ff is reached, and no list has it"),
    ],
)
def test_what_a_tenant_reaches_can_contradict(
    monkeypatch: pytest.MonkeyPatch, seen: dict[int, str], words: str
) -> None:
    monkeypatch.setattr(state, "numbers", lambda: CSRS)
    assert state.contradictions(GOOD, {0x140: "planted", 0xC01: "read-only"}) == []
    assert any(words in each for each in state.contradictions(GOOD, seen))


def test_a_new_extension_and_one_that_is_not_kept_are_faults() -> None:
    statements = replace(GOOD, extensions=((("i",), True, "x"), (("v",), False, "v")))
    assert state.extension_faults(statements, ["i", "v"], {"board": ["i"]}) == []
    (fault,) = state.extension_faults(statements, ["i", "zsomething"], {})
    assert "zsomething has 0 statements" in fault
    (fault,) = state.extension_faults(statements, [], {"board": ["i", "v"]})
    assert "board" in fault and "v" in fault


def test_other_state_needs_a_statement_and_what_is_said_to_load_it() -> None:
    good = replace(
        GOOD,
        elements=(Statement(state.ELEMENTS, "switched", "all", loaded_by=("world_resume",)),),
    )
    assert state.element_faults(good, ["world_resume"]) == []
    assert state.element_faults(good, []) == [
        f"{state.ELEMENTS[0]}: the monitor has no world_resume()"
    ]
    assert len(state.element_faults(GOOD, [])) == len(state.ELEMENTS)


def test_lists_that_are_not_there_are_told_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(isa_lists, "LISTS", tmp_path)
    with pytest.raises(isa_lists.ListError, match="setup"):
        isa_lists.csrs.__wrapped__()
