# SPDX-License-Identifier: BSD-2-Clause
"""The firmware to compare with: the OpenSBI that Debian packages with QEMU, its default one."""

import subprocess
from pathlib import Path

from cotenant.bench.errors import BenchError
from cotenant.bench.systems import TIMEOUT
from cotenant.run.qemu import Machine, QemuProcess, find_program

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
        " install Debian's packages qemu-system-misc and opensbi"
    )


def run(image: Path, *, sstc: bool) -> str:
    """Run a raw image on the firmware until it powers the machine off; return what it printed."""
    if not image.is_file():
        raise BenchError(f"{image} does not exist: run 'make build'")
    cpu = f"rv64,h=off,sstc={'on' if sstc else 'off'}"
    machine = Machine(bundle=find(), cpu=cpu, icount=0, extra=("-kernel", str(image)))
    with QemuProcess(machine) as process:
        process.input.close()
        if process.wait(TIMEOUT) is None:
            raise BenchError(f"{image.name} on {NAME} did not end within {TIMEOUT:g} s")
        output = process.output.read()
        if not output:
            raise BenchError(f"{image.name} on {NAME} printed nothing: {process.last_words()}")
        return output.decode(errors="replace")
