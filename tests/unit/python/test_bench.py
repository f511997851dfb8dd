# SPDX-License-Identifier: BSD-2-Clause
"""What benchmarks make of what they measured: counts, histograms, results on disk, pages."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cotenant.bench import expected, firmware, latency, registry, samples
from cotenant.bench.channel import benchmark as channel
from cotenant.bench.channel import figures as channel_figures
from cotenant.bench.registry import Benchmark
from cotenant.bench.report import markdown, store
from cotenant.bench.report.store import Histogram, Store
from cotenant.bench.row import Row, row
from cotenant.cli import main
from cotenant.errors import BenchError
from cotenant.run import qemu

ROWS = [row("a", "instructions", 30, 300, 40), row("b <c>", "%", 7.5, None, 5.0)]


class FakeBenchmark:
    """A benchmark that gives ROWS, or fails half-way."""

    def __init__(self, error: str | None = None) -> None:
        self.error = error
        self.quick: list[bool] = []

    def run(self, quick: bool) -> list[Row]:
        self.quick.append(quick)
        if self.error:
            raise BenchError(self.error)
        return ROWS


Run = Callable[..., Result]


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> dict[str, FakeBenchmark]:
    """Replace the benchmarks by fakes: good, bad (fails), slow (not by default)."""
    found = {
        "good": FakeBenchmark(),
        "bad": FakeBenchmark("the machine ended"),
        "slow": FakeBenchmark(),
    }
    listed = {
        "good": Benchmark("good", "what works", quick_by_default=True),
        "bad": Benchmark("bad", "what fails"),
        "slow": Benchmark("slow", "what takes long", by_default=False),
    }
    monkeypatch.setattr(registry, "BENCHMARKS", listed)
    monkeypatch.setattr("cotenant.bench.report.page.BENCHMARKS", listed)
    monkeypatch.setattr(Benchmark, "load", lambda self: found[self.module])
    return found


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a command whose results go to a folder of the test."""
    real = Store.open
    monkeypatch.setattr(Store, "open", classmethod(lambda _: real(tmp_path)))

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(main, list(arguments))

    return run


# The command


