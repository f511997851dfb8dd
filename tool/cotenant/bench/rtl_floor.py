# SPDX-License-Identifier: BSD-2-Clause
"""What the core alone needs: bench/rtl/bare/floor.S, without the monitor."""

import subprocess
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median

from cotenant.bench import rtl_events, rtl_simulator
from cotenant.bench.errors import BenchError
from cotenant.bench.rtl_events import ECALL_FROM_SUPERVISOR, MACHINE_TIMER, Stay, Timer

_SOURCE = rtl_simulator.HARNESS / "bare" / "floor.S"
_TOOLS = "riscv64-linux-gnu-"
_COMPILE = ("-nostdlib", "-static", "-march=rv64imac_zicsr", "-mabi=lp64", "-Wl,-Ttext=0x80000000")
_MAX_CYCLES = 100_000


@dataclass(frozen=True)
class Floor:
    """Clock cycles: an ecall and back, and the timer's interrupt to the first instruction."""

    ecall: float
    timer: float


def measure() -> Floor:
    """Return the floor. Raises BenchError if it cannot be measured."""
    with tempfile.TemporaryDirectory(prefix="cotenant-rtl.") as name:
        folder = Path(name)
        program, image, log = folder / "floor.elf", folder / "floor.bin", folder / "events"
        _call(f"{_TOOLS}gcc", *_COMPILE, "-Wl,--build-id=none", "-o", str(program), str(_SOURCE))
        _call(f"{_TOOLS}objcopy", "-O", "binary", str(program), str(image))
        rtl_simulator.run(image, log, max_cycles=_MAX_CYCLES)
        events = rtl_events.read(log)
    stays = [event for event in events if isinstance(event, Stay)]
    ecalls = [stay.length for stay in stays if stay.cause == ECALL_FROM_SUPERVISOR]
    delays = [
        stay.first - timer.cycle
        for timer, stay in pairwise(events)
        if isinstance(timer, Timer) and isinstance(stay, Stay) and stay.cause == MACHINE_TIMER
    ]
    if not ecalls or not delays:
        raise BenchError("the simulation of the core alone shows neither calls nor interrupts")
    return Floor(median(ecalls), median(delays))


def _call(*command: str) -> None:
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise BenchError(
            f"{command[0]} cannot be started ({error.strerror}); install gcc-riscv64-linux-gnu"
        ) from error
    if result.returncode != 0:
        raise BenchError(f"{command[0]} failed on {_SOURCE.name}: {result.stderr.strip()}")
