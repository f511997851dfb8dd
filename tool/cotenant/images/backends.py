# SPDX-License-Identifier: BSD-2-Clause
"""Debian's programs that serve devices of cohost's guests by vhost-user, for an initramfs."""

from collections.abc import Iterable
from pathlib import Path

from . import debian_programs
from .cpio import Archive

PACKAGES = ("virtiofsd", "qemu-utils", "passt")

# Their paths in the packages, and where cohost looks for them; the last one makes disks.
_PROGRAMS = {
    "usr/libexec/virtiofsd": "usr/libexec/virtiofsd",
    "usr/bin/qemu-storage-daemon": "bin/qemu-storage-daemon",
    "usr/bin/passt": "bin/passt",
    "usr/bin/qemu-img": "bin/qemu-img",
}

# passt gives up its rights: it becomes "nobody".
_USERS = b"root::0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"


def build_archive(packages: Iterable[Path]) -> bytes:
    """Return the programs of packages, with their libraries, as a part of an initramfs.

    It is put behind the usual one, whose users it replaces. Raises ImageError when the packages do
    not have all of it.
    """
    archive = Archive()
    archive.add_file("etc/passwd", _USERS)
    for path, content in sorted(debian_programs.collect(packages, _PROGRAMS).items()):
        archive.add_file(path, content, 0o755)
    return archive.to_bytes()
