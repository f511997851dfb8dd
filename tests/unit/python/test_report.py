# SPDX-License-Identifier: BSD-2-Clause
"""What a run says at its start."""

from io import StringIO

from made_images import LINUX, RTOS, Workshop, workshop
from rich.console import Console

from cotenant.run.report import show_start
from cotenant.system import build, load

__all__ = ["workshop"]


def said(workshop: Workshop, text: str, icount: int | None = None) -> list[str]:
    built = build(load(workshop.system(text)), workshop.folder / "bundle.bin")
    output = StringIO()
    show_start(built, Console(file=output, width=200), icount)
    return output.getvalue().splitlines()


def test_start_of_a_system_on_one_hart(workshop: Workshop) -> None:
    lines = said(workshop, LINUX + RTOS, icount=3)
    assert lines[:2] == ["  linux        priority 1   kernel", "  rtos         priority 10  rtos"]
    assert lines[2] == "Time is counted: an instruction takes 8 ns."
    assert lines[3].startswith("The keyboard is with linux. Ctrl-T is the key for the monitor:")


def test_start_of_a_system_on_several_harts(workshop: Workshop) -> None:
    linux = LINUX.replace("priority", "harts = [0, 1]\npriority")
    lines = said(workshop, linux + RTOS + "hart = 1\n")
    assert lines[:2] == [
        "  linux        priority 1   kernel, on harts 0, 1",
        "  rtos         priority 10  rtos, on hart 1",
    ]
    assert lines[2].startswith("Time is the host's: ")
