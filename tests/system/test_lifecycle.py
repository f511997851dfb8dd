# SPDX-License-Identifier: BSD-2-Clause
"""The end or restart of one tenant is nothing to the other."""

import pytest
from systems import LINUX_READY, Boot, freertos, linux, payload, system

from cotenant.run.results import parse_latency
from cotenant.run.session import Session


def rtos_goes_on(session: Session, seconds: float = 2) -> None:
    """Check that the RTOS runs on, with nothing missed since its start."""
    before = parse_latency(session.output("freertos"))
    session.run_for(seconds)
    after = parse_latency(session.output("freertos"))
    assert before and after
    assert after.samples - before.samples > 500 * seconds
    assert after.missed == 0


def test_linux_shuts_down_and_the_rtos_goes_on(boot: Boot) -> None:
    session = boot(system(linux(), freertos()), icount=4)
    session.wait_ready("linux")
    assert session.run_command("linux", "poweroff -f").exit_code is None
    session.expect_monitor("^monitor: tenant linux: shutdown$")
    assert session.stats().tenants["linux"].state == "stopped"
    rtos_goes_on(session)


def test_linux_reboots_and_comes_up_again_beside_the_rtos(boot: Boot) -> None:
    session = boot(system(linux(), freertos()), icount=4)
    session.wait_ready("linux")
    assert session.command("linux", "echo kept >/tmp/file")[0] == 0
    for _ in range(2):
        session.expect("linux", "# ")
        session.send("linux", b"reboot -f\n")
        session.expect("linux", LINUX_READY)
        assert session.command("linux", "cat /tmp/file")[0] != 0
    assert session.monitor_log.count("tenant linux: reboot") == 2
    assert session.stats().tenants["linux"].state == "running"
    rtos_goes_on(session)


def test_rtos_shuts_down_and_linux_goes_on(boot: Boot) -> None:
    session = boot(system(linux(), freertos(arguments="report=500ms stop-after=3000")), icount=4)
    session.wait_ready("linux")
    session.expect_monitor("^monitor: tenant freertos: shutdown$")
    assert "samples=3000 " in session.output("freertos")
    switches = session.stats().tenants["freertos"].switches
    assert session.command("linux", "ticks 100")[0] == 0
    freertos_stats = session.stats().tenants["freertos"]
    assert (freertos_stats.state, freertos_stats.switches) == ("stopped", switches)


@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
def test_a_payload_that_reboots_starts_from_clean_memory(boot: Boot, sstc: bool) -> None:
    session = boot(system(payload("reboot"), freertos(), sstc=sstc), icount=4)
    session.wait_ready("freertos")
    for _ in range(10):
        session.expect("reboot", "^booted$")
    assert session.monitor_log.count("monitor: tenant reboot: reboot") >= 9
    assert "FAIL" not in session.output("reboot")
    rtos_goes_on(session)


def test_the_machine_is_powered_off_when_every_tenant_has_shut_down(boot: Boot) -> None:
    session = boot(system(payload("hello", name="a"), payload("hello", name="b")))
    assert session.wait_end() == 0
    assert "PASS hello" in session.output("a")
    assert "PASS hello" in session.output("b")


def test_quit_powers_the_machine_off(boot: Boot) -> None:
    session = boot(system(freertos()))
    session.wait_ready("freertos")
    assert session.quit() == 0
