# SPDX-License-Identifier: BSD-2-Clause
"""What a machine shows: a window of QEMU's for it, and pictures of it as files."""

import os
import subprocess
import tempfile
from pathlib import Path

from cotenant import setup_packages
from cotenant.errors import RunError
from cotenant.run import qmp
from cotenant.run.qemu import find_program

DISPLAYS = ("none", "gtk")
FORMATS = ("png", "ppm")


def prepare(display: str) -> None:
    """Make sure that QEMU can show a machine so, installing what it lacks; else RunError."""
    if display == "none":
        return
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise RunError(
            "there is no screen to open a window on: neither DISPLAY nor WAYLAND_DISPLAY is set; "
            "run it from a graphical session, or with --display none and 'cotenant screenshot'"
        )
    if not _has(display) and not (setup_packages.install("--display") and _has(display)):
        raise RunError(
            f"QEMU has no {display} window here: install Debian's qemu-system-gui, "
            "or run with --display none"
        )


def _has(display: str) -> bool:
    """Tell whether QEMU lists a kind of display among its own."""
    command = [find_program(), "-display", "help"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return display in result.stdout.split()


def screenshot(socket: Path, file: Path) -> None:
    """Write what the machine shows to a file, as the end of its name says: PNG or PPM."""
    kind = file.suffix.lstrip(".").lower()
    if kind not in FORMATS:
        raise RunError(f"{file}: a picture is written as .png or .ppm")
    with tempfile.TemporaryDirectory(prefix="cotenant-") as folder:
        made = Path(folder) / "picture"
        qmp.execute(socket, ("screendump", {"filename": str(made), "format": kind}))
        try:
            file.write_bytes(made.read_bytes())
        except OSError as error:
            raise RunError(f"{file} cannot be written ({error.strerror})") from error
