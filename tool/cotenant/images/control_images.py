# SPDX-License-Identifier: BSD-2-Clause
"""cotenantctl for Linux, and an initramfs that has it."""

import hashlib
from pathlib import Path

from . import cotenantctl
from .initramfs_images import append, desk_initramfs_recipe
from .packaged_images import ZSTD
from .workshop import RECIPE, Image, Workshop

_CONTROL = "cotenantctl"


def _control_recipe(workshop: Workshop) -> str:
    digest = hashlib.sha256()
    manifest = workshop.store.manifest(ZSTD)
    if manifest is not None:
        digest.update(manifest.files["libzstd.a"].sha256.encode())
    return f"{RECIPE}-{digest.hexdigest()}-{cotenantctl.fingerprint(workshop.tree)}"


def _fill_control(workshop: Workshop, directory: Path) -> str:
    workshop.report("compiling cotenantctl", 0, 0)
    program = cotenantctl.compile_program(workshop.tree, workshop.store.directory / ZSTD)
    (directory / cotenantctl.PROGRAM).write_bytes(program)
    manifest = workshop.store.manifest(ZSTD)
    return manifest.source if manifest else ZSTD


def _control_initramfs_recipe(workshop: Workshop) -> str:
    return f"{desk_initramfs_recipe(workshop)}-{_control_recipe(workshop)}"


def _fill_control_initramfs(workshop: Workshop, directory: Path) -> str:
    first = workshop.store.path("debian-desk-initramfs", "initramfs.cpio").read_bytes()
    program = workshop.store.path(_CONTROL, cotenantctl.PROGRAM).read_bytes()
    second = cotenantctl.build_archive(program)
    (directory / "initramfs.cpio").write_bytes(append(first, second))
    return f"debian-desk-initramfs, {_CONTROL}"


IMAGES = (
    Image(
        _CONTROL,
        "cotenantctl for riscv64 Linux, one static program",
        cotenantctl.PROGRAM,
        (ZSTD,),
        _control_recipe,
        _fill_control,
        on_demand=True,
    ),
    Image(
        "debian-control-initramfs",
        "debian-desk-initramfs with cotenantctl in /bin",
        "initramfs.cpio",
        ("debian-desk-initramfs", _CONTROL),
        _control_initramfs_recipe,
        _fill_control_initramfs,
        on_demand=True,
    ),
)
