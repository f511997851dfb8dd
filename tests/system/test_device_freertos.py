# SPDX-License-Identifier: BSD-2-Clause
"""FreeRTOS has devices of its own, Linux has others, on one hart: every interrupt finds its owner.

FreeRTOS owns the entropy device in slot 7 and the clock, whose interrupts reach it through the
monitor; Linux owns the one in slot 0 and claims its interrupts itself.
"""

import re
from dataclasses import dataclass

import pytest
from systems import LATENCY_READY, VERDICT, Boot, is_long, linux, payload, system, tenant

from cotenant import board_reader
from cotenant.errors import Mistakes
from cotenant.run.results import parse_latency
from cotenant.run.session import Session

BOARD = board_reader.load("qemu-virt", Mistakes("test"))
assert BOARD is not None
SLOT = BOARD.devices["virtio7"]
CLOCK = BOARD.devices["rtc"]
LINUX_SLOT = BOARD.devices["virtio0"]
PLIC = BOARD.plic.range.base

PLUGGED = """[qemu.devices]
virtio0 = "virtio-rng-device"
virtio7 = "virtio-rng-device"
"""
DEVICES = ["rtc", "virtio7"]
DEVICE_LINE = re.compile(
    r"^device: requests=(\d+) interrupts=(\d+) bytes=(\d+) errors=(\d+) lost=(\d+) spurious=(\d+)\n"
    r"alarm: samples=(\d+) min=[\d.]+us avg=[\d.]+us max=([\d.]+)us missed=(\d+)\n",
    re.MULTILINE,
)
# What an entropy request of 64 bytes costs Linux in interrupts: one.
READS = 200
REBOOTS = 2 if is_long() else 1


@dataclass(frozen=True)
class Report:
    """The application's last lines, cumulative since its start."""

    requests: int
    interrupts: int
    bytes: int
    errors: int
    lost: int
    spurious: int
    alarms: int
    alarm_max_us: float
    alarms_missed: int


def freertos_with_devices(arguments: str = "report=500ms", trusted: bool = False) -> str:
    return tenant(
        "freertos",
        {
            "priority": 10,
            "trusted": trusted,
            "memory": "4M",
            "image": "freertos-device",
            "arguments": arguments,
            "devices": DEVICES,
            "ready": LATENCY_READY,
        },
    )


def linux_with_device(sstc: bool = True, trusted: bool = False) -> str:
    table = linux(
        devices=["virtio[0-6]"],
        trusted=trusted,
        arguments="console=ttyS0 loglevel=4 modules=virtio_mmio,virtio_rng",
    )
    return system(PLUGGED, table, freertos_with_devices(trusted=trusted), sstc=sstc)


def report_of(session: Session) -> Report:
    found = DEVICE_LINE.findall(session.output("freertos"))
    assert found, session.output("freertos")
    last = found[-1]
    requests, interrupts, size, errors, lost, spurious, alarms = map(int, last[:7])
    return Report(
        requests, interrupts, size, errors, lost, spurious, alarms, float(last[7]), int(last[8])
    )


def interrupts_of_linux(session: Session) -> int:
    """Return how many interrupts of its entropy device Linux has had."""
    exit_code, line = session.command("linux", "grep virtio0 /proc/interrupts")
    assert exit_code == 0, line
    assert f"PLIC {LINUX_SLOT.interrupts[0]:3}" in line
    return int(line.split()[1])


def read_entropy(session: Session, count: int = READS) -> None:
    command = f"dd if=/dev/hwrng of=/dev/null bs=64 count={count} 2>&1"
    exit_code, output = session.command("linux", command)
    assert exit_code == 0 and f"{count}+0 records in" in output, output


def nothing_lost(session: Session, before: Report) -> Report:
    """Check that FreeRTOS went on since `before`, each request with its one interrupt."""
    session.run_for(1.5)
    now = report_of(session)
    assert now.requests > before.requests
    assert now.requests == now.interrupts
    assert now.bytes == 64 * now.requests
    assert (now.errors, now.lost, now.spurious) == (0, 0, 0)
    assert now.alarms >= before.alarms + 100
    assert now.alarms_missed == 0
    latency = parse_latency(session.output("freertos"))
    assert latency is not None and latency.missed == 0
    return now


@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
def test_interrupts_of_both_arrive(boot: Boot, sstc: bool) -> None:
    session = boot(linux_with_device(sstc), icount=4)
    session.wait_ready("freertos")
    session.wait_ready("linux")
    assert "entropy (modern) clock" in session.output("freertos")
    before, linux_before = report_of(session), interrupts_of_linux(session)
    read_entropy(session)
    now = nothing_lost(session, before)
    assert interrupts_of_linux(session) >= linux_before + READS
    # Linux was computing all the time that the alarms were not.
    assert now.alarm_max_us < 200
    assert session.stats().tenants["freertos"].faults == 0


