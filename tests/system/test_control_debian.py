# SPDX-License-Identifier: BSD-2-Clause
"""cotenantctl in a stock Debian kernel, by the control port of its tenant."""

import json
from typing import Any

from systems import Boot, freertos, linux, mortal, payload, system

from cotenant.run.results import parse_latency
from cotenant.run.session import Session

CONTROL = {
    "initrd": "debian-control-initramfs",
    "arguments": "console=ttyS0 loglevel=4 modules=virtio_mmio",
}
RIGHTS = "control = { see = ['freertos', 'spin'], control = ['spin', 'hello'] }"


def run(session: Session, command: str) -> tuple[int, str]:
    """Run cotenantctl; return its exit code and what it printed."""
    return session.command("linux", f"cotenantctl {command} 2>&1 </dev/null")


def good(session: Session, command: str) -> str:
    """Run it; it has to succeed."""
    exit_code, output = run(session, command)
    assert exit_code == 0, output
    return output


def data(session: Session, command: str) -> Any:  # noqa: ANN401
    """Return what it says in JSON."""
    return json.loads(good(session, f"--json {command}"))


def states(session: Session) -> dict[str, str]:
    """Return the tenants that it may see, and their states."""
    return {each["name"]: each["state"] for each in data(session, "list")["tenants"]}


def rtos_is_well(session: Session) -> None:
    """Check that the RTOS has missed nothing."""
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


def test_every_verb_in_debian(boot: Boot) -> None:
    spin = payload("spin", start="manual", memory="1M", priority=1)
    hanging = mortal("mortal", arguments="end=hang", budget="50us/1ms")
    session = boot(system(linux(**CONTROL, control=True), spin, freertos(), hanging), icount=4)
    for name in ("linux", "freertos"):
        session.wait_ready(name)
    expected = {"linux": "running", "spin": "empty", "freertos": "running", "mortal": "running"}
    assert states(session) == expected
    assert data(session, "version")["tenants"] == 4
    assert "this one" in good(session, "list")
    assert good(session, "start spin") == "start spin: ok\n"
    assert run(session, "start spin") == (1, "cotenantctl: start spin: refused, it is running\n")
    top = data(session, "top -d 0.2")
    linux_hart, spin_hart, rtos_hart, _ = (tenant["vharts"][0] for tenant in top["tenants"])
    assert spin_hart["cpu_percent"] > 30 > 1 > 0 < linux_hart["cpu_percent"]
    assert 0 < rtos_hart["lateness_ns"] < 100_000
    assert "monitor: tenant spin: commanded to start" in good(session, "log")
    assert "latency: samples=" in good(session, "console freertos --history")
    session.expect("mortal", "^alive\n")
    good(session, "watch mortal log 50ms")
    session.expect_monitor("tenant mortal: hangs: no heartbeat for 5")
    assert [each["hangs"] for each in data(session, "list")["tenants"]] == [0, 0, 0, 1]
    good(session, "restart spin")
    good(session, "stop spin")
    assert run(session, "save freertos /tmp/f")[0] == 1
    good(session, "load spin")
    session.wait_state("spin", "loaded")
    assert "1048576 bytes" in good(session, "save spin /tmp/saved")
    good(session, "destroy spin")
    session.wait_state("spin", "empty")
    assert "it is loaded" in good(session, "restore spin /tmp/saved")
    good(session, "start spin")
    session.wait_state("spin", "running")
    assert "nothing is recorded" in run(session, "trace /tmp/trace")[1]
    assert run(session, "switch spin")[0] == 1
    rtos_is_well(session)


def test_rights(boot: Boot) -> None:
    tenants = (linux(**CONTROL), RIGHTS, payload("spin", priority=1), payload("hello"), freertos())
    session = boot(system(*tenants), icount=4)
    session.wait_ready("linux")
    assert set(states(session)) == {"linux", "spin", "hello", "freertos"}
    refusal = "cotenantctl: stop {}: not allowed by the configuration\n"
    for name in ("linux", "freertos"):
        assert run(session, f"stop {name}") == (1, refusal.format(name))
        assert "not allowed" in run(session, f"console {name}")[1]
        assert "not allowed" in run(session, f"console {name} --history")[1]
    good(session, "stop spin")
    assert states(session)["spin"] in ("stopping", "stopped")
    assert states(session)["freertos"] == "running"


def test_a_tenant_without_the_right_has_no_port(boot: Boot) -> None:
    session = boot(system(linux(**CONTROL), freertos()), icount=4)
    session.wait_ready("linux")
    exit_code, output = run(session, "list")
    assert exit_code == 3
    assert "needs the key 'control'" in output


def test_what_a_hostile_program_sends(boot: Boot) -> None:
    """The port takes anything, and goes on to answer those who ask properly."""
    session = boot(system(linux(**CONTROL, control=True), freertos()), icount=4)
    session.wait_ready("linux")
    port = "/dev/virtio-ports/cotenant.control"
    for size in (1, 31, 33, 5000, 300000):
        session.command("linux", f"head -c {size} /dev/urandom >{port}")
        assert set(states(session)) == {"linux", "freertos"}
    write = f"dd if=/dev/zero of={port} bs=64k count=20 2>/dev/null"
    session.command("linux", write)
    assert set(states(session)) == {"linux", "freertos"}
    rtos_is_well(session)
