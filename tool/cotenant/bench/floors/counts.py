# SPDX-License-Identifier: BSD-2-Clause
"""Instructions of the programs of bench/floors, in QEMU's log of those that are executed.

A path begins at a global symbol of the measured code and ends with mret, or the return of the
function. The programs look themselves whether they have done their work, and say so.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from cotenant.bench import firmware, samples
from cotenant.bench.floors.program import FOLDER, Program, build
from cotenant.bench.qemu_trace import QemuTrace
from cotenant.bench.systems import TIMEOUT
from cotenant.errors import BenchError

BOARD = "qemu"
KINDS = ("switch_plain", "switch_fp", "switch_sstc", "switch_sstc_fp", "switch_old")
"""of world switches: what the hart has and the worlds use"""


@dataclass(frozen=True)
class Source:
    """The files of a program, where its paths begin, and the devices that its machine has."""

    files: tuple[str, ...]
    paths: tuple[str, ...]
    machine: tuple[str, ...] = ()


PROGRAMS: Mapping[str, Source] = {
    "switch": Source(
        ("switch.S", "worlds.S", "switch.c"),
        tuple(f"{kind}_{way}" for kind in KINDS for way in ("in", "out")),
    ),
    "store": Source(("store.S", "store.c"), ("store",)),
    "osswitch": Source(
        ("osswitch.S", "worlds.S", "osswitch.c"),
        ("os_switch",),
        ("-device", "virtio-rng-device,bus=virtio-mmio-bus.0"),
    ),
    "list": Source(
        ("list.c",), tuple(f"list_{way}_{count}" for way in ("in", "out") for count in (1, 7))
    ),
}


class Recorder:
    """Instructions of each path of a program, by the name of its beginning."""

    def __init__(self, program: Program, paths: tuple[str, ...]) -> None:
        self.lengths: dict[str, list[int]] = {name: [] for name in paths}
        self._beginnings = {program.symbols[name]: name for name in paths}
        self._program = program
        self._name: str | None = None
        self._length = 0
        self._is_over = False

    def executed(self, hart: int, address: int) -> None:
        """Count an instruction."""
        del hart
        self.finish()
        if address in self._beginnings:
            self._name, self._length = self._beginnings[address], 0
        self._length += 1
        self._is_over = self._program.is_last(address)

    def taken_back(self, hart: int) -> None:
        """Do not count the last instruction: it comes again."""
        del hart
        self._length -= 1
        self._is_over = False

    def finish(self) -> None:
        """Keep the path if it has come to its end."""
        if self._is_over and self._name is not None:
            self.lengths[self._name].append(self._length)
            self._name = None
        self._is_over = False


def run(name: str, folder: Path = FOLDER, seconds: float = TIMEOUT) -> dict[str, int]:
    """Run a program without counting; return how many values of each part it has checked.

    Raises BenchError if one was wrong, or if it takes more than `seconds`.
    """
    with tempfile.TemporaryDirectory(prefix="cotenant-floors.") as made:
        program = _build(name, Path(made), folder)
        return _checked(name, firmware.run_bare(program.elf, PROGRAMS[name].machine, seconds))


def measure(name: str) -> dict[str, float]:
    """Return the mean instructions of each path of a program, which must have done its work."""
    with tempfile.TemporaryDirectory(prefix="cotenant-floors.") as made:
        program = _build(name, Path(made), FOLDER)
        recorder = Recorder(program, PROGRAMS[name].paths)
        with QemuTrace(
            *(program.begin, len(program.code), recorder.executed),
            *(lambda _, __: None, recorder.taken_back),
        ) as trace:
            log = (*trace.arguments, "-singlestep", "-d", "exec,nochain,int")
            output = firmware.run_bare(program.elf, (*PROGRAMS[name].machine, *log))
        recorder.finish()
    _checked(name, output)
    for path, lengths in recorder.lengths.items():
        if not lengths:
            raise BenchError(f"{name} of bench/floors has not come to {path}")
    return {path: fmean(lengths) for path, lengths in recorder.lengths.items()}


def _build(name: str, made: Path, folder: Path) -> Program:
    return build(PROGRAMS[name].files, BOARD, made / f"{name}.elf", folder)


def _checked(name: str, output: str) -> dict[str, int]:
    return samples.medians(output, f"{name} of bench/floors")
