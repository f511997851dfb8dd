# SPDX-License-Identifier: BSD-2-Clause
"""The runner of `make prove` reads what Frama-C writes, and tells what is not proved."""

import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import prove
import pytest
from prove import Alarm, Justified, Outcome, Proof, ProofError

HEAD = "directory\tfile\tline\tfunction\tproperty kind\tstatus\tproperty\n"
ALARM = Alarm("ring_get", "mem_access", "\\valid_read(ring->data + index)")
PROOF = Proof("a ring", "ring", ("core/ring.c",), "All of it.", ("one reader",))
JUSTIFIED = [Justified("ring", ALARM, "a mask")]


def report_line(
    status: str, function: str = ALARM.function, expression: str = ALARM.expression
) -> str:
    return f"monitor/core\tring.h\t59\t{function}\tmem_access\t{status}\t{expression}\n"


@pytest.mark.parametrize("status", ["Unknown", "Invalid", "Invalid or unreachable", "Untried"])
def test_what_does_not_hold_is_an_alarm(status: str) -> None:
    alarms, places = prove.read_report(HEAD + report_line(status))
    assert alarms == [ALARM]
    assert places == {ALARM: f"ring.h:59 ({status})"}


@pytest.mark.parametrize("status", ["Valid", "Considered valid", "Partially proven", "Dead"])
def test_what_holds_is_none(status: str) -> None:
    assert prove.read_report(HEAD + report_line(status)) == ([], {})


def test_the_same_alarm_in_copies_of_a_function_is_one() -> None:
    text = HEAD + report_line("Unknown", "ring_get_1") + report_line("Unknown", "ring_get_0")
    assert prove.read_report(text)[0] == [ALARM]


def test_a_precondition_counts_at_its_calls() -> None:
    line = report_line("Unknown")
    text = HEAD + line.replace("mem_access", "precondition")
    assert proofs_of(text) == []
    assert len(proofs_of(text + line.replace("mem_access", "precondition of ring_get"))) == 1


def proofs_of(text: str) -> list[Alarm]:
    return prove.read_report(text)[0]


def test_an_expression_may_have_tabs() -> None:
    text = HEAD + report_line("Unknown", expression="a\tb")
    assert prove.read_report(text)[0][0].expression == "a\tb"


@pytest.mark.parametrize("text", ["", "something else\n"])
def test_another_form_of_report_is_refused(text: str) -> None:
    with pytest.raises(ProofError, match="form"):
        prove.read_report(text)


def test_the_coverage_is_added_up_over_copies_of_a_function() -> None:
    log = (
        "[metrics] Statements analyzed by Eva\n"
        "  12 stmts in analyzed functions, 11 stmts analyzed (91.7%)\n"
        "  ring_get: 3 stmts out of 4 (75.0%)\n"
        "  ring_get_0: 4 stmts out of 4 (100.0%)\n"
        "  main: 4 stmts out of 4 (100.0%)\n"
    )
    assert prove.read_coverage(log) == {"ring_get": (7, 8), "main": (4, 4)}


def test_the_functions_of_a_file_are_found() -> None:
    source = (
        "static const int table[] = {f(1)};\n"
        "bool declared(int a);\n"
        "static bool one(int a)\n{\n    return two(a);\n}\n"
        "struct thing *two(int a,\n                 int b)\n{\n    if (a) {\n    }\n}\n"
        "static void __attribute__((noinline))\nthree(void)\n{\n}\n"
        "/* Calls two(). */\nstatic uint8_t __attribute__((always_inline)) four(void)\n{\n}\n"
    )
    assert prove.defined_functions(source) == {"one", "two", "three", "four"}


def test_an_alarm_fails_with_its_place() -> None:
    outcome = Outcome(alarms=[ALARM], places={ALARM: "ring.h:59 (Unknown)"})
    (line,) = prove.faults(PROOF, outcome, [])
    assert line.startswith("ring: ring.h:59 (Unknown) in ring_get: mem_access: ")


def test_a_justified_alarm_does_not() -> None:
    assert prove.faults(PROOF, Outcome([ALARM]), JUSTIFIED) == []


def test_one_that_is_justified_elsewhere_does() -> None:
    assert len(prove.faults(PROOF, Outcome([ALARM]), [Justified("other", ALARM, "a mask")])) == 1


def test_a_justification_without_an_alarm_fails() -> None:
    (line,) = prove.faults(PROOF, Outcome(), JUSTIFIED)
    assert "there is no such alarm" in line


