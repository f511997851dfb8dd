# SPDX-License-Identifier: BSD-2-Clause
"""What it takes to save a Linux that has suspended to RAM, by `cotenantctl` in another Linux.

The machine's time at one instruction per nanosecond: instructions of the program, its kernel and
the monitor. The file is in the keeper's memory: no disk is waited for.
"""

import re
from dataclasses import dataclass

from cotenant.bench.row import Row, row
from cotenant.bench.systems import linux, payload, running, system
from cotenant.errors import BenchError

_MEMORY_MIB = 192
_BUDGET_G = 3.0
_FILE = "/tmp/saved"
# /proc/uptime counts hundredths of seconds.
_G_PER_TICK = 0.01
_UPTIME = "read now rest </proc/uptime; echo $now"
_SAVE = f"{_UPTIME}; cotenantctl save one {_FILE} >/dev/null 2>&1 </dev/null && {_UPTIME}"
_SAID = re.compile(r"(\d+)\.(\d\d)\s+(\d+)\.(\d\d)\s+(\d+)\s")


@dataclass(frozen=True)
class Saved:
    """The save of a tenant: 10^9 instructions, and the bytes of the file."""

    instructions_g: float
    file_bytes: int


def run(quick: bool) -> list[Row]:
    """Measure it; `quick` is no less."""
    del quick
    saved = measure()
    what = f"save of a dormant Linux of {_MEMORY_MIB} MiB"
    return [
        row(what, "10^9 instructions", saved.instructions_g, None, _BUDGET_G),
        row(f"{what}, its file", "MB", saved.file_bytes / 1e6),
    ]


def measure() -> Saved:
    """Save a Linux that has suspended as soon as it was ready."""
    keeper = linux(
        "keeper",
        memory="512M",
        initrd="debian-control-initramfs",
        arguments="console=ttyS0 loglevel=4 modules=virtio_mmio,virtio_console",
        control=True,
    )
    description = system(
        '[group.desk]\nmembers = ["one", "two"]\ndevices = ["rtc"]\n',
        linux("one", memory=f"{_MEMORY_MIB}M"),
        payload("two", "memory-keeper", priority=1, memory="4M"),
        keeper,
    )
    with running(description, sstc=True) as session:
        for name in ("keeper", "one"):
            session.wait_ready(name)
        session.send("one", b"echo mem > /sys/power/state\n")
        session.wait_state("one", "dormant")
        exit_code, output = session.command("keeper", f"{_SAVE}; wc -c <{_FILE}")
    said = _SAID.search(output)
    if exit_code != 0 or said is None:
        raise BenchError(f"the save said: {output}")
    begin, end = (int(said[at] + said[at + 1]) for at in (1, 3))
    return Saved((end - begin) * _G_PER_TICK, int(said[5]))
