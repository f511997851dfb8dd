# SPDX-License-Identifier: BSD-2-Clause
"""SPUMONE's and Gandalf's figures of an RTOS: how late a task of 1 ms runs, and how regularly.

The same FreeRTOS as that of the latency benchmark, alone and above a Linux with the papers' loads:
nothing to do, computing, writing a disk with `sync`, receiving from a network. At last, Linux is
held with its interrupts off: a panic of the stock kernel waits like that for its reboot.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from cotenant.bench import latency, samples
from cotenant.bench.latency import ALONE, ICOUNT, RTOS, Latencies, Run, rtos
from cotenant.bench.loads import LINUX, Load, Program
from cotenant.bench.row import Row, row
from cotenant.bench.systems import linux, running, system
from cotenant.errors import BenchError
from cotenant.run.session import Session

SAMPLES = 100_000
SAMPLES_QUICK = 2_000
INTERVALS = 1_000
TASK = "task"
_JITTER = "jitter"
_POINTS = {"handler": "interrupt handler", TASK: "task"}
_INTERVAL = re.compile(r"^bench: interval (\d+)$", re.MULTILINE)
# The stock kernel waits so many seconds for its reboot: longer than any run.
_PANIC = "echo 1000000 >/proc/sys/kernel/panic; echo c >/proc/sysrq-trigger\n"
_PROCESS = "/tmp/load"
_HELD = "Rebooting in 1000000 seconds"

_DEVICES = """[qemu.devices]
virtio0 = "virtio-blk-device,drive=disk"
virtio1 = "virtio-net-device,netdev=net"
"""
# The disk takes everything at once and keeps nothing; the other end of the network is in QEMU.
_QEMU_ARGUMENTS = (
    *("-drive", "if=none,id=disk,driver=null-co,size=64M"),
    *("-netdev", "user,id=net,guestfwd=tcp:10.0.2.100:7-cmd:cat /dev/zero"),
)


@dataclass(frozen=True)
class Wakeups:
    """What FreeRTOS told of one load."""

    late: Run
    jitter: Latencies
    """instructions that it was longer or shorter than 1 ms from one run of the task to the next"""
    intervals: list[int]
    """instructions of the first of these times"""


class Command(Load):
    """Something that a shell does again and again in the background."""

    def __init__(self, name: str, command: str, programs: str) -> None:
        self.name = name
        self._command = command
        self._programs = programs

    def start(self, session: Session) -> None:
        """Start it."""
        work = f"(while :; do {self._command}; done) >/dev/null 2>&1 & echo $! >{_PROCESS}"
        session.command(LINUX, work)

    def stop(self, session: Session) -> None:
        """End the shell, and then what it runs."""
        session.command(LINUX, f"kill -9 $(cat {_PROCESS}); killall {self._programs}; sleep 0.1")


class InterruptsOff(Load):
    """A section of the kernel with interrupts off that does not end."""

    name = "interrupts off"

    def start(self, session: Session) -> None:
        """Let the kernel panic."""
        session.send(LINUX, _PANIC.encode())
        session.expect(LINUX, _HELD)


def loads() -> list[Load]:
    """Return the papers' loads; after the last one there is no Linux any more."""
    return [
        Load(),
        Program("CPU load", "cpuload"),
        Command(
            "disk load with sync", "dd if=/dev/zero of=/dev/vda bs=64k count=32; sync", "dd sync"
        ),
        Command("network load", "sleep 1000 | nc 10.0.2.100 7", "nc sleep"),
        InterruptsOff(),
    ]


def measure(count: int) -> Iterator[tuple[str, Wakeups]]:
    """Measure FreeRTOS alone, and then above a Linux with each load."""
    arguments = f"icount={ICOUNT} intervals={min(INTERVALS, count)}"
    with running(
        system(rtos(f"{arguments} samples={count}")), sstc=False, icount=ICOUNT
    ) as session:
        session.wait_end()
        yield ALONE, parse(session.output(RTOS), ALONE)
    tenant = linux(
        arguments="console=ttyS0 loglevel=4 modules=virtio_mmio,virtio_blk,virtio_net "
        "addresses=eth0=10.0.2.15/24",
        devices=["virtio0", "virtio1"],
    )
    description = system(_DEVICES, tenant, rtos(arguments))
    with running(description, sstc=False, icount=ICOUNT, extra=_QEMU_ARGUMENTS) as session:
        session.wait_ready(LINUX)
        session.expect(RTOS, "^bench: ready$")
        for load in loads():
            load.start(session)
            output = latency.take_output(session, count, load.name, partial(load.go_on, session))
            yield load.name, parse(output, load.name)
            load.stop(session)


def parse(output: str, who: str) -> Wakeups:
    """Return what the application printed. Raises BenchError if it is not all."""
    late = latency.parse(output, who)
    counts: dict[int, int] = {}
    total: tuple[int, int] | None = None
    # The intervals have lines of the same form, which are read below, in their order.
    for name, values in samples.parse(output, who):
        if name == f"{_JITTER}-at" and len(values) == 2:
            counts[values[0]] = values[1]
        elif name == _JITTER and len(values) == 2:
            total = (values[0], values[1])
    intervals = [int(each) for each in _INTERVAL.findall(output)]
    if total is None or sum(counts.values()) != total[0] or not intervals:
        raise BenchError(f"{who}: the intervals are not complete")
    return Wakeups(late, Latencies(counts, total[1]), intervals)


def rows(found: dict[str, Wakeups]) -> list[Row]:
    """Return the figures of each load, and what it adds to FreeRTOS alone."""
    return [row for name, each in found.items() for row in _rows(name, each, found[ALONE])]


def _rows(load: str, found: Wakeups, alone: Wakeups) -> Iterator[Row]:
    for point, label in _POINTS.items():
        ours, quiet = found.late[point].figures(), alone.late[point].figures()
        for name, value in ours.items():
            yield row(f"{label}, {load}: {name}", "instructions", value)
        if load != ALONE:
            for name, figure in (("average", "average"), ("worst", "max")):
                added = round(ours[figure] - quiet[figure], 1)
                yield row(f"{label}, {load}: added to the {name}", "instructions", added)
    for name, value in found.jitter.figures().items():
        yield row(f"jitter, {load}: {name}", "instructions", value)
