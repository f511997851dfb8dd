# SPDX-License-Identifier: BSD-2-Clause
"""Talking to a machine: against a stand-in that speaks frames."""

import os
import sys
import time
from pathlib import Path

import pytest

from cotenant.errors import MachineEndedError, RunError, TenantEndedError, WaitTimeoutError
from cotenant.run.qemu import Machine, command_line
from cotenant.run.session import Port, Session

FAKE = Path(__file__).with_name("fake_machine.py")
PORTS = [Port("linux", ready="^cotenant: ready$"), Port("rtos")]


def start(tmp_path: Path, behaviour: str = "normal", timeout: float = 60) -> Session:
    """Make a session with the stand-in."""
    bundle = tmp_path / "bundle.bin"
    bundle.write_bytes(b"")
    program = (sys.executable, str(FAKE), behaviour)
    return Session(
        Machine(bundle), PORTS, log_dir=tmp_path / "logs", timeout=timeout, program=program
    )


@pytest.mark.parametrize("behaviour", ["normal", "cut", "noise"])
def test_both_tenants_become_ready_and_a_command_returns_its_output(
    tmp_path: Path, behaviour: str
) -> None:
    with start(tmp_path, behaviour) as session:
        session.wait_ready("linux")
        session.wait_ready("rtos")
        assert session.command("linux", "echo one; echo two") == (0, "one\ntwo\n")
        assert session.command("linux", "printf 'no newline'; exit 3") == (3, "no newline")
        assert session.command("linux", "echo 'it''s $HOME' # end")[0] == 0
        assert "ünmodified" in session.output("linux")
        assert session.quit() == 0
    assert "monitor: started" in (tmp_path / "logs" / "monitor.log").read_text()
    assert (tmp_path / "logs" / "rtos.log").read_bytes().endswith(b"missed=0\r\n")


def test_a_command_logs_in_where_that_is_asked_for(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.bin"
    bundle.write_bytes(b"")
    ports = [Port("linux", ready="login:", login="someone"), Port("rtos")]
    program = (sys.executable, str(FAKE), "login")
    with Session(Machine(bundle), ports, timeout=60, program=program) as session:
        session.wait_ready("linux")
        assert session.command("linux", "echo one") == (0, "one\n")
        assert session.command("linux", "echo two") == (0, "two\n")
        assert session.output("linux").count("someone\n") == 1


def test_a_prompt_of_its_own(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.bin"
    bundle.write_bytes(b"")
    ports = [Port("linux", ready="^cotenant: ready$", prompt="myrtos> "), Port("rtos")]
    program = (sys.executable, str(FAKE), "prompt")
    with Session(Machine(bundle), ports, timeout=60, program=program) as session:
        session.wait_ready("linux")
        for word in ("one", "two"):
            result = session.run_command("linux", word)
            assert (result.exit_code, result.output) == (None, f"you said {word}\n")
        with pytest.raises(WaitTimeoutError, match="did not finish 'hang'"):
            session.run_command("linux", "hang", 0.5)


def test_an_error_of_a_command_has_nothing_of_how_it_was_typed(tmp_path: Path) -> None:
    with start(tmp_path) as session:
        session.wait_ready("linux")
        with pytest.raises(WaitTimeoutError) as caught:
            session.run_command("linux", "echo some; sleep 5", 0.5)
    assert str(caught.value).startswith(
        "tenant linux did not finish 'echo some; sleep 5' within 0.5 s; it has printed"
    )
    assert "__cote" not in str(caught.value)


def test_open_quote_in_a_command_is_its_own_failure(tmp_path: Path) -> None:
    with start(tmp_path) as session:
        assert session.command("linux", "echo 'open")[0] != 0
        assert session.command("linux", "echo closed") == (0, "closed\n")


def test_stats_and_machine_time(tmp_path: Path) -> None:
    with start(tmp_path) as session:
        first = session.stats()
        assert first.tenants["rtos"].state == "dormant"
        last = session.run_for(0.9)
        assert last.time_ns >= first.time_ns + 900_000_000


def test_a_long_text_is_typed_without_loss_and_the_monitor_answers_meanwhile(
    tmp_path: Path,
) -> None:
    with start(tmp_path, "slow") as session:
        session.send("rtos", bytes(i % 251 for i in range(100_000)))
        early = session.stats().tenants["rtos"].cpu_ns
        assert early < 100_000
        while session.stats().tenants["rtos"].cpu_ns < 100_000:
            time.sleep(0.05)
        assert session.stats().tenants["rtos"].cpu_ns == 100_000


def test_wait_ends_when_the_tenant_crashed(tmp_path: Path) -> None:
    with (
        start(tmp_path, "crash") as session,
        pytest.raises(TenantEndedError, match="crashed: cause=0x5"),
    ):
        session.wait_ready("linux")


def test_wait_ends_when_the_machine_died(tmp_path: Path) -> None:
    with start(tmp_path, "die") as session, pytest.raises(MachineEndedError, match="no memory"):
        session.wait_ready("linux")
    assert "no memory" in (tmp_path / "logs" / "qemu.log").read_text()


def test_command_that_ends_the_tenant(tmp_path: Path) -> None:
    with start(tmp_path) as session:
        assert session.run_command("linux", "poweroff -f").exit_code is None
        with pytest.raises(TenantEndedError, match="shutdown"):
            session.expect("linux", "anything else")


def test_time_limit_is_the_last_resort(tmp_path: Path) -> None:
    with (
        start(tmp_path, "mute", timeout=0.2) as session,
        pytest.raises(WaitTimeoutError, match="told no counters"),
    ):
        session.stats()


@pytest.mark.parametrize("error", [None, KeyError])
def test_no_process_is_left(tmp_path: Path, error: type[Exception] | None) -> None:
    pid = 0
    try:
        with start(tmp_path) as session:
            pid = session.process.pid
            os.kill(pid, 0)
            if error:
                raise error
    except KeyError:
        pass
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_missing_bundle_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"missing\.bin does not exist"):
        Session(Machine(tmp_path / "missing.bin"), PORTS).start()


def test_missing_qemu_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"")
    with pytest.raises(RunError, match="is not installed"):
        Session(Machine(tmp_path / "b"), PORTS, program=("no-such-qemu",)).start()


def test_command_must_fit_a_line(tmp_path: Path) -> None:
    with start(tmp_path) as session:
        with pytest.raises(RunError, match="too long"):
            session.command("linux", "x" * 2000)
        with pytest.raises(RunError, match="line break"):
            session.command("linux", "a\nb")


def test_qemu_gets_the_machine(tmp_path: Path) -> None:
    bundle = tmp_path / "b"
    bundle.write_bytes(b"")
    machine = Machine(bundle, memory_bytes=256 << 20, harts=2, icount=3, extra=("-d", "int"))
    command = " ".join(command_line(machine, ("true",)))
    for part in ("-m 262144K", "-smp 2", f"-bios {bundle}", "shift=3,sleep=off", "-d int"):
        assert part in command
