# SPDX-License-Identifier: BSD-2-Clause
"""The monitor's own check of a bundle, made when the bundle is.

A lean monitor does not have it. Monitor and bundle are one file: an attacker who could replace the
bundle could replace the monitor too, and damage is found by the checksum. The check is left to find
defects of this tool, which it finds here as well.
"""

import subprocess
from ctypes import sizeof

from cotenant import monitor_build
from cotenant.bundle_struct import Bundle, MonitorHeader
from cotenant.errors import BuildError
from cotenant.monitor_build import Monitor
from cotenant.units import align_up

CHECK = "check"
"""the feature that checks at boot"""

_PAGE = 4096
_LONGEST = 60


def check(monitor: Monitor, file: bytes) -> None:
    """Check the bundle in a file that begins with the monitor, unless that does so at boot.

    Raises BuildError, which names the field.
    """
    if CHECK not in monitor.left_out:
        return
    program = monitor_build.make(monitor, "check-bundle")
    start = align_up(monitor.image.stat().st_size, _PAGE)
    size = MonitorHeader.from_buffer_copy(file).memory_size
    done = subprocess.run(
        [program, f"{size:x}"],
        input=file[start : start + sizeof(Bundle)],
        capture_output=True,
        timeout=_LONGEST,
        check=False,
    )
    if done.returncode != 0:
        refusal = (done.stdout or done.stderr).decode().strip()
        raise BuildError(
            f"the monitor would not accept this bundle: {refusal}; that is a defect of this tool: "
            "please report it with the system's description"
        )
