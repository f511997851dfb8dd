# SPDX-License-Identifier: BSD-2-Clause
"""OS switching's costs of each driver: how long Linux takes to suspend and to resume a device.

Two lean Linux with a disk each and a shared network card, RNG, keyboard, display, UART and clock
switch to each other; the stock kernel says in its log what each call of a driver took
(/sys/power/pm_print_times), in microseconds of the machine's time.
"""

import re
from dataclasses import dataclass
from statistics import median

from cotenant.bench.osswitch import devices
from cotenant.bench.row import Row, row
from cotenant.bench.systems import linux, running, system
from cotenant.errors import BenchError

_ROUNDS = 5
# What the kernel calls the devices, and what people call them.
DEVICES = {
    "10001000.virtio_mmio": "disk",
    "10003000.virtio_mmio": "network card",
    "10004000.virtio_mmio": "random numbers",
    "10005000.virtio_mmio": "keyboard",
    "0000:00:01.0": "display",
    "10000000.serial": "UART",
    "rtc0": "real-time clock",
}
_SYSTEM = f"""{devices.SLOTS}virtio4 = "virtio-keyboard-device"
pcie = ["bochs-display,xres=1024,yres=768"]

[group.desk]
members = ["one", "two"]
devices = ["rtc", "virtio2", "virtio3", "virtio4", "pcie"]
"""
_MODULES = "virtio_mmio,virtio_blk,virtio_net,virtio_rng,virtio_input,bochs"
_SET_UP = "echo 1 >/sys/power/pm_print_times; dmesg -n 1"
_CALLED = re.compile(r"^\[ *[\d.]+\] \S+ (\S+): PM: (\S+) returned 0 after (\d+) usecs", re.M)
_SUSPENDS = ("suspend", "freeze")
_RESUMES = ("resume", "restore", "thaw")


@dataclass(frozen=True)
class Costs:
    """Microseconds of all calls of a device's driver in a switch."""

    suspend: float
    resume: float


def rows() -> list[Row]:
    """Measure, and return the costs of each device, the dearest to suspend first."""
    found = measure()
    names = sorted(found, key=lambda name: found[name].suspend, reverse=True)
    return [
        each
        for name in names
        for each in (
            row(f"driver of the {name}: suspend", "us", found[name].suspend),
            row(f"driver of the {name}: resume", "us", found[name].resume),
        )
    ]


def measure() -> dict[str, Costs]:
    """Let two Linux switch to each other; return what the log of one says of each device."""
    members = (
        linux(
            name,
            initrd="debian-desk-initramfs",
            arguments=f"console=ttyS0 loglevel=4 log_buf_len=1M modules={_MODULES}",
            devices=[f"virtio{number}"],
        )
        for number, name in enumerate(("one", "two"))
    )
    description = system(_SYSTEM, *members)
    with running(description, sstc=True, extra=devices.QEMU_ARGUMENTS) as session:
        for name in ("one", "two"):
            session.wait_ready(name)
            session.command(name, _SET_UP)
            session.send(name, f"suspendcheck {_ROUNDS}; dmesg; echo over $((40 + 2))\n".encode())
        session.expect("one", "^over 42$")
        return costs_of(session.output("one"))


def costs_of(log: str) -> dict[str, Costs]:
    """Return what the calls of each device's driver took: sums of medians.

    Raises BenchError if the log does not have all devices.
    """
    calls: dict[str, dict[str, list[int]]] = {}
    for device, call, duration in _CALLED.findall(log):
        calls.setdefault(device, {}).setdefault(call, []).append(int(duration))
    missing = [name for device, name in DEVICES.items() if device not in calls]
    if missing:
        raise BenchError(f"the kernel says nothing of the {', '.join(missing)}: {log[-300:]!r}")
    return {
        name: Costs(_sum(calls[device], _SUSPENDS), _sum(calls[device], _RESUMES))
        for device, name in DEVICES.items()
    }


def _sum(calls: dict[str, list[int]], kinds: tuple[str, ...]) -> float:
    """Return the medians of the calls of a kind together."""
    return sum(
        median(durations)
        for call, durations in calls.items()
        if any(kind in call for kind in kinds)
    )