def test_json_is_the_list_of_rows(fakes: dict[str, FakeBenchmark], bench: Run) -> None:
    result = bench("bench", "good", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == [
        {
            "name": "a",
            "unit": "instructions",
            "ours": 30,
            "other": 300,
            "budget": 40,
            "within": True,
        },
        {"name": "b <c>", "unit": "%", "ours": 7.5, "other": None, "budget": 5.0, "within": False},
    ]


def test_a_failure_is_a_sentence_and_leaves_nothing(
    fakes: dict[str, FakeBenchmark], bench: Run, tmp_path: Path
) -> None:
    fakes["bad"].error = None
    assert bench("bench", "bad").exit_code == 0
    fakes["bad"].error = "the machine ended"
    result = bench("bench", "--json")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "benchmark bad is not complete: the machine ended" in result.stderr
    assert set(json.loads((tmp_path / store.ROWS).read_text())) == {"good"}


def test_without_a_name_what_is_quick_runs(fakes: dict[str, FakeBenchmark], bench: Run) -> None:
    bench("bench")
    assert fakes["good"].quick == [True]
    assert fakes["bad"].quick == [False]
    assert not fakes["slow"].quick
    bench("bench", "good")
    bench("bench", "slow", "--quick")
    assert fakes["good"].quick == [True, False]
    assert fakes["slow"].quick == [True]


def test_an_unknown_benchmark_is_refused(fakes: dict[str, FakeBenchmark], bench: Run) -> None:
    result = bench("bench", "fast")
    assert result.exit_code == 1
    assert "no benchmark 'fast'; there are good, bad, slow" in result.stderr


def test_every_benchmark_can_be_loaded() -> None:
    for benchmark in registry.BENCHMARKS.values():
        assert callable(benchmark.load().run)


def test_the_report_is_made_again(
    fakes: dict[str, FakeBenchmark], bench: Run, tmp_path: Path
) -> None:
    result = bench("report")
    assert result.exit_code == 1 and "nothing has been measured" in result.stderr
    bench("bench", "good")
    (tmp_path / "index.html").unlink()
    assert bench("report").exit_code == 0
    page = (tmp_path / "index.html").read_text()
    assert "b &lt;c&gt;" in page and "b <c>" not in page
    assert page.count("<svg") == 2  # a picture for each unit
    assert not re.search(r"""(src|href)="[^#]|@import|url\([^#]""", page)  # loads nothing


def test_tables_put_the_statistics_of_a_work_in_a_line(tmp_path: Path) -> None:
    results = Store(tmp_path)
    figures = {"min": 1.0, "average": 2.5, "p99.9": 9.0, "max": 1234.0}
    rows = [
        row(f"handler, idle: {name}", "instructions", value, 7) for name, value in figures.items()
    ]
    results.put("latency", [*rows, row("added", "instructions", 41, None, 40)], quick=False)
    lines = markdown.tables(results).splitlines()
    assert "| handler, idle | 1 | 2.5 | 9 | 1,234 | 7 | 7 |" in lines
    assert "| added | instructions | **41** |  | 40 |" in lines


# Results on disk


def test_results_come_back(tmp_path: Path) -> None:
    first = Store.open(tmp_path)
    first.put("sbi", ROWS, quick=True)
    first.put_histograms({"x: y": Histogram("instructions", {12: 5, 3: 1})})
    second = Store.open(tmp_path)
    assert second.results["sbi"].rows == ROWS
    assert second.results["sbi"].quick
    assert second.histograms["x: y"].counts == {3: 1, 12: 5}
    second.forget("sbi")
    assert not Store.open(tmp_path).results


def test_runs_beside_each_other_keep_both_results(tmp_path: Path) -> None:
    first, second = Store.open(tmp_path), Store.open(tmp_path)
    first.put("sbi", ROWS, quick=True)
    second.put("linux", ROWS, quick=True)
    first.forget("hosted")
    assert set(Store.open(tmp_path).results) == {"sbi", "linux"}


@pytest.mark.parametrize("text", ["{", "[]"])
def test_damaged_results_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / store.ROWS).write_text(text)
    with pytest.raises(BenchError, match="damaged"):
        Store.open(tmp_path)


# What the programs print


def test_lines_between_others_are_found() -> None:
    output = "OpenSBI v1.1\nbench: a 1 2\nnoise\nbench: b 3\nbench: end\n"
    assert samples.medians(output, "test") == {"a": 1, "b": 3}


@pytest.mark.parametrize("output", ["", "bench: a 1\n", "bench: a 1\nbench: en"])
def test_an_incomplete_output_is_refused(output: str) -> None:
    with pytest.raises(BenchError, match="test ended before its measurement was complete"):
        samples.parse(output, "test")


HISTOGRAM = """\
bench: begin
bench: handler 1000 10005
bench: handler-at 10 999
bench: handler-at 15 1
bench: task 1000 20000
bench: task-at 20 1000
bench: end
"""


def test_a_histogram_has_exact_figures() -> None:
    run = latency.parse(HISTOGRAM, "test")
    assert run["handler"].figures() == {"min": 10, "average": 10.0, "p99.9": 10, "max": 15}
    assert run["handler"].at(1.0) == 15
    assert run["task"].average == 20


def test_a_histogram_that_lacks_samples_is_refused() -> None:
    with pytest.raises(BenchError, match="not complete"):
        latency.parse(HISTOGRAM.replace("bench: handler-at 15 1\n", ""), "test")


# Expected counts


def test_expected_counts_come_back(tmp_path: Path) -> None:
    counts = {"sbi": {"set_timer": 35}, "switch, no FP": {"in": 226, "out": 263}}
    expected.write(counts, tmp_path / "expected.toml")
    assert expected.read(tmp_path / "expected.toml") == counts


