# SPDX-License-Identifier: BSD-2-Clause
"""What a user can ask of a tenant at run time, and that it is nothing to the others."""

import pytest
from systems import LINUX_READY, Boot, freertos, is_long, linux, payload, system

from cotenant.run.results import parse_latency
from cotenant.run.session import Session

RESTARTS = 1000 if is_long() else 200


def refused(session: Session, command: str) -> str:
    """Give a command that the monitor has to refuse; return its answer."""
    result = session.control(command)
    assert result.exit_code == 1
    return result.output


def accepted(session: Session, command: str) -> None:
    """Give a command that the monitor has to take."""
    assert session.control(command).output == "ok"


def test_every_command_from_every_resting_state(boot: Boot) -> None:
    session = boot(system(payload("spin", start="manual"), freertos()), icount=4)
    session.wait_ready("freertos")
    assert session.stats().tenants["spin"].state == "empty"
    for command in ("stop", "restart", "destroy"):
        assert refused(session, f"{command} spin") == "refused, it is empty"
    accepted(session, "load spin")
    session.wait_state("spin", "loaded")
    for command in ("load", "stop", "restart"):
        assert refused(session, f"{command} spin") == "refused, it is loaded"
    accepted(session, "start spin")
    session.wait_state("spin", "running")
    for command in ("load", "start"):
        assert refused(session, f"{command} spin") == "refused, it is running"
    accepted(session, "restart spin")
    session.wait_state("spin", "running")
    accepted(session, "stop spin")
    session.wait_state("spin", "stopped")
    assert refused(session, "stop spin") == "refused, it is stopped"
    accepted(session, "restart spin")
    session.wait_state("spin", "running")
    accepted(session, "destroy spin")
    session.wait_state("spin", "empty")
    accepted(session, "start spin")
    session.wait_state("spin", "running")
    assert refused(session, "start nobody") == "no such tenant"
    assert refused(session, "explode spin") == "unknown command, give help"
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


def test_linux_is_restarted_from_outside(boot: Boot) -> None:
    session = boot(system(linux(), freertos()), icount=4)
    session.wait_ready("linux")
    assert session.command("linux", "echo kept >/tmp/file")[0] == 0
    session.skip_output("linux")
    accepted(session, "restart linux")
    session.expect("linux", LINUX_READY)
    assert session.command("linux", "cat /tmp/file")[0] != 0
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


@pytest.mark.long_form
def test_many_restarts_beside_linux_and_an_rtos(boot: Boot) -> None:
    storm = payload("spin", memory="256K", priority=2, budget="500us/1ms")
    session = boot(system(linux(), storm, freertos()), icount=4)
    session.wait_ready("linux")
    for _ in range(RESTARTS):
        accepted(session, "restart spin")
    assert session.monitor_log.count("tenant spin: commanded to restart") == RESTARTS
    session.wait_state("spin", "running")
    assert session.command("linux", "ticks 100")[0] == 0
    stats = session.stats()
    assert {each.state for each in stats.tenants.values()} == {"running"}
    assert stats.tenants["linux"].faults == 0
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


def test_the_machine_stays_on_for_a_tenant_that_was_stopped(boot: Boot) -> None:
    session = boot(system(freertos()), icount=4)
    session.wait_ready("freertos")
    accepted(session, "stop freertos")
    session.wait_state("freertos", "stopped")
    session.skip_output("freertos")
    accepted(session, "start freertos")
    session.expect("freertos", "^latency: samples=")
    assert session.quit() == 0


def test_restart_on_shutdown_and_on_crash(boot: Boot) -> None:
    ends = {"on-shutdown": "restart", "on-crash": "restart"}
    session = boot(system(payload("hello", **ends), freertos()), icount=4)
    session.wait_ready("freertos")
    for _ in range(20):
        session.expect("hello", "PASS hello")
