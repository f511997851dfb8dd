# SPDX-License-Identifier: BSD-2-Clause
"""Boots the Linux that measures itself: on Cotenant, alone or beside FreeRTOS, and on OpenSBI.

All of it under `-icount shift=0` on one hart, without input: each run is the same to the
instruction. A run is only taken when it came to its end.
"""

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from cotenant import images
from cotenant.bench import firmware, samples
from cotenant.bench.linux import tree as linux_tree
from cotenant.bench.systems import TIMEOUT, Value, built, linux, running, system, tenant
from cotenant.errors import BenchError
from cotenant.run.qemu import QemuProcess
from cotenant.run.results import parse_latency

KERNEL = "debian-kernel"
INITRAMFS = "debian-bench-initramfs"
WHOLE = "whole"
NOTHING = "nothing"
"""after `bench=`: no more than the boot is measured"""
_PROGRAMS = ("hackbench_", "stress_")
MEMORY_MIB = 256
# The same addresses in every process; few messages, whose bytes have a measurement of their own;
# no waiting after a panic.
ARGUMENTS = "console=ttyS0 loglevel=4 norandmaps panic=-1"
_ENDS = "^bench: end$|Kernel panic"
_RTOS: dict[str, Value] = {"priority": 10, "memory": "4M", "image": "freertos-latency", "fp": False}


@dataclass(frozen=True)
class Sample:
    """What one of the Linux' measurements took, in instructions for all rounds."""

    rounds: int
    least: int
    median: int
    most: int

    @property
    def each(self) -> float:
        """What a round took in the median."""
        return self.median / self.rounds


Samples = dict[str, Sample]


@dataclass(frozen=True)
class Beside:
    """A run beside FreeRTOS, and what that had."""

    samples: Samples
    rtos_share: float
    """of the hart's time, from the reset on"""


def alone(*, quick: bool, sstc: bool, seed: int = 1) -> Samples:
    """Measure Linux as Cotenant's only tenant.

    Another `seed` gives the kernel's random numbers another start.
    """
    return _alone(_amount(quick), sstc=sstc, seed=seed)


def boots(count: int, *, sstc: bool) -> list[Samples]:
    """Boot Linux as Cotenant's only tenant so many times, each with other random numbers."""
    return [_alone(NOTHING, sstc=sstc, seed=seed) for seed in range(1, count + 1)]


def _alone(amount: str, *, sstc: bool, seed: int) -> Samples:
    with running(system(_linux(amount), seed=seed), sstc=sstc) as session:
        session.wait_ready("linux")
        return parse(session.output("linux"), "Linux on Cotenant")


def beside_rtos(*, quick: bool, sstc: bool, others: tuple[str, ...] = ()) -> Beside:
    """Measure Linux while FreeRTOS, at a higher priority, wakes up a thousand times a second.

    `others` are more of the kind. What is told of the RTOS is that of the first.
    """
    rtoses = [tenant(name, **_RTOS) for name in ("rtos", *others)]
    with running(system(_linux(_amount(quick)), *rtoses), sstc=sstc) as session:
        session.wait_ready("linux")
        stats = session.stats()
        found = parse(session.output("linux"), "Linux beside FreeRTOS")
        for name in ("rtos", *others):
            latency = parse_latency(session.output(name))
            if latency is None or latency.missed > 0:
                raise BenchError(f"FreeRTOS beside Linux did not do its work: {latency}")
        return Beside(found, stats.tenants["rtos"].cpu_ns / stats.time_ns)


def on_firmware(*, quick: bool, sstc: bool, seed: int = 1) -> Samples:
    """Measure Linux on OpenSBI, on the hart and with the devices of the tenant."""
    arguments = f"{ARGUMENTS} bench={_amount(quick)}"
    kernel, initramfs = (str(images.resolve(name)) for name in (KERNEL, INITRAMFS))
    options = ("-kernel", kernel, "-initrd", initramfs, "-append", arguments, "-seed", str(seed))
    with (
        tempfile.TemporaryDirectory(prefix="cotenant-bench.") as folder,
        built(system(_linux(_amount(quick))), sstc=sstc) as launch,
    ):
        machine = replace(launch, one_piece=True).machine(0)
        machine = replace(machine, bundle=firmware.find(), memory_bytes=MEMORY_MIB << 20)
        tree = Path(folder) / "tree.dtb"
        linux_tree.write(tree, launch.built.system.board, machine, sstc=sstc)
        machine = replace(machine, extra=(*options, "-dtb", str(tree)))
        with QemuProcess(machine) as process:
            process.input.close()
            if process.wait(TIMEOUT) is None:
                raise BenchError(f"Linux on {firmware.NAME} did not end within {TIMEOUT:g} s")
            output = process.output.read() or b""
            if not output:
                raise BenchError(f"{firmware.NAME} printed nothing: {process.last_words()}")
    return parse(output.decode(errors="replace"), f"Linux on {firmware.NAME}")


def parse(output: str, who: str) -> Samples:
    """Return the measurements of a complete run. Raises BenchError if it is not complete."""
    found: Samples = {}
    for name, values in samples.parse(output, who):
        if len(values) != 4 or values[0] == 0:
            raise BenchError(f"{who}: measurement {name} has no rounds: {values}")
        found[name] = Sample(*values)
    _add_whole(found)
    return found


def _add_whole(found: Samples) -> None:
    """Add the sum of all work of a fixed size, if Debian's programs were measured."""
    programs = [each.median for name, each in found.items() if name.startswith(_PROGRAMS)]
    if programs:
        total = found["boot"].median + sum(programs)
        found[WHOLE] = Sample(1, total, total, total)


def _amount(quick: bool) -> str:
    return "quick" if quick else "full"


def _linux(amount: str) -> str:
    return linux(
        memory=f"{MEMORY_MIB}M",
        initrd=INITRAMFS,
        arguments=f"{ARGUMENTS} bench={amount}",
        ready=_ENDS,
    )
