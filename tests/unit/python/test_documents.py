# SPDX-License-Identifier: BSD-2-Clause
"""Figures of documents come from kept results, and the documents of the repository have them."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from cotenant import paths
from cotenant.bench.report import documents, kept
from cotenant.bench.report.kept import Kept
from cotenant.bench.report.store import Result, Store
from cotenant.bench.row import row
from cotenant.cli import main
from cotenant.errors import BenchError

RESULTS = {
    "sbi": Kept(
        "abc1234",
        "2026-01-31T10:00:00+00:00",
        [
            row("set_timer", "instructions", 35, 318, 40),
            row("longest stretch (SBI call; a, b)", "instructions", 1234.5),
            row("longest stretched", "ms", 0.25),
            row("part one: lines", "lines", 12),
            row("part one: code", "bytes", 3400),
            row("part two: lines", "lines", 5),
        ],
    )
}
DOCUMENT = """\
before
<!-- figures: table -->
{}<!-- end of figures -->
behind {{{{sbi: set_timer}}}}
"""


def renewed(tmp_path: Path, table: str) -> str:
    """Return what a table becomes in a document."""
    (tmp_path / "table.md").write_text(table)
    text = documents.renewed(DOCUMENT.format("old\n"), RESULTS, tmp_path)
    before, behind = DOCUMENT.format("\0").split("\0")
    assert text.startswith(before) and text.endswith(behind)
    return text.removeprefix(before).removesuffix(behind)


@pytest.mark.parametrize(
    ("place", "printed"),
    [
        ("{{sbi: set_timer}}", "35"),
        ("{{sbi other: set_timer}} {{sbi budget: set_timer}}", "318 40"),
        ("{{sbi ratio: set_timer}}", "0.11"),
        ("{{sbi ratio .4f: set_timer}}", "0.1101"),
        ("{{sbi: longest stretch (*}}", "1,234"),
        ("{{sbi raw: longest stretch (*}}", "1234"),
        ("{{sbi .1f: longest stretch (*}}", "1,234.5"),
        ("{{sbi +.1f: longest stretch (*}}", "+1,234.5"),
        ("{{sbi: longest stretched}}", "0.25"),
        (
            "{{sbi list: longest*}}",
            "| `longest stretch (SBI call; a, b)` | 1,234 |\n| `longest stretched` | 0.25 |",
        ),
        ("{{sbi list 1: longest*}}", "| `longest stretch (SBI call; a, b)` | 1,234 |"),
        ("{{sbi table 1: part*}}", "| `part one` | 12 | 3,400 |"),
        ("{{sbi table: part*}}", "| `part one` | 12 | 3,400 |\n| `part two` | 5 |"),
        ("{{sbi measured}}", "measured at commit abc1234, 2026-01-31"),
        ('{"a": {"b": 1}}', '{"a": {"b": 1}}'),
    ],
)
def test_a_place_is_filled_in(tmp_path: Path, place: str, printed: str) -> None:
    assert renewed(tmp_path, f"{place}\n") == f"{printed}\n"


@pytest.mark.parametrize(
    "place",
    [
        "{{none: set_timer}}",
        "{{sbi: no such row}}",
        "{{sbi: longest*}}",
        "{{sbi other: longest stretched}}",
        "{{sbi ratio: longest stretched}}",
    ],
)
def test_a_place_without_a_figure_is_an_error(tmp_path: Path, place: str) -> None:
    with pytest.raises(BenchError, match=r"table\.md"):
        renewed(tmp_path, place)


def test_a_table_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match=r"table\.md"):
        documents.renewed(DOCUMENT.format(""), RESULTS, tmp_path)


def test_only_complete_and_newer_results_are_kept(tmp_path: Path) -> None:
    def result(day: int, *, quick: bool = False) -> Result:
        return Result("abc", f"2026-01-{day:02}", quick, [row("a", "ms", day)])

    store = Store(tmp_path, results={"new": result(2), "quick": result(2, quick=True)})
    store.results["changed"] = Result("abc+", "2026-01-02", False, [])
    store.results["nowhere"] = Result("", "2026-01-02", False, [])
    folder = tmp_path / "results"
    assert kept.take_over(store, folder) == ["new"]
    assert kept.take_over(store, folder) == []
    store.results["new"] = result(1)
    assert kept.take_over(store, folder) == []
    store.results["new"] = result(3)
    assert kept.take_over(store, folder) == ["new"]
    assert {name: each.rows[0].ours for name, each in kept.read(folder).items()} == {"new": 3}


def test_a_damaged_result_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(BenchError, match=r"bad\.json"):
        kept.read(tmp_path)


def test_a_document_with_other_figures_is_found(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("no figures\n")
    page = tmp_path / "docs" / "page.md"
    page.write_text(DOCUMENT.format("35 by hand\n"))
    (tmp_path / "table.md").write_text("{{sbi: set_timer}}\n")
    found = documents.outdated(RESULTS, tmp_path, tmp_path)
    assert found == {page: DOCUMENT.format("35\n")}
    page.write_text(found[page])
    assert not documents.outdated(RESULTS, tmp_path, tmp_path)


def test_every_table_says_when_it_was_measured() -> None:
    for table in documents.TABLES.glob("*.md"):
        assert " measured}}" in table.read_text(encoding="utf-8"), table


def test_the_documents_have_the_figures_of_the_kept_results() -> None:
    result = CliRunner().invoke(main, ["report", "--check"])
    assert result.exit_code == 0, result.output


def test_tables_of_figures_are_written_by_the_tool() -> None:
    """No row of figures is typed, except in the tables of steps that were tried: history."""
    pages = [*(paths.ROOT / "docs" / "performance").glob("*.md")]
    pages += [paths.ROOT / "docs" / f"{name}.md" for name in PAGES_OF_FIGURES]
    typed = {page.name: typed_rows(page.read_text(encoding="utf-8")) for page in pages}
    assert not any(typed.values()), typed


def test_a_typed_row_is_found() -> None:
    written = "<!-- figures: t -->\n| y | 5 |\n<!-- end of figures -->\n"
    text = f"| a | b |\n|---|--:|\n| x | 1,234 |\n\n{written}"
    assert typed_rows(text) == ["| x | 1,234 |"]
    assert typed_rows("| step | in |\n|---|---|\n| first | 395 |\n") == []


PAGES_OF_FIGURES = ("bounds", "components", "engineering-cost", "performance", "rtl", "tracing")


def typed_rows(text: str) -> list[str]:
    """Return the rows of tables with a cell that is a number, outside of the marks."""
    text = re.sub(r"<!-- figures: .*?<!-- end of figures -->", "", text, flags=re.DOTALL)
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    return [
        row
        for table in tables
        if not table.startswith("| step |")
        for row in table.splitlines()
        if re.search(r"\| [+-]?[\d.,]+ ?%? \|", row)
    ]


def test_marks_come_in_pairs() -> None:
    for document in documents.documents(paths.ROOT):
        text = document.read_text(encoding="utf-8")
        assert text.count("<!-- figures: ") == text.count("<!-- end of figures -->"), document
