# SPDX-License-Identifier: BSD-2-Clause
"""cotenantctl for Linux, and an initramfs that has it."""

from pathlib import Path

from . import cotenantctl
from .initramfs_images import append, desk_initramfs_recipe
from .linked_program import LinkedProgram
from .packaged_images import ZSTD
from .workshop import Image, Workshop

_PROGRAM = LinkedProgram(
    cotenantctl.PROGRAM,
    ((ZSTD, "libzstd.a"),),
    cotenantctl.fingerprint,
    cotenantctl.compile_program,
)


def _control_initramfs_recipe(workshop: Workshop) -> str:
    return f"{desk_initramfs_recipe(workshop)}-{_PROGRAM.recipe(workshop)}"


def _fill_control_initramfs(workshop: Workshop, directory: Path) -> str:
    first = workshop.store.path("debian-desk-initramfs", "initramfs.cpio").read_bytes()
    program = workshop.store.path(_PROGRAM.name, cotenantctl.PROGRAM).read_bytes()
    second = cotenantctl.build_archive(program)
    (directory / "initramfs.cpio").write_bytes(append(first, second))
    return f"debian-desk-initramfs, {_PROGRAM.name}"


IMAGES = (
    _PROGRAM.image,
    Image(
        "debian-control-initramfs",
        "debian-desk-initramfs with cotenantctl in /bin",
        "initramfs.cpio",
        ("debian-desk-initramfs", _PROGRAM.name),
        _control_initramfs_recipe,
        _fill_control_initramfs,
        on_demand=True,
    ),
)
