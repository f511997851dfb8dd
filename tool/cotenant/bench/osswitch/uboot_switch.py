# SPDX-License-Identifier: BSD-2-Clause
"""OS switching between Linux and U-Boot, each way.

U-Boot cannot suspend and tells no time: it boots at each of its turns, and powers itself off. When
it wrote its first byte and powered itself off is in the monitor's trace; when Linux asked for the
suspend and was back, its suspendcheck says in the machine's time. What lies between both depends on
who types, and does not count.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from cotenant.bench.row import Row, row
from cotenant.bench.systems import TIMEOUT, built, linux, system, tenant
from cotenant.errors import BenchError
from cotenant.run import memory, qmp
from cotenant.run.session import Session
from cotenant.trace import ring, timeline
from cotenant.trace.system import read_bundle
from cotenant.trace.timeline import HartTimeline, Track

_UBOOT = "u-boot"
# At its first turn its memory need not be wiped: the others are as all that follow.
_ROUNDS = 4
_RING_BYTES = 1 << 22
_NS_PER_TICK = 100
_GROUP = f'[group.desk]\nmembers = ["linux", "{_UBOOT}"]\ndevices = ["rtc"]\n'
_LINUX = re.compile(r"^suspendcheck: round=\d+ \S+ began=(\d+) ended=(\d+)$", re.MULTILINE)
_BYTE = "store UART+0x0"
_OFF = "SRST system_reset"


def rows() -> list[Row]:
    """Measure, and return both ways."""
    there, back = measure()
    return [
        row("switch, Linux to U-Boot's first byte of output", "ms", there),
        row("switch, U-Boot's power-off to Linux", "ms", back),
    ]


def measure() -> tuple[float, float]:
    """Return the medians of both ways, in ms."""
    description = system(
        _GROUP,
        linux(arguments="console=ttyS0 loglevel=4 modules=virtio_mmio"),
        tenant(_UBOOT, priority=1, memory="64M", image="u-boot", start="manual"),
    )
    with (
        TemporaryDirectory(prefix="cotenant-bench.") as folder,
        built(description, sstc=True, trace_ring=_RING_BYTES) as launch,
    ):
        traced = read_bundle(launch.built.bundle)
        socket = Path(folder) / "qmp"
        machine = launch.machine(0, qmp.arguments(socket))
        with Session(machine, launch.ports, timeout=TIMEOUT) as session:
            session.wait_ready("linux")
            for turn in range(_ROUNDS):
                _switch(session, turn)
            said = session.output("linux")
            area = launch.built.system.trace
            rings = memory.read(socket, area.base, area.size)
    return ways(said, timeline.build(ring.decode(rings, traced), traced)[0])


def _switch(session: Session, turn: int) -> None:
    session.control(f"switch {_UBOOT}")
    session.send("linux", f"suspendcheck 1; echo over $((40 + {turn}))\n".encode())
    session.expect(_UBOOT, "Hit any key")
    session.send(_UBOOT, b"\n")
    session.expect(_UBOOT, "^=> ")
    session.send(_UBOOT, b"poweroff\n")
    session.expect("linux", f"^over {40 + turn}$")


def ways(linux_said: str, hart: HartTimeline) -> tuple[float, float]:
    """Return how long it took from Linux to U-Boot, and back, in ms; medians but for the first.

    Raises BenchError if not all switches were seen.
    """
    suspends = [
        (int(began) * _NS_PER_TICK, int(ended) * _NS_PER_TICK)
        for began, ended in _LINUX.findall(linux_said)
    ]
    found = [
        (first - began, ended - off)
        for began, ended in suspends[1:]
        for first in _within(hart, Track.DEVICES, _BYTE, began, ended)[:1]
        for off in _within(hart, Track.CALLS, _OFF, began, ended)[-1:]
    ]
    if not found or len(found) != len(suspends) - 1:
        raise BenchError(f"not all switches were seen: {linux_said[-300:]!r}")
    there, back = zip(*found, strict=True)
    return median(there) / 1e6, median(back) / 1e6


def _within(hart: HartTimeline, track: Track, name: str, began: int, ended: int) -> Sequence[int]:
    """Return when U-Boot did something in one of its turns."""
    return [
        event.start
        for event in hart.tracks[track]
        if event.name == name
        and event.details.get("tenant") == _UBOOT
        and began < event.start < ended
    ]
