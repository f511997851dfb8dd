# SPDX-License-Identifier: BSD-2-Clause
"""Tenants that try every way out get faults and nothing else, while the RTOS goes on."""

import re

import pytest
from systems import (
    VERDICT,
    Boot,
    Build,
    freertos,
    hostile_memory_is_refused,
    linux,
    payload,
    system,
)

from cotenant.plan import System
from cotenant.run.results import parse_latency
from cotenant.run.session import Session

# For hostile-plic: the source of the board's UART is one of the virtual UART, too.
OWN = "own=10"


def foreign_places(planned: System, tenant: str) -> dict[str, int]:
    """Return addresses that are out of a tenant's reach and that nobody emulates for it."""
    board, monitor = planned.board, planned.monitor
    assert board.reset.range is not None
    places = {
        "the monitor's first byte": monitor.base,
        "the middle of the monitor": monitor.base + monitor.size // 2 & ~7,
        "the monitor's last bytes": monitor.end - 8,
        "mtime": board.aclint.mtime,
        "mtimecmp": board.aclint.mtimecmp,
        "msip": board.aclint.msip,
        "the reset device": board.reset.range.base,
    }
    for other in planned.tenants:
        if other.name != tenant:
            places[f"the start of {other.name}"] = other.memory.base
            places[f"the end of {other.name}"] = other.memory.end - 8
    for name, device in board.devices.items():
        if not any(device in other.devices for other in planned.tenants if other.name == tenant):
            places[name] = device.range.base
    return places


def rtos_missed_nothing(session: Session) -> None:
    """Let the RTOS print its figures again and check them."""
    before = parse_latency(session.output("freertos"))
    session.run_for(1.5)
    after = parse_latency(session.output("freertos"))
    assert before and after
    assert after.samples > before.samples
    assert after.missed == 0


@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
def test_memory_of_others_is_out_of_reach(build: Build, boot: Boot, sstc: bool) -> None:
    def describe(arguments: str) -> str:
        hostile = payload("hostile-memory", priority=5, arguments=arguments)
        return system(hostile, payload("spin", priority=1), freertos(), sstc=sstc)

    places = foreign_places(build(describe("")).built.system, "hostile-memory")
    session = boot(describe("touch=" + ",".join(map(hex, places.values()))), icount=3)
    session.wait_ready("freertos")
    hostile_memory_is_refused(session, len(places))
    rtos_missed_nothing(session)


def test_a_tenant_that_can_only_fault_stops_nobody(build: Build, boot: Boot) -> None:
    """Its page tables are in the monitor's memory: each instruction is a fault, and the next."""

    def describe(arguments: str) -> str:
        hostile = payload("hostile-memory", priority=5, arguments=arguments, budget="500us/1ms")
        return system(linux(), hostile, freertos())

    monitor = build(describe("")).built.system.monitor
    session = boot(describe(f"lock={monitor.base:#x}"), icount=4)
    session.expect("hostile-memory", "^hostile-memory: locking itself up$")
    session.wait_ready("linux")
    rtos_missed_nothing(session)
    assert session.command("linux", "echo alive") == (0, "alive\n")
    assert "PASS" not in session.output("hostile-memory")


@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
@pytest.mark.parametrize("name", ["hostile-plic", "hostile-sbi", "hostile-csr"])
def test_other_ways_out_are_closed(boot: Boot, name: str, sstc: bool) -> None:
    session = boot(
        system(payload(name, priority=5, arguments=OWN), freertos(), sstc=sstc), icount=3
    )
    session.wait_ready("freertos")
    assert session.expect(name, VERDICT)[1] == f"PASS {name}"
    rtos_missed_nothing(session)
    assert session.stats().tenants["freertos"].faults == 0


@pytest.mark.parametrize("name", ["hostile-plic", "hostile-sbi", "hostile-csr"])
def test_linux_above_a_hostile_tenant_feels_nothing(boot: Boot, name: str) -> None:
    """The hostile tenant is the lowest: the interrupt controller is passed through to it."""
    hostile = payload(name, priority=1, arguments=OWN)
    session = boot(system(linux(priority=2), hostile, freertos()), icount=4)
    session.wait_ready("linux")
    session.command("linux", "dmesg -c >/dev/null")
    assert session.expect(name, VERDICT)[1] == f"PASS {name}"
    assert session.command("linux", "ticks 100")[0] == 0
    assert session.command("linux", "dmesg") == (0, "")
    rtos_missed_nothing(session)


def test_root_in_linux_gets_faults_and_nothing_else(boot: Boot, build: Build) -> None:
    """Reads and writes; to execute /dev/mem is a fault of the kernel itself, on any machine."""
    launch = build(system(linux(), freertos()))
    places = foreign_places(launch.built.system, "linux")
    session = boot(launch, icount=4)
    session.wait_ready("linux")
    faults = session.stats().tenants["linux"].faults
    attempts = 0
    for place, address in places.items():
        for access in "rw":
            exit_code, output = session.command("linux", f"memtouch {address:#x} {access}")
            assert exit_code == 3, f"{access} of {place}: {output}"
            assert re.search(r"result=SIG(SEGV|BUS)\n", output), f"{access} of {place}"
            attempts += 1
    stats = session.stats()
    assert stats.tenants["linux"].faults >= faults + attempts
    assert stats.tenants["freertos"].faults == 0
    assert session.command("linux", "echo alive") == (0, "alive\n")
    rtos_missed_nothing(session)
