# SPDX-License-Identifier: BSD-2-Clause
"""From one operating system to another by suspend to RAM: the whole way, and its parts.

The monitor's part is read off a trace of its instructions: from the SBI call to the other one's
first instruction. The whole way is from the write to /sys/power/state of one Linux to the return of
that write in the other, by the machine's `time`, which both see; at one instruction per nanosecond.
The parts are what the two kernels say of themselves.

Whole Debian are another benchmark: debian.py.
"""

import re
from dataclasses import dataclass
from statistics import median

from cotenant.bench.osswitch import devices, drivers, freertos_switch, perceived, uboot_switch
from cotenant.bench.osswitch.kernel_log import parts_of
from cotenant.bench.paths import MonitorPath, record
from cotenant.bench.row import Row, row
from cotenant.bench.systems import linux, payload, running, system
from cotenant.errors import BenchError
from cotenant.run.session import Session

_MONITOR = "SBI call, world switch"
_MONITOR_BUDGET = 1200
_STRETCH_BUDGET = 400
# The board's devices have sources up to it.
_LAST_SOURCE = 11
_PATHS = 240  # of members that enable sources one in thirteen is a switch
_ROUNDS = 5
_NS_PER_TICK = 100
# What the prototype took for a lean system, and what is aimed at, ms.
_PROTOTYPE_MS = 17
_BUDGET_MS = 15
_SAYS_HOW_LONG = "echo 1 > /sys/power/pm_debug_messages; dmesg -n 1"

_ROUND = re.compile(r"^suspendcheck: round=\d+ \S+ began=(\d+) ended=(\d+)\n", re.MULTILINE)


@dataclass(frozen=True)
class Measured:
    """Milliseconds: the whole way of each switch, and each part, both medians."""

    whole: float
    parts: dict[str, float]


def run(quick: bool) -> list[Row]:
    """Measure the monitor's part, then lean Linux.

    `quick` leaves out those with devices, FreeRTOS and U-Boot.
    """
    rows = [
        row(
            f"monitor: suspend to the other's first instruction, {name}, Sstc {_on(sstc)}",
            "instructions",
            value,
            None,
            _STRETCH_BUDGET if name.endswith("stretch") else _MONITOR_BUDGET,
        )
        for sstc in (False, True)
        for name, value in measure_monitor(sstc=sstc).items()
    ]
    lean = measure_linux(with_devices=False)
    rows += _rows("two Linux without devices", lean, _PROTOTYPE_MS, _BUDGET_MS)
    if not quick:
        rows += _rows("two Linux with disk, network and RNG", measure_linux(with_devices=True))
        rows += [*perceived.rows(), *drivers.rows(), *freertos_switch.rows()]
        rows += uboot_switch.rows()
    return rows


def _rows(
    name: str, measured: Measured, other: float | None = None, budget: float | None = None
) -> list[Row]:
    return [
        row(f"{name}, the whole way", "ms", measured.whole, other, budget),
        *(row(f"{name}: {part}", "ms", value) for part, value in measured.parts.items()),
    ]


def _group(shared: list[str]) -> str:
    return f'[group.desk]\nmembers = ["one", "two"]\ndevices = {shared}\n'


def measure_monitor(*, sstc: bool) -> dict[str, int]:
    """Return the instructions from the SBI call to the other one's first, by the devices.

    With "stretch" those between two looks at interrupts, at most. Members with "enabled" have
    enabled the interrupts of all their devices when they suspend.
    """
    few, many = ["rtc", "virtio0"], ["rtc", *(f"virtio{slot}" for slot in range(8))]
    found = {}
    for shared, enabled in ((few, 0), (few, _LAST_SOURCE), (many, 0)):
        path = _monitor(shared, sstc, enabled)
        name = f"devices_{len(shared)}{'_enabled' if enabled else ''}"
        found[name] = path.length
        found[f"{name}_stretch"] = path.longest_timer_stretch
    return found


def _monitor(shared: list[str], sstc: bool, enabled: int) -> MonitorPath:
    """Return the path that most switches take; single ones have work of the hart's console in them.

    Of several paths that are as frequent the shortest one counts.
    """

    def started(session: Session) -> None:
        for name in session.tenants:
            session.expect(name, "^bench: start$")

    arguments = f"enabled={enabled}"
    members = (payload(name, "bench-osswitch", arguments=arguments) for name in ("one", "two"))
    description = system(_group(shared), *members)
    found = record(description, sstc=sstc, icount=0, prepare=started, total=_PATHS)
    switches = [path for path in found if path.kind == _MONITOR]
    if not switches:
        raise BenchError(f"no {_MONITOR!r} was seen among {[path.kind for path in found]}")
    return min(switches, key=lambda path: (-path.count, path.length))


def measure_linux(*, with_devices: bool) -> Measured:
    """Let two Linux switch to each other, each with checks of its own."""
    modules = ["virtio_mmio", *(["virtio_blk", "virtio_net", "virtio_rng"] if with_devices else [])]
    members = (
        linux(
            name,
            memory="192M",
            arguments=f"console=ttyS0 loglevel=4 modules={','.join(modules)}",
            devices=[f"virtio{number}"] if with_devices else [],
        )
        for number, name in enumerate(("one", "two"))
    )
    shared = ["rtc", *(["virtio2", "virtio3"] if with_devices else [])]
    description = system(devices.SLOTS if with_devices else "", _group(shared), *members)
    extra = devices.QEMU_ARGUMENTS if with_devices else ()
    with running(description, sstc=True, extra=extra) as session:
        return _measure(session)


def _measure(session: Session) -> Measured:
    typed = f"suspendcheck {_ROUNDS}; dmesg; echo over $((40 + 2))\n".encode()
    for name in ("one", "two"):
        session.wait_ready(name)
        session.command(name, _SAYS_HOW_LONG)
        session.send(name, typed)
    session.expect("one", "^over 42$")
    outputs = {name: session.output(name) for name in ("one", "two")}
    moments = {name: _ROUND.findall(text) for name, text in outputs.items()}
    # The first suspend of the one starts the other, and the last resume of the other is to come.
    began = [int(began) for began, _ in moments["two"]]
    ended = [int(ended) for _, ended in moments["one"]]
    ways = [
        (end - max(begin for begin in began if begin < end)) * _NS_PER_TICK / 1e6
        for end in ended
        if any(begin < end for begin in began)
    ]
    if len(ways) < _ROUNDS - 1:
        raise BenchError(f"only {len(ways)} switches were seen: {outputs['one'][-400:]!r}")
    return Measured(median(ways), parts_of(outputs["one"]))


def _on(value: bool) -> str:
    return "on" if value else "off"
