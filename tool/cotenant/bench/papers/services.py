# SPDX-License-Identifier: BSD-2-Clause
"""Gandalf's table of lmbench: the kernel's services natively, alone, beside one and two RTOSes.

The program is linux/bench, which measures what lmbench does. Native is the packaged OpenSBI.
"""

from cotenant.bench.linux import runs
from cotenant.bench.row import Row, row

SERVICES = {
    "cpu": "CPU work",
    "syscall": "system call",
    "signal": "signal to self",
    "page_fault": "page fault",
    "mmap": "mmap and munmap",
    "fork_exit": "fork and exit",
    "fork_exec": "fork and exec",
    "thread": "thread, create and join",
    "pipe": "pipe, a byte to self",
    "switch": "context switches by pipes",
}
_SECOND = "other"


def rows() -> list[Row]:
    """Measure all four; rows have the native figure as the other one."""
    native = runs.on_firmware(quick=True, sstc=False)
    beside = {
        "Linux alone": runs.alone(quick=True, sstc=False),
        "beside one RTOS": runs.beside_rtos(quick=True, sstc=False).samples,
        "beside two RTOSes": runs.beside_rtos(quick=True, sstc=False, others=(_SECOND,)).samples,
    }
    return [
        row(f"{label}, {who}", "instructions", found[name].each, native[name].each)
        for name, label in SERVICES.items()
        for who, found in beside.items()
    ]
