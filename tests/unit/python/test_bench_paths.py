# SPDX-License-Identifier: BSD-2-Clause
"""From QEMU's log to the monitor's paths."""

import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from cotenant.bench import paths as bench_paths
from cotenant.bench.monitor_code import MonitorCode
from cotenant.bench.paths import MonitorPath, PathRecorder, kinds
from cotenant.bench.qemu_trace import QemuTrace

BASE = 0xFE000000
ENTRY, SWITCH, LOOK, WAIT, RETURN = 0x200, 0x300, 0x400, 0x500, 0x600


@dataclass
class FakeCode:
    """A monitor of five functions, by the address of each."""

    size: int = 0x1000
    names: dict[int, str] = field(
        default_factory=lambda: {
            ENTRY: "trap_entry",
            SWITCH: "switch",
            LOOK: "look",
            WAIT: "wait",
            RETURN: "return",
        }
    )

    def find(self, name: str) -> int | None:
        return next((address for address, each in self.names.items() if each == name), None)

    def function(self, offset: int) -> str:
        return self.names[offset & ~0xFF]

    def is_wfi(self, offset: int) -> bool:
        return offset == WAIT

    def loads_world(self, offset: int) -> bool:
        return offset == SWITCH

    def looks_for_interrupts(self, offset: int) -> bool:
        return offset == LOOK


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Iterator[PathRecorder]:
    monkeypatch.setattr(bench_paths, "MonitorCode", lambda *_: FakeCode())
    placed = SimpleNamespace(monitor=SimpleNamespace(base=BASE))
    made_of = SimpleNamespace(elf=None, image=None)
    launch: Any = SimpleNamespace(built=SimpleNamespace(system=placed, monitor=made_of))
    with (made := PathRecorder(launch)).trace:
        yield made


def trap(name: str) -> str:
    return (
        "riscv_cpu_do_interrupt: hart:0, async:0, cause:0000000000000009, "
        f"epc:0x0000000080000000, tval:0x0000000000000000, desc={name}\n"
    )


def executed(*offsets: int) -> str:
    line = "Trace 0: 0x7f0000000000 [0000000000000000/{:016x}/00201003/ff020201] \n"
    return "".join(line.format(BASE + offset) for offset in offsets)


Write = Callable[[str], None]


@pytest.fixture
def write(recorder: PathRecorder) -> Write:
    """Return a function that writes to the log and waits until all of it has been read."""
    log = recorder.trace.arguments[recorder.trace.arguments.index("-D") + 1]

    def write_log(text: str) -> None:
        with Path(log).open("w") as stream:
            # A path is complete when the next one begins; a text may arrive in pieces.
            whole = text + executed(ENTRY)
            stream.write(whole[:41])
            stream.flush()
            time.sleep(0.1)
            stream.write(whole[41:])
        time.sleep(0.3)

    return write_log


def test_paths_are_counted_by_kind(recorder: PathRecorder, write: Write) -> None:
    write(
        executed(RETURN)  # the end of a path that began before the trace
        + (trap("supervisor_ecall") + executed(ENTRY, RETURN)) * 2
        + trap("supervisor_ecall")
        + executed(ENTRY, ENTRY + 4, RETURN)
        + trap("m_timer")
        + executed(ENTRY, SWITCH, RETURN)
    )
    found = {kind.name: kind for kind in kinds(recorder.paths)}
    assert set(found) == {"SBI call", "timer interrupt, world switch"}
    calls = found["SBI call"]
    assert (calls.count, calls.shortest, calls.median, calls.longest.length) == (3, 2, 2, 3)
    assert recorder.total == 4
    assert calls.longest.place == "trap_entry"
    assert calls.longest.profile == "trap_entry:2 return:1"


def test_paths_between_marks(recorder: PathRecorder, write: Write) -> None:
    recorder.mark = "s_timer"
    path = trap("illegal_instruction") + executed(ENTRY, RETURN)
    write(trap("s_timer") + path * 2 + trap("s_timer") + path * 3 + trap("s_timer"))
    assert [after - before for before, after in pairwise(recorder.marked)] == [1, 3]


def test_waiting_ends_a_path(recorder: PathRecorder, write: Write) -> None:
    write(trap("m_timer") + executed(ENTRY, WAIT, RETURN, RETURN + 4))
    assert [(path.kind, path.length) for path in recorder.paths] == [
        ("timer interrupt", 2),
        ("idle", 2),
    ]


def test_what_was_taken_back_does_not_count(recorder: PathRecorder, write: Write) -> None:
    write(
        trap("fault_load")
        + executed(ENTRY, LOOK)
        + "cpu_io_recompile: rewound execution of TB to 00000000fe000400\n"
        + executed(LOOK, RETURN)
        + "Stopped execution of TB chain before 0x7f0000000000 [00000000fe000600] \n"
        + executed(RETURN)
    )
    assert [(path.kind, path.length) for path in recorder.paths] == [("load from a device", 3)]


def test_a_look_at_interrupts_ends_a_stretch() -> None:
    offsets = (ENTRY, ENTRY + 4, LOOK, RETURN)
    path = MonitorPath("timer interrupt", offsets, 1, cast(Any, FakeCode()))
    assert path.longest_stretch == 3


def test_a_trace_leaves_nothing_behind() -> None:
    trace = QemuTrace(BASE, 0x1000, lambda *_: None, lambda *_: None, lambda _: None)
    log = Path(trace.arguments[trace.arguments.index("-D") + 1])
    before = len(list(Path("/proc/self/fd").iterdir()))
    with trace:
        assert log.is_fifo()
    assert not log.exists()
    assert len(list(Path("/proc/self/fd").iterdir())) < before


def test_only_a_look_that_is_named_is_one(tmp_path: Path) -> None:
    source, elf, image = (tmp_path / name for name in ("a.S", "a.elf", "a.bin"))
    source.write_text(
        ".globl _start\n.type _start, @function\n_start: nop\n"
        "one.c.5f1e: csrr a0, mip\n csrr a1, mip # CSR_READ(mip) & INTERRUPT_MTI\n ret\n"
    )
    compiler = ["riscv64-linux-gnu-gcc", "-g", "-march=rv64imac_zicsr", "-mabi=lp64", "-nostdlib"]
    subprocess.run([*compiler, "-static", "-Wl,-Ttext=0", "-o", elf, source], check=True)
    subprocess.run(["riscv64-linux-gnu-objcopy", "-O", "binary", elf, image], check=True)
    code = MonitorCode(elf, image, ["a0, mip"])
    assert code.function(2) == "_start"
    assert code.looks_for_interrupts(2) and not code.looks_for_interrupts(6)
    assert all(code.looks_for_timer(each) for each in (2, 6)) and not code.looks_for_timer(10)
