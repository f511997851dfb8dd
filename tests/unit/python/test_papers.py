# SPDX-License-Identifier: BSD-2-Clause
"""The papers' tables beside ours: what their files say, and what is made of it."""

import re
from pathlib import Path

import pytest

from cotenant.bench import registry
from cotenant.bench.papers import wakeups
from cotenant.bench.report import charts, kept, paper_markdown, paper_page, papers
from cotenant.bench.report.kept import Kept
from cotenant.bench.report.store import Store
from cotenant.bench.row import row
from cotenant.errors import BenchError

RESULTS = {
    "sbi": Kept(
        "abc1234",
        "2026-01-31T10:00:00+00:00",
        [row("call", "instructions", 53, 106), row("alone", "ms", 2000.4)],
    )
}
HEAD = """\
title = "Some paper"
authors = "A. Uthor"
published = "1999"
machine = "a <PC>"
about = "It is about this."

[[table]]
title = "Its table"
how = "So."
limps = "Here."
"""
ROW = '[[table.row]]\nwhat = "a call"\npaper = 265\nunit = "cycles"\nours = "sbi: call"\n'


def made(tmp_path: Path, text: str) -> papers.Paper:
    (tmp_path / "some.toml").write_text(text)
    return papers.read("some", tmp_path)


@pytest.mark.parametrize(
    ("reference", "value", "unit"),
    [
        ("sbi: call", 53, "instructions"),
        ("sbi other: call", 106, "instructions"),
        ("sbi ratio: call", 0.5, ""),
        ("sbi inverse: call", 2, ""),
        ("sbi: al*", 2000.4, "ms"),
    ],
)
def test_a_figure_of_ours_is_found(tmp_path: Path, reference: str, value: float, unit: str) -> None:
    line = made(tmp_path, HEAD + ROW.replace("sbi: call", reference)).tables[0].lines[0]
    assert line.find(RESULTS) == papers.Ours(value, unit)


@pytest.mark.parametrize(
    "reference", ["sbi", "sbi: none", "other: call", "sbi half: call", "sbi other: alone"]
)
def test_a_figure_that_there_is_not_is_an_error(tmp_path: Path, reference: str) -> None:
    line = made(tmp_path, HEAD + ROW.replace("sbi: call", reference)).tables[0].lines[0]
    with pytest.raises(BenchError):
        line.find(RESULTS)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD.replace("limps", "runs") + ROW, "'limps'"),
        (HEAD + ROW.replace("paper = 265\n", ""), "why is there no figure"),
        (HEAD + ROW.replace('ours = "sbi: call"\n', ""), "either a figure of ours or why"),
        (HEAD + ROW + 'missing = "never"\n', "either a figure of ours or why"),
        ("= 3", "cannot be read"),
    ],
)
def test_a_file_that_says_too_little_is_an_error(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BenchError, match=said):
        made(tmp_path, text)


def test_a_document_has_both_figures_and_their_ratio(tmp_path: Path) -> None:
    unknown = '[[table.row]]\nwhat = "more"\nmissing = "never measured"\n'
    text = HEAD + 'unknown = "Not there."\npicture = "bars"\n' + ROW + unknown
    lines = paper_markdown.text(made(tmp_path, text), RESULTS).splitlines()
    assert "| a call | 265 cycles | 53 instructions | 0.2 |" in lines
    assert "| more | not at hand | never measured |  |" in lines
    assert "![Its table](pictures/papers-bars.svg)" in lines
    assert "*How ours was measured:* So." in lines
    assert "*Where the comparison limps:* Here. Not there." in lines
    assert lines[-1] == "Ours: `cotenant bench sbi` at commit abc1234, 2026-01-31."


def test_figures_of_ours_are_of_benchmarks_that_run_before() -> None:
    benchmark = registry.BENCHMARKS[paper_page.BENCHMARK]
    names = {name for paper in papers.read_all() for name in paper.benchmarks()}
    assert names <= {paper_page.BENCHMARK, *benchmark.needs}
    alone = registry.wanted(paper_page.BENCHMARK, alone=True)
    assert list(alone) == [paper_page.BENCHMARK]
    assert list(registry.wanted(paper_page.BENCHMARK, alone=False)) == [
        *benchmark.needs,
        paper_page.BENCHMARK,
    ]


def test_the_page_has_what_was_measured_here_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    same = ROW.replace("cycles", "instructions")
    paper = made(tmp_path, HEAD + 'picture = "drawn"\n' + same + ROW.replace(": call", ": gone"))
    monkeypatch.setattr(papers, "read_all", lambda: [paper])
    monkeypatch.setattr(kept, "read", lambda _: RESULTS)
    store = Store(tmp_path / "report")
    paper_page.keep_picture(store, "drawn", charts.series([("all", [1, 3, 2])], "time", "ns"))
    first = paper_page.write_page(store).read_text()
    assert "53 instructions" in first and "not measured yet" in first
    assert "a &lt;PC&gt;" in first and "<PC>" not in first
    assert first.count("<svg") == 2  # what was drawn, and bars of the comparable row
    assert not re.search(r"""(src|href)="[^#]|@import|url\([^#]""", first)  # loads nothing
    store.put("sbi", [row("call", "instructions", 44)], quick=True)
    second = paper_page.write_page(store).read_text()
    assert "44 instructions" in second and "(fewer samples)" in second


def test_pictures_of_documents_stand_alone(tmp_path: Path) -> None:
    store = Store(tmp_path / "report")
    paper_page.keep_picture(store, "drawn", charts.series([("all", [1, 3, 2])], "time", "ns"))
    paper_page.take_over_pictures(store, tmp_path / "docs")
    picture = (tmp_path / "docs" / "papers-drawn.svg").read_text()
    assert picture.startswith("<svg") and "#ffffff" in picture
    assert "currentColor" not in picture and "var(" not in picture


OUTPUT = """\
bench: begin
bench: handler 3 120
bench: handler-at 40 3
bench: task 3 1200
bench: task-at 400 3
bench: jitter 2 4
bench: jitter-at 2 2
bench: interval 31248
bench: interval 31252
bench: end
"""


def test_intervals_of_a_task_are_read() -> None:
    found = wakeups.parse(OUTPUT, "a test")
    assert found.jitter.figures() == {"min": 2, "average": 2.0, "p99.9": 2, "max": 2}
    assert found.intervals == [31248, 31252]
    rows = {each.name: each.ours for each in wakeups.rows({"alone": found, "load": found})}
    assert rows["interrupt handler, load: added to the worst"] == 0
    assert rows["jitter, load: max"] == 2
    assert "task, alone: added to the worst" not in rows


@pytest.mark.parametrize("line", ["bench: jitter 2 4\n", "bench: jitter-at 2 2\n", "bench: end\n"])
def test_intervals_that_are_not_complete_are_an_error(line: str) -> None:
    with pytest.raises(BenchError):
        wakeups.parse(OUTPUT.replace(line, ""), "a test")