@pytest.mark.parametrize("transport", ["modern", "legacy"])
def test_trusted_tenants_reach_their_devices_themselves(boot: Boot, transport: str) -> None:
    plugged = f'[qemu]\nvirtio = "{transport}"\n{PLUGGED}'
    session = boot(linux_with_device(trusted=True).replace(PLUGGED, plugged), icount=4)
    session.wait_ready("freertos")
    session.wait_ready("linux")
    assert f"entropy ({transport}) clock" in session.output("freertos")
    read_entropy(session)
    nothing_lost(session, report_of(session))


def physical_read(session: Session, address: int) -> int | None:
    """Let Linux's root read a physical word; None: a fault."""
    exit_code, output = session.command("linux", f"memtouch {address:#x} r")
    value = re.search(r"result=value=(0x[0-9a-f]+)", output)
    assert (exit_code == 0) == (value is not None), output
    return int(value[1], 16) if value else None


def test_linux_sees_nothing_of_the_devices_of_freertos(boot: Boot) -> None:
    """Everything here would be seen on bare hardware: the sources are enabled, busy, pending."""
    session = boot(linux_with_device(), icount=4)
    session.wait_ready("freertos")
    session.wait_ready("linux")
    before = report_of(session)
    foreign = [*SLOT.interrupts, *CLOCK.interrupts]
    mask = sum(1 << source for source in foreign)
    for source in foreign:
        assert physical_read(session, PLIC + 4 * source) == 0, "its priority"
        session.command("linux", f"memtouch {PLIC + 4 * source:#x} w")
        assert physical_read(session, PLIC + 4 * source) == 0, "its priority, written"
    assert physical_read(session, PLIC + 4 * LINUX_SLOT.interrupts[0]) == 1, "its own"
    # The claim register and its own enable words are left to hostile-plic: Linux uses them.
    session.command("linux", f"memtouch {PLIC + 0x2000:#x} w")
    for offset in (0x2000, 0x2080):
        enabled = physical_read(session, PLIC + offset)
        assert enabled is not None and enabled & mask == 0, "enabled"
    for _ in range(20):
        pending = physical_read(session, PLIC + 0x1000)
        assert pending is not None and pending & mask == 0, "pending"
    for device in (SLOT, CLOCK):
        assert physical_read(session, device.range.base) is None, device.name
    nothing_lost(session, before)


def test_a_hostile_neighbour_of_lower_priority_claims_nothing(boot: Boot) -> None:
    hostile = payload("hostile-plic", priority=1, devices=["virtio0"], arguments="own=1,10")
    session = boot(system(PLUGGED, hostile, freertos_with_devices()), icount=4)
    session.wait_ready("freertos")
    assert session.expect("hostile-plic", VERDICT)[1] == "PASS hostile-plic"
    nothing_lost(session, report_of(session))


@pytest.mark.long_form
@pytest.mark.parametrize("sstc", [True, False] if is_long() else [True])
def test_a_hostile_neighbour_of_higher_priority_claims_nothing(boot: Boot, sstc: bool) -> None:
    """The one whose sources come through the machine context attacks: Linux loses nothing."""
    own = ",".join(map(str, [*SLOT.interrupts, *CLOCK.interrupts]))
    hostile = payload(
        "hostile-plic",
        priority=10,
        budget="300us/1ms",
        devices=DEVICES,
        arguments=f"own={own},10 rounds=4000000",
    )
    table = linux(
        devices=["virtio[0-6]"],
        arguments="console=ttyS0 loglevel=4 modules=virtio_mmio,virtio_rng",
    )
    session = boot(system(PLUGGED, table, hostile, sstc=sstc), icount=4)
    session.wait_ready("linux")
    before = interrupts_of_linux(session)
    read_entropy(session)
    assert interrupts_of_linux(session) >= before + READS
    assert "FAIL" not in session.output("hostile-plic")
    assert session.stats().tenants["hostile-plic"].state == "running", "it was busy all the time"


@pytest.mark.long_form
@pytest.mark.parametrize("sstc", [True, False] if is_long() else [True])
def test_linux_that_reboots_does_not_disturb_it(boot: Boot, sstc: bool) -> None:
    session = boot(linux_with_device(sstc), icount=4)
    session.wait_ready("freertos")
    session.wait_ready("linux")
    for _ in range(REBOOTS):
        before = report_of(session)
        session.command("linux", "dd if=/dev/hwrng of=/dev/null bs=64 >/dev/null 2>&1 &")
        session.expect("linux", "# ")
        session.send("linux", b"reboot -f\n")
        session.expect("linux", "^cotenant: ready$")
        nothing_lost(session, before)
        read_entropy(session)
        assert interrupts_of_linux(session) >= READS
    assert session.monitor_log.count("tenant linux: reboot") == REBOOTS