def test_a_justification_without_a_proof_fails() -> None:
    justified = [*JUSTIFIED, Justified("other", ALARM, "a mask")]
    assert prove.unknown_entries([PROOF], justified) == [
        "other: justified, but there is no such proof"
    ]


def test_what_is_not_reached_has_to_be_named_and_only_that() -> None:
    proof = Proof("a ring", "ring", (), "", (), left_out=frozenset({"ring_init", "ring_get"}))
    outcome = Outcome(unreached=frozenset({"ring_put", "ring_get"}))
    assert prove.faults(proof, outcome, []) == [
        "ring: ring_put() is not reached, and left_out does not name it",
        "ring: left_out names ring_init(), which is reached or not there",
    ]


def test_the_table_goes_between_its_marks_and_only_seconds_may_differ() -> None:
    document = "before\n<!-- proofs -->\nold\n<!-- /proofs -->\nafter\n"
    outcome = Outcome([ALARM], reached={"main": (4, 4), "ring_get": (3, 4)}, seconds=7.4)
    quick = prove.with_table(document, prove.table([prove.row(PROOF, outcome, JUSTIFIED)]))
    assert "\n| a ring | 2 | 7 of 8 | 1 | 1 | 7 |\n<!-- /proofs -->\nafter\n" in quick
    outcome.seconds = 30
    slow = prove.with_table(document, prove.table([prove.row(PROOF, outcome, JUSTIFIED)]))
    assert slow != quick
    assert prove.without_seconds(slow) == prove.without_seconds(quick)
    outcome.alarms.append(Alarm("ring_put", "shift", "0 <= n"))
    other = prove.with_table(document, prove.table([prove.row(PROOF, outcome, JUSTIFIED)]))
    assert "\n| a ring | 2 | 7 of 8 | 2 | 1 | 30 |\n" in other
    assert prove.without_seconds(other) != prove.without_seconds(quick)


def test_a_document_without_marks_is_refused() -> None:
    with pytest.raises(ProofError, match="proofs"):
        prove.with_table("nothing", "table")


def test_what_is_assumed_and_justified_is_said() -> None:
    text = prove.what_is_said([PROOF], [Justified("ring", ALARM, "The mask is below the size.")])
    assert "- **a ring** (`tests/proofs/ring.c`; `core/ring.c`). All of it.\n" in text
    assert "  - assumed: one reader\n" in text
    assert f"`{ALARM.expression}` in `ring_get()`: The mask is below the size.\n" in text


FRAMA_C = f"""#!{sys.executable}
import os, pathlib, sys
report = sys.argv[-1].removeprefix("-report-csv=")
pathlib.Path(report).write_text({HEAD!r})
print(os.getcwd(), os.environ["PWD"])
"""


def test_the_files_that_are_analysed_are_those_of_this_checkout(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Frama-C finds them by the environment, which whoever runs it from elsewhere has left."""
    program = tmp_path / "frama-c"
    program.write_text(FRAMA_C)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("PWD", "/")
    monkeypatch.setattr(prove, "BUILD", tmp_path)
    prove.prove(replace(PROOF, sources=()), tmp_path)
    assert (tmp_path / "ring.log").read_text() == f"{prove.ROOT} {prove.ROOT}\n"


def test_the_files_of_the_project_are_complete() -> None:
    listed = prove.read_proofs((prove.PROOFS / "proofs.toml").read_text(encoding="utf-8"))
    justified = prove.read_justified((prove.PROOFS / "justified.toml").read_text(encoding="utf-8"))
    assert {proof.entry for proof in listed} == {file.stem for file in prove.PROOFS.glob("*.c")}
    assert prove.unknown_entries(listed, justified) == []
    for proof in listed:
        for source in proof.sources + proof.includes:
            path = prove.ROOT / prove.place(source)
            assert prove.defined_functions(path.read_text(encoding="utf-8")), source
    assert all(re.search(r"[\w)]\.$", each.reason) for each in justified)


def test_the_document_tells_of_every_proof() -> None:
    listed = prove.read_proofs((prove.PROOFS / "proofs.toml").read_text(encoding="utf-8"))
    justified = prove.read_justified((prove.PROOFS / "justified.toml").read_text(encoding="utf-8"))
    document = Path(prove.DOCUMENT).read_text(encoding="utf-8")
    assert prove.what_is_said(listed, justified) in document
    assert re.findall(r"^\| ([^|]+) \| \d+ \|", document, re.MULTILINE) == [
        proof.name for proof in listed
    ]
