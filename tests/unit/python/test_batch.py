# SPDX-License-Identifier: BSD-2-Clause
"""Batch runs, against a stand-in for the machine."""

import json
import sys
from pathlib import Path

import pytest

from cotenant.errors import RunError
from cotenant.run.batch import BatchRun, Plan, Send
from cotenant.run.qemu import Machine
from cotenant.run.results import RunResult
from cotenant.run.session import Port, Session

FAKE = Path(__file__).with_name("fake_machine.py")
PORTS = [Port("linux", ready="^cotenant: ready$"), Port("rtos")]


def run(tmp_path: Path, behaviour: str, plan: Plan, reports: list[str] | None = None) -> RunResult:
    """Carry out a plan with the stand-in."""
    bundle = tmp_path / "bundle.bin"
    bundle.write_bytes(b"")
    session = Session(Machine(bundle), PORTS, program=(sys.executable, str(FAKE), behaviour))
    return BatchRun(session, plan, (reports if reports is not None else []).append).run()


def test_a_run_reports_all_that_the_tenants_did(tmp_path: Path) -> None:
    reports: list[str] = []
    sends = [Send("linux", "echo one"), Send("linux", "echo two")]
    result = run(tmp_path, "normal", Plan(sends, seconds=0.5), reports)
    assert result.ok, result.problems()
    data = json.loads(json.dumps(result.as_dict()))
    assert data["ok"] is True
    assert set(data["tenants"]) == {"linux", "rtos"}
    linux, rtos = data["tenants"]["linux"], data["tenants"]["rtos"]
    assert [each["output"] for each in linux["commands"]] == ["one\n", "two\n"]
    assert linux["ready"] and linux["app"] is None and "two\n" in linux["output"]
    assert (linux["state"], linux["cpu_ns"], linux["switches"]) == ("running", 10, 3)
    assert (rtos["state"], rtos["interrupts"], rtos["faults"]) == ("dormant", 9, 1)
    assert rtos["app"] == {
        "samples": 5, "min_us": 1.0, "avg_us": 2.5, "max_us": 4.0, "missed": 0
    }  # fmt: skip
    assert data["time_ns"] >= 500_000_000
    assert "linux: echo one" in reports


def test_failed_command_makes_the_run_fail(tmp_path: Path) -> None:
    result = run(tmp_path, "normal", Plan([Send("linux", "exit 7")]))
    assert result.problems() == ["tenant linux: command 'exit 7' ended with exit code 7"]


def test_shut_down_by_command_is_no_failure(tmp_path: Path) -> None:
    result = run(tmp_path, "normal", Plan([Send("linux", "poweroff -f")]))
    assert result.ok, result.problems()
    assert result.tenants["linux"].stats.state == "stopped"
    assert result.tenants["linux"].commands[0].exit_code is None


@pytest.mark.parametrize("keep_going", [False, True])
def test_crash_makes_the_run_fail(tmp_path: Path, keep_going: bool) -> None:
    result = run(tmp_path, "crash", Plan(seconds=0.5, keep_going=keep_going))
    assert not result.ok
    assert (
        "tenant linux: never became ready (state crashed): load access fault at 0x0, address 0x8"
        in result.problems()
    )
    assert result.as_dict()["tenants"]["linux"]["crash"]["what"] == "load access fault"
    assert result.as_dict()["tenants"]["rtos"]["crash"] is None
    assert (result.time_ns > 500_000_000) == keep_going


def test_a_shutdown_with_failure_is_told_with_its_time(tmp_path: Path) -> None:
    result = run(tmp_path, "fail", Plan())
    assert result.problems() == [
        "tenant linux: failed: it shut down and said so, after 0.000 s of its time"
    ]
    assert result.time_ns == 400_000_000


def test_the_end_of_a_tenant_that_does_not_tell_when_it_is_ready(tmp_path: Path) -> None:
    reports: list[str] = []
    result = run(tmp_path, "ends", Plan(to_the_end=True), reports)
    assert result.ok and result.tenants["rtos"].output.endswith("PASS\n")
    assert reports[-1].startswith("waiting for rtos to end")
    result = run(tmp_path, "normal", Plan(to_the_end=True, timeout=1.0))
    assert "tenant rtos did not end within" in result.problems()[0]


def test_a_tenant_that_is_done_before_it_is_seen_to_run(tmp_path: Path) -> None:
    result = run(tmp_path, "brief", Plan(to_the_end=True))
    assert result.ok, result.problems()
    assert result.tenants["rtos"].ready


def test_a_tenant_that_is_being_restarted_has_run(tmp_path: Path) -> None:
    result = run(tmp_path, "storm", Plan())
    assert result.ok, result.problems()


def test_death_of_the_machine_makes_the_run_fail(tmp_path: Path) -> None:
    result = run(tmp_path, "die", Plan(seconds=0.5))
    assert "no memory" in result.problems()[0]


def test_unknown_tenant_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no tenant bsd: this system has linux, rtos"):
        run(tmp_path, "normal", Plan([Send("bsd", "ls")]))
