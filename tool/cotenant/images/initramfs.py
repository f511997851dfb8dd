# SPDX-License-Identifier: BSD-2-Clause
"""Builds the initramfs of a Linux tenant: busybox, our init script, and programs on request."""

from collections.abc import Mapping
from importlib import resources

from . import modules
from .cpio import Archive

# Linux device numbers (Documentation/admin-guide/devices.txt of the kernel).
_CONSOLE = (5, 1)
_NULL = (1, 3)


def script(name: str) -> bytes:
    """Return one of the scripts that go into the initramfs."""
    return (resources.files(__package__) / "rootfs" / name).read_bytes()


def build_initramfs(
    busybox: bytes,
    programs: Mapping[str, bytes] | None = None,
    kernel_modules: Mapping[str, bytes] | None = None,
) -> bytes:
    """Return a cpio archive; `programs` are put into /bin under their names.

    The modules go to /lib/modules, for modprobe, which the init script calls on request. The links
    to the applets of busybox are made by that script, from busybox itself.
    """
    archive = base_archive(busybox, script("init"))
    archive.add_file("etc/profile", script("profile"))
    archive.add_file("etc/passwd", b"root::0:0:root:/root:/bin/sh\n")
    archive.add_file("etc/group", b"root:x:0:\n")
    for name, content in sorted((programs or {}).items()):
        archive.add_file(f"bin/{name}", content, 0o755)
    if kernel_modules:
        archive.add_file("lib/modules/modules.dep", modules.dependency_file(kernel_modules))
        for name, content in sorted(kernel_modules.items()):
            archive.add_file(f"lib/modules/{name}.ko", content)
    return archive.to_bytes()


def base_archive(busybox: bytes, init: bytes) -> Archive:
    """Return what every root file system has: the usual directories, busybox, the init script."""
    archive = Archive()
    for directory in ("bin", "dev", "etc", "proc", "run", "sys", "tmp"):
        archive.add_directory(directory)
    archive.add_directory("root", 0o700)
    # The kernel opens the console for init before devtmpfs is mounted.
    archive.add_character_device("dev/console", *_CONSOLE)
    archive.add_character_device("dev/null", *_NULL, mode=0o666)
    archive.add_file("bin/busybox", busybox, 0o755)
    archive.add_file("init", init, 0o755)
    return archive
