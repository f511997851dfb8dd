# SPDX-License-Identifier: BSD-2-Clause
"""Runs of a Linux are compared when they are complete and alike, and only then."""

from dataclasses import replace

import pytest

from cotenant import images
from cotenant.bench.linux import benchmark as linux
from cotenant.bench.linux import runs as linux_runs
from cotenant.bench.linux.runs import WHOLE, Beside, Sample, Samples, parse
from cotenant.bench.row import Row
from cotenant.errors import BenchError

COMPLETE = """\
OpenSBI v1.1
bench: boot 1 900 900 900
bench: boot_firmware 1 200 200 200
bench: boot_kernel 1 700 700 700
bench: cpu 10 900 1000 2000\r
bench: console_time 10 500 500 500
bench: hackbench_pipe 1 50 50 50
bench: end
"""


def test_a_complete_run() -> None:
    found = parse(COMPLETE, "Linux")
    assert found["cpu"] == Sample(10, 900, 1000, 2000)
    assert found["cpu"].each == 100
    assert found[WHOLE].median == 900 + 50


@pytest.mark.parametrize(
    "output",
    [
        "",
        COMPLETE.replace("bench: end\n", ""),
        COMPLETE.replace("bench: cpu 10", "bench: cpu 0"),
        COMPLETE.replace("bench: cpu 10 900", "bench: cpu 10"),
        COMPLETE.replace("bench: end", "bench-init: dbench failed"),
    ],
)
def test_an_incomplete_run_is_no_result(output: str) -> None:
    with pytest.raises(BenchError, match="Linux"):
        parse(output, "Linux")


def changed(samples: Samples, name: str, factor: float) -> Samples:
    sample = samples[name]
    return samples | {name: replace(sample, median=round(sample.median * factor))}


class Runs:
    """Stands in for the machines."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ours = self.other = parse(COMPLETE, "Linux")
        monkeypatch.setattr(images, "resolve", lambda name: name)
        monkeypatch.setattr(linux_runs, "alone", lambda **_: self.ours)
        monkeypatch.setattr(linux_runs, "on_firmware", lambda **_: self.other)
        monkeypatch.setattr(
            linux_runs, "beside_rtos", lambda **_: Beside(changed(self.ours, "cpu", 1.01), 0.002)
        )


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    return Runs(monkeypatch)


def within(rows: list[Row]) -> dict[str, bool | None]:
    return {row.name: row.within for row in rows}


def test_equal_is_not_slower(runs: Runs) -> None:
    rows = within(linux.run(quick=True))
    assert rows["boot, reset to init"] is True
    assert rows["console output, a byte until it left"] is None
    assert rows["CPU work beside an RTOS at 1 kHz"] is False


def test_what_is_slower_is_told(runs: Runs) -> None:
    runs.ours = changed(runs.other, "boot", 1.1)
    rows = within(linux.run(quick=True))
    assert rows["boot, reset to init"] is False
    assert rows["boot, from there to init"] is True


def test_runs_of_other_programs_are_not_compared(runs: Runs) -> None:
    runs.ours = {name: each for name, each in runs.other.items() if name != "cpu"}
    with pytest.raises(BenchError, match="not measured by every run: cpu"):
        linux.run(quick=True)


def test_a_run_that_fails_leaves_no_rows(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> Samples:
        raise BenchError("Linux on it ended before its measurement was complete")

    monkeypatch.setattr(linux_runs, "on_firmware", fail)
    with pytest.raises(BenchError, match="ended before"):
        linux.run(quick=True)
