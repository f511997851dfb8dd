# SPDX-License-Identifier: BSD-2-Clause
"""Devices of tenants that are not trusted reach nothing but their tenant's memory."""

from pathlib import Path

import pytest
from systems import VERDICT, Boot, Build, freertos, payload, system

from cotenant.plan import System
from cotenant.run import memory, qmp
from cotenant.run.session import Session

PAGE = 4096
SLOTS = """[qemu]
virtio = "modern"
[qemu.devices]
virtio0 = "virtio-rng-device"
virtio1 = {{ disk = "{disk}", keep = true }}
"""
ROUNDS = 300


def describe(disk: Path, arguments: str) -> str:
    hostile = payload(
        "hostile-dma",
        priority=5,
        budget="500us/1ms",
        devices=["virtio0", "virtio1"],
        arguments=f"disk=yes rounds={ROUNDS} {arguments}",
    )
    return system(SLOTS.format(disk=disk), hostile, payload("spin", priority=1), freertos())


def victims(planned: System) -> dict[str, int]:
    """Return pages that stay what they are while nobody else writes there."""
    spin = next(each for each in planned.tenants if each.name == "spin")
    return {
        "the monitor's code": planned.monitor.base,
        "the start of another tenant": spin.memory.base,
        "the end of another tenant": spin.memory.end - PAGE,
    }


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """Return a disk of 64 KiB."""
    file = tmp_path / "disk.img"
    file.write_bytes(bytes(65536))
    return file


@pytest.mark.parametrize("place", [0, 1, 2], ids=["monitor", "start", "end"])
def test_devices_reach_no_foreign_memory(
    build: Build, boot: Boot, disk: Path, tmp_path: Path, place: int
) -> None:
    planned = build(describe(disk, "")).built.system
    name, address = list(victims(planned).items())[place]
    socket = tmp_path / "qmp"
    launch = build(describe(disk, f"touch={address:#x}"))
    session = boot(launch, icount=3, extra=qmp.arguments(socket))
    session.expect("hostile-dma", "^hostile-dma: trying")
    before = memory.read(socket, address, PAGE)
    assert session.expect("hostile-dma", VERDICT)[1] == "PASS hostile-dma", name
    assert memory.read(socket, address, PAGE) == before, name
    assert disk.read_bytes()[:512] == bytes(512)
    went_on(session)


def went_on(session: Session) -> None:
    """Check that the RTOS missed nothing, and that each attempt was counted."""
    session.run_for(0.5)
    stats = session.stats()
    assert stats.tenants["freertos"].faults == 0
    assert stats.tenants["hostile-dma"].faults >= 15
    assert " missed=0" in session.output("freertos").splitlines()[-1]
