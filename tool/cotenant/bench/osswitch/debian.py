# SPDX-License-Identifier: BSD-2-Clause
"""From one whole Debian with systemd to another one, by `systemctl suspend`.

A program in each tells when the suspend was asked for, when it ran last and when it ran again, by
the machine's `time`. What a user perceives is the pause between two such programs: from the last
moment of the one to the first of the other.
"""

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from cotenant import images, paths
from cotenant.bench.osswitch.kernel_log import parts_of
from cotenant.bench.row import Row, row
from cotenant.bench.systems import running, system, tenant
from cotenant.errors import BenchError
from cotenant.images.programs import compile_program
from cotenant.run.session import Session

_SOURCE = paths.ROOT / "linux" / "osswitch" / "timed.c"
_SECTOR = 512
_TICKS_PER_MS = 10_000
_SWITCHES = 4
# What the prototype took, the middle of 1.4 to 1.6 s, of which a user saw 0.26 to 0.40 s: by the
# host's clock.
_PROTOTYPE_MS = 1500
_PROTOTYPE_PERCEIVED_MS = 330
# A shell may have sent control characters in front of it.
_TIMED = re.compile(r"timed: asked=(\d+) last=(\d+) first=(\d+)\n")
_SET_UP = (
    "systemctl is-system-running --wait; cat /dev/vdb >/root/timed; chmod +x /root/timed; "
    "dmesg -n 1; echo 1 >/sys/power/pm_debug_messages"
)


@dataclass(frozen=True)
class Moments:
    """What a program told of a suspend, in ticks."""

    asked: int
    last: int
    first: int


@dataclass(frozen=True)
class Measured:
    """Milliseconds, all medians; `parts` as the kernels' logs have them."""

    whole: float
    perceived: float
    parts: dict[str, float]

    @property
    def systemd(self) -> float:
        """What is none of the kernel's: before and after."""
        kernel = ("freeze tasks", "suspend devices", "resume devices", "thaw tasks")
        return self.whole - sum(self.parts[name] for name in kernel)


def run(quick: bool) -> list[Row]:
    """Measure; `quick` is no less."""
    del quick
    measured = measure()
    return [
        row("the whole way", "ms", measured.whole, _PROTOTYPE_MS),
        row("perceived", "ms", measured.perceived, _PROTOTYPE_PERCEIVED_MS),
        row("systemd, before and after", "ms", measured.systemd),
        *(row(part, "ms", value) for part, value in measured.parts.items()),
    ]


def measure() -> Measured:
    """Let two Debian switch to each other; takes some minutes."""
    images.resolve("debian-disk")
    with tempfile.TemporaryDirectory(prefix="cotenant-bench.") as folder:
        program = Path(folder) / "program.img"
        content = compile_program([_SOURCE])
        program.write_bytes(content.ljust(-(-len(content) // _SECTOR) * _SECTOR, b"\0"))
        with running(_description(program), sstc=True) as session:
            return _switch(session)


def _description(program: Path) -> str:
    devices = "\n".join(
        [
            "[qemu.devices]",
            'virtio0 = { disk = "debian-disk" }',
            'virtio1 = { network = "user" }',
            'virtio2 = "virtio-rng-device"',
            'virtio3 = { disk = "debian-disk" }',
            f'virtio4 = {{ disk = "{program}" }}',
            "",
            "[group.desk]",
            'members = ["one", "two"]',
            'devices = ["rtc", "virtio1", "virtio2", "virtio4"]',
            'patience = "60s"',
            "",
        ]
    )
    members = (
        tenant(
            name,
            priority=1,
            memory="512M",
            image="debian-disk-kernel",
            initrd="debian-disk-initrd",
            arguments="root=/dev/vda2 console=ttyS0",
            ready="login:",
            login="root",
            devices=[disk],
        )
        for name, disk in (("one", "virtio0"), ("two", "virtio3"))
    )
    return system(devices, *members)


def _switch(session: Session) -> Measured:
    session.wait_ready("one")
    session.command("one", _SET_UP)
    session.control("switch two")
    session.wait_ready("two")
    session.command("two", _SET_UP)
    active, other = "two", "one"
    for number in range(_SWITCHES + 1):
        session.send(active, b"/root/timed systemctl suspend\n")
        if number == 0:
            session.expect_monitor(f"tenant {other}: resumed")
        else:
            session.expect(other, _TIMED.pattern)
        session.command(other, "sleep 3")
        active, other = other, active
    logs = [session.command(active, "dmesg")[1]]
    told = {name: moments(session.output(name)) for name in ("one", "two")}
    ways = between(told["one"], told["two"]) + between(told["two"], told["one"])
    if len(ways) < _SWITCHES - 1:
        raise BenchError(f"only {len(ways)} switches were seen: {session.output(active)[-400:]!r}")
    return Measured(
        median(whole for whole, _ in ways),
        median(perceived for _, perceived in ways),
        parts_of("".join(logs)),
    )


def moments(output: str) -> list[Moments]:
    """Return what the programs told, in their order."""
    return [Moments(*map(int, found)) for found in _TIMED.findall(output.replace("\r", ""))]


def between(left: Sequence[Moments], entered: Sequence[Moments]) -> list[tuple[float, float]]:
    """Return the whole and the perceived time of each switch from one system to the other, ms."""
    found = []
    for back in entered:
        before = [each for each in left if each.asked < back.first]
        if before and before[-1].asked > back.last:
            gone = before[-1]
            found.append(
                (
                    (back.first - gone.asked) / _TICKS_PER_MS,
                    (back.first - gone.last) / _TICKS_PER_MS,
                )
            )
    return found
