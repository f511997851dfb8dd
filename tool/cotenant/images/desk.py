# SPDX-License-Identifier: BSD-2-Clause
"""What a Linux with disk, keyboard and display has besides the usual initramfs."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from . import modules, programs
from .cpio import Archive

_AGENT = "suspend-key"
# The agent waits for devices of these; without them there is nothing for it to do.
_START = f"""#!/bin/sh
lsmod | grep -q ^evdev || exit 0
exec /bin/{_AGENT}
"""

_SCREEN = "screen-shell"
# Where there is a display, a shell on it; the one on the last console is another one.
_SCREEN_START = """#!/bin/sh
[ -e /dev/fb0 ] || exit 0
export PATH=/bin HOME=/root TERM=linux PS1='\\h# '
cd
echo "$(uname -sr), tenant $(hostname)" >/dev/tty1
while :; do
    setsid -c sh </dev/tty1 >/dev/tty1 2>&1
done &
"""


def _source(tree: Path) -> Path:
    return tree / "linux" / "agent" / f"{_AGENT}.c"


def fingerprint(tree: Path) -> str:
    """Return a text that changes when our part of the archive would."""
    scripts = f"{_START}{_SCREEN_START}".encode()
    return hashlib.sha256(scripts + _source(tree).read_bytes()).hexdigest()


def build_archive(tree: Path, kernel_modules: Mapping[str, bytes]) -> bytes:
    """Return an archive to be put behind the usual one, whose modules.dep it replaces."""
    archive = Archive()
    archive.add_directory("etc/start.d")
    archive.add_file(f"etc/start.d/{_AGENT}", _START.encode(), 0o755)
    archive.add_file(f"etc/start.d/{_SCREEN}", _SCREEN_START.encode(), 0o755)
    archive.add_file(f"bin/{_AGENT}", programs.compile_program([_source(tree)]), 0o755)
    archive.add_file("lib/modules/modules.dep", modules.dependency_file(kernel_modules))
    for name, content in sorted(kernel_modules.items()):
        archive.add_file(f"lib/modules/{name}.ko", content)
    return archive.to_bytes()
