# SPDX-License-Identifier: BSD-2-Clause
"""A board with 8 PMP entries, and systems that fit only because their entries overlap."""

from pathlib import Path

import pytest
from systems import Boot, Build, freertos, hostile_memory_is_refused, linux, payload, system

from cotenant import board_reader, paths
from cotenant.board import Board
from cotenant.errors import Mistakes
from cotenant.plan import System
from cotenant.pmp.encode import encode
from cotenant.pmp.segments import segments_of
from cotenant.run.results import parse_latency

VIRTIO = [f"virtio{number}" for number in range(8)]


@pytest.fixture(autouse=True)
def eight_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the QEMU board for one whose harts have 8 entries; the monitor uses no more then."""
    text = (paths.BOARDS / "qemu-virt.toml").read_text()
    (tmp_path / "qemu-virt.toml").write_text(text.replace("entries = 16", "entries = 8"))

    def load(name: str, mistakes: Mistakes, beside: Path | None = None) -> Board | None:
        return board_reader.load(name, mistakes, tmp_path)

    monkeypatch.setattr("cotenant.system.load_board", load)


def without_overlaps(planned: System) -> int:
    """Return how many entries hart 0 would need if all of them only allowed."""
    return len(encode(segments_of([vhart.access for _, vhart in planned.sharing(0)])))


def test_linux_and_freertos_share_eight_entries(build: Build, boot: Boot) -> None:
    launch = build(
        system(
            linux(memory="252M", devices=["rtc", *VIRTIO[:3], *VIRTIO[4:]], trusted=True),
            freertos(devices=["virtio3"], trusted=True),
        )
    )
    planned = launch.built.system
    assert without_overlaps(planned) == 10
    assert (planned.pmp[0].used, planned.pmp[0].shared) == (8, True)
    session = boot(launch, icount=4)
    session.wait_ready("linux")
    session.wait_ready("freertos")
    stats = session.run_for(2)
    assert [stats.tenants[name].faults for name in ("linux", "freertos")] == [0, 0]
    latency = parse_latency(session.output("freertos"))
    assert latency is not None and latency.missed == 0


def test_the_hole_is_out_of_reach(build: Build, boot: Boot) -> None:
    """A tenant tries what lies within its own largest entry and is its neighbour's."""

    def describe(arguments: str) -> str:
        hostile = payload("hostile-memory", memory="28M", priority=5, arguments=arguments)
        return system(hostile, payload("spin", priority=1), freertos())

    planned = build(describe("")).built.system
    hostile, neighbour = planned.tenants[0].memory, planned.tenants[1].memory
    block = hostile.base & -(32 << 20)
    assert block <= neighbour.base < block + (32 << 20)
    assert planned.pmp[0].used < without_overlaps(planned)
    places = [neighbour.base, neighbour.base + neighbour.size // 2, neighbour.end - 8]
    session = boot(describe("touch=" + ",".join(map(hex, places))), icount=3)
    hostile_memory_is_refused(session, len(places))
