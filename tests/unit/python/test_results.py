# SPDX-License-Identifier: BSD-2-Clause
"""Reading what the monitor and the applications print."""

from cotenant.run.results import (
    CommandResult,
    Latency,
    RunResult,
    Stats,
    TenantResult,
    TenantStats,
    parse_latency,
    parse_stats,
)

RUNNING = TenantStats("running", 1, 2, 3, 4)


def test_stats_are_read_between_other_lines() -> None:
    lines = [
        "monitor: tenant b: shutdown",
        "stats time_ns=1500",
        "tenant linux state=running cpu_ns=123 switches=4 interrupts=5 faults=6",
        "tenant b state=stopped cpu_ns=0 switches=0 interrupts=0 faults=0 starts=8 hangs=9 later=7",
    ]
    assert parse_stats(lines) == Stats(
        1500,
        {
            "linux": TenantStats("running", 123, 4, 5, 6),
            "b": TenantStats("stopped", 0, 0, 0, 0, 8, 9),
        },
    )


def test_last_complete_latency_line_counts() -> None:
    output = (
        "banner\nlatency: samples=1000 min=1.2us avg=2.1us max=9.8us missed=0\n"
        "[rtos] latency: samples=2000 min=1.1us avg=2.0us max=19.8us missed=3\n"
        "latency: samples=3000 min=1.1us avg=2.0u"
    )
    assert parse_latency(output) == Latency(2000, 1.1, 2.0, 19.8, 3)
    assert parse_latency("nothing") is None
    assert parse_latency("latency: samples=1 min=1.0us avg=1.0us max=1.0us missed=1") is None


def test_run_is_ok_when_everything_went_well() -> None:
    result = RunResult({"a": TenantResult(RUNNING, ready=True, output="")}, 5)
    assert result.ok
    assert result.as_dict()["tenants"]["a"]["app"] is None
    assert result.as_dict()["counted"] is False


def test_each_failure_has_a_sentence() -> None:
    failed = CommandResult("false", 1, "")
    result = RunResult(
        {
            "a": TenantResult(RUNNING, ready=False, output=""),
            "b": TenantResult(TenantStats("crashed"), ready=True, output=""),
            "c": TenantResult(RUNNING, ready=True, output="", commands=[failed]),
        },
        5,
        problem="time was up",
    )
    assert not result.ok
    assert result.problems() == [
        "time was up",
        "tenant a: never became ready (state running)",
        "tenant b: crashed",
        "tenant c: command 'false' ended with exit code 1",
    ]
