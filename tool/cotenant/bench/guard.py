# SPDX-License-Identifier: BSD-2-Clause
"""What guarding costs a Linux at its disk and its network: beside the same tenant, trusted.

Instructions at one a nanosecond, without those in which the kernel was idle, as it counts them
itself. Each work is done with few and with many rounds: the difference is theirs alone, without the
start of the programs. How long a device takes is the host's affair; when the hart waits for it, the
clock may leap to timers that would not be due yet, which only ever adds to the work. So the least
of several runs counts.

The disk answers at once, from nowhere; the network is QEMU's user network, its other end in QEMU.
"""

import re
from dataclasses import dataclass

from cotenant.bench.row import Row, row
from cotenant.bench.systems import linux, running, system
from cotenant.errors import BenchError
from cotenant.run.session import Session

_SEGMENT = 1460
_RUNS = 5
_RUNS_QUICK = 2
# Work that the kernel does by itself in its first moments is not to be measured.
_REST = "sleep 3"
_MOMENT = re.compile(r"^now at (\d+) nsecs", re.MULTILINE)
_IDLE = re.compile(r"^ *\.(?:idle|iowait)_sleeptime *: *(\d+) nsecs", re.MULTILINE)


@dataclass(frozen=True)
class Work:
    """A command that does something `{count}` times, which is `{size}` bytes of TCP."""

    name: str
    command: str
    few: int
    many: int

    def typed(self, count: int) -> str:
        """Return what to type: the command, with the kernel's times before and after."""
        command = self.command.format(count=count, size=count * _SEGMENT)
        return (
            f"rm -f /tmp/got; cat /proc/timer_list >/tmp/before; {command}; status=$?; "
            "cat /proc/timer_list >/tmp/after; "
            "grep -hE '^now at|_sleeptime' /tmp/before /tmp/after; [ $status = 0 ]"
        )


_READ = "dd if=/dev/vda of=/dev/null iflag=direct bs={size} count={{count}} 2>/tmp/got"
_WORKS = (
    Work("disk, a read of 4 KiB", _READ.format(size="4k"), 100, 600),
    Work("disk, a read of 128 KiB", _READ.format(size="128k"), 100, 350),
    Work(
        "network, a ping and its answer",
        "ping -q -c {count} -i 0.002 10.0.2.2 >/tmp/got && grep -q ' 0% packet loss' /tmp/got",
        50,
        200,
    ),
    # The port tells how many segments to send.
    Work(
        "network, a segment of TCP received",
        "sleep 0.01 | nc 10.0.2.100 {count} >/tmp/got && [ $(stat -c %s /tmp/got) = {size} ]",
        500,
        1500,
    ),
)

_QEMU_DEVICES = """[qemu]
virtio = "modern"
[qemu.devices]
virtio0 = "virtio-blk-device,drive=disk"
virtio1 = "virtio-net-device,netdev=net"
"""
_SENDERS = ",".join(
    f"guestfwd=tcp:10.0.2.100:{count}-cmd:head -c {count * _SEGMENT} /dev/zero"
    for count in (_WORKS[-1].few, _WORKS[-1].many)
)
_QEMU_ARGUMENTS = (
    *("-drive", "if=none,id=disk,driver=null-co,read-zeroes=on,size=1G"),
    *("-netdev", f"user,id=net,{_SENDERS}"),
)


def run(quick: bool) -> list[Row]:
    """Measure with guarded devices and with those of a trusted tenant; `quick` takes fewer runs."""
    runs = _RUNS_QUICK if quick else _RUNS
    guarded, trusted = (measure(trusted=trusted, runs=runs) for trusted in (False, True))
    return [row(name, "instructions", guarded[name], trusted[name]) for name in guarded]


def measure(*, trusted: bool, runs: int) -> dict[str, float]:
    """Return the instructions of a round of each work."""
    tenant = linux(
        arguments="console=ttyS0 loglevel=4 modules=virtio_mmio,virtio_blk,virtio_net "
        "addresses=eth0=10.0.2.15/24",
        devices=["virtio0", "virtio1"],
        trusted=trusted,
    )
    with running(system(_QEMU_DEVICES, tenant), sstc=True, extra=_QEMU_ARGUMENTS) as session:
        session.wait_ready("linux")
        session.command("linux", _REST)
        return {work.name: _round(session, work, runs) for work in _WORKS}


def _round(session: Session, work: Work, runs: int) -> float:
    """Return what a round takes, after a warm-up with a few."""

    def least(count: int) -> int:
        return min(_busy(session, work, count) for _ in range(runs))

    _busy(session, work, work.few)
    return (least(work.many) - least(work.few)) / (work.many - work.few)


def _busy(session: Session, work: Work, count: int) -> int:
    status, said = session.command("linux", work.typed(count))
    if status != 0:
        raise BenchError(f"{work.name}, {count} times, failed: {said[-300:]!r}")
    return busy_ns(said)


def busy_ns(times: str) -> int:
    """Return the time between two extracts of /proc/timer_list in which the hart was not idle.

    Raises BenchError if they are not two, each with the idle time and the one of waiting for disks.
    """
    moments = [int(value) for value in _MOMENT.findall(times)]
    idle = [int(value) for value in _IDLE.findall(times)]
    if len(moments) != 2 or len(idle) != 4:
        raise BenchError(f"/proc/timer_list does not tell how long the hart was idle: {times!r}")
    return moments[1] - moments[0] - (sum(idle[2:]) - sum(idle[:2]))
