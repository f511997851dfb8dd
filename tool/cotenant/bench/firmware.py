# SPDX-License-Identifier: BSD-2-Clause
"""What to compare with: the OpenSBI that Debian packages with QEMU, and the machine without any."""

import subprocess
import threading
from pathlib import Path

from cotenant.bench.systems import TIMEOUT
from cotenant.errors import BenchError
from cotenant.run.qemu import Machine, QemuProcess, find_program

_END_TIMEOUT = 10.0

NAME = "opensbi-riscv64-generic-fw_dynamic.bin"


def find() -> Path:
    """Return the path of the firmware, or raise BenchError with the remedy."""
    program = find_program()
    listed = subprocess.run([program, "-L", "help"], capture_output=True, text=True, check=False)
    folders = [Path(line.strip()) for line in listed.stdout.splitlines() if line.strip()]
    for folder in folders:
        if (folder / NAME).is_file():
            return folder / NAME
    places = ", ".join(str(folder) for folder in folders) or "no folder"
    raise BenchError(
        f"the firmware to compare with, {NAME}, is not where QEMU looks for it ({places}):"
        " install Debian's package qemu-system-data"
    )


def run(image: Path, *, sstc: bool, icount: int = 0, arguments: str = "") -> str:
    """Run a raw image on the firmware until it powers the machine off; return what it printed.

    `arguments` are its /chosen/bootargs; an instruction takes 2**icount ns.
    """
    _require(image)
    cpu = f"rv64,h=off,sstc={'on' if sstc else 'off'}"
    extra = ("-kernel", str(image), "-append", arguments)
    machine = Machine(bundle=find(), cpu=cpu, icount=icount, extra=extra)
    return _output(machine, f"{image.name} on {NAME}")


def run_bare(image: Path, extra: tuple[str, ...] = (), seconds: float = TIMEOUT) -> str:
    """Run an ELF file for machine mode in the firmware's place; an instruction takes 1 ns.

    `extra` are further arguments of QEMU. Raises BenchError if it takes more than `seconds`.
    """
    _require(image)
    machine = Machine(bundle=image, cpu="rv64,h=off", icount=0, extra=extra)
    return _output(machine, f"{image.name} on the bare machine", seconds)


def _require(image: Path) -> None:
    if not image.is_file():
        raise BenchError(f"{image} does not exist: run 'make build'")


def _output(machine: Machine, who: str, seconds: float = TIMEOUT) -> str:
    with QemuProcess(machine) as process:
        process.input.close()
        watchdog = threading.Timer(seconds, process.kill)
        watchdog.start()
        output = process.output.read()
        watchdog.cancel()
        if process.wait(_END_TIMEOUT) != 0:
            words = process.last_words() or f"it took more than {seconds:g} s"
            raise BenchError(f"{who} did not come to its end: {words}")
        return output.decode(errors="replace").replace("\r", "")