def test_longer_and_missing_counts_are_regressions() -> None:
    old = {"s": {"same": 100, "tolerated": 100, "longer": 100, "shorter": 100, "gone": 1}}
    new = {"s": {"same": 100, "tolerated": 102, "longer": 103, "shorter": 50, "new": 7}}
    changes = {change.name: change for change in expected.compare(old, new)}
    assert "same" not in changes
    assert {name for name, change in changes.items() if change.is_longer} == {"longer", "gone"}
    assert changes["new"].expected is None
    assert str(changes["longer"]) == "s: longer: 100 -> 103"


def test_a_missing_file_of_expected_counts_is_told(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="bench --accept"):
        expected.read(tmp_path / "none.toml")


# The firmware to compare with


def test_a_missing_firmware_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "qemu"
    program.write_text(f"#!/bin/sh\necho {tmp_path}\n")
    program.chmod(0o755)
    monkeypatch.setattr(firmware, "find_program", lambda: str(program))
    with pytest.raises(BenchError, match="opensbi"):
        firmware.find()
    (tmp_path / firmware.NAME).write_bytes(b"")
    assert firmware.find() == tmp_path / firmware.NAME


def test_a_firmware_that_dies_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "qemu"
    program.write_text("#!/bin/sh\necho 'bench: a 1'; echo no such machine >&2; exit 1\n")
    program.chmod(0o755)
    image = tmp_path / "image.raw"
    image.write_bytes(b"")
    monkeypatch.setattr(firmware, "find", lambda: image)
    monkeypatch.setattr(qemu, "find_program", lambda _: str(program))
    with pytest.raises(BenchError, match="no such machine"):
        firmware.run(image, sstc=False)


def test_channel_figures_are_complete_or_an_error() -> None:
    output = "".join(
        f"channelbench: {name} out=1 back=2 round=3\nchannelbench: {name} size=32 MBps=4.5\n"
        for name in ("pipe", "stream")
    )
    figures = channel_figures.parse("channelbench", output, "stream", "pipe")
    assert figures.ways["stream"] == {"out": 1, "back": 2, "round": 3}
    assert figures.bulk["pipe"] == {"32": 4.5}
    for missing in ("channelbench: pipe size", "channelbench: stream out"):
        with pytest.raises(BenchError, match="not complete"):
            channel_figures.parse("channelbench", output.replace(missing, "x"), "stream", "pipe")


def test_windows_stand_beside_the_pipe() -> None:
    output = (
        "".join(
            f"channelbench: {name} out=7 back=8 round=9\nchannelbench: {name} size=32 MBps=4.5\n"
            for name in ("pipe", "stream")
        )
        + "memorybench: doorbell size=32 MBps=9.0\n"
    )
    for name in ("doorbell", "asleep", "polling"):
        output += f"memorybench: {name} out=1 back=2 round=3\n"
    streams = channel_figures.parse("channelbench", output, "stream", "pipe")
    rows = channel.window_rows(streams, channel.parse_windows(output))
    assert [(row.ours, row.other) for row in rows] == [
        (1, 7), (2, 8), (3, 9), (9.0, 4.5), (2, None), (2, None),
    ]  # fmt: skip
    assert len({row.name for row in rows}) == len(rows)
    for missing in ("doorbell size", "asleep out", "polling out"):
        with pytest.raises(BenchError, match="not complete"):
            channel.parse_windows(output.replace(f"memorybench: {missing}", "x"))


def test_costs_of_messages_are_rows() -> None:
    rows = channel_figures.cost_rows("frames", "cost: size=60 cycles=900 notify=700\n")
    assert [row.ours for row in rows] == [900, 700]
    assert all("frames of 60 bytes" in row.name for row in rows)
    with pytest.raises(BenchError, match="no costs"):
        channel_figures.cost_rows("frames", "cost: end\n")
