# SPDX-License-Identifier: BSD-2-Clause
"""cohost for Linux, and an initramfs that has it with a kernel and an initrd for guests."""

import hashlib
from pathlib import Path

from . import cohost
from .initramfs_images import append
from .packaged_images import FDT
from .workshop import RECIPE, Image, Workshop

_COHOST = "cohost"
_PARTS = ("debian-kernel", "debian-initramfs", "debian-test-initramfs")


def _digest(workshop: Workshop, parts: tuple[tuple[str, str], ...]) -> str:
    digest = hashlib.sha256()
    for name, file in parts:
        manifest = workshop.store.manifest(name)
        if manifest is not None:
            digest.update(manifest.files[file].sha256.encode())
    return digest.hexdigest()


def _cohost_recipe(workshop: Workshop) -> str:
    library = _digest(workshop, ((FDT, "libfdt.a"),))
    return f"{RECIPE}-{library}-{cohost.fingerprint(workshop.tree)}"


def _fill_cohost(workshop: Workshop, directory: Path) -> str:
    workshop.report("compiling cohost", 0, 0)
    program = cohost.compile_program(workshop.tree, workshop.store.directory / FDT)
    (directory / cohost.PROGRAM).write_bytes(program)
    manifest = workshop.store.manifest(FDT)
    return manifest.source if manifest else FDT


def _host_initramfs_recipe(workshop: Workshop) -> str:
    parts = _digest(
        workshop,
        (
            ("debian-kernel", "Image"),
            ("debian-initramfs", "initramfs.cpio.gz"),
            ("debian-test-initramfs", "initramfs.cpio.gz"),
        ),
    )
    return f"{RECIPE}-{parts}-{_cohost_recipe(workshop)}"


def _fill_host_initramfs(workshop: Workshop, directory: Path) -> str:
    path = workshop.store.path
    first = path("debian-test-initramfs", "initramfs.cpio.gz").read_bytes()
    second = cohost.build_archive(
        path(_COHOST, cohost.PROGRAM).read_bytes(),
        path("debian-kernel", "Image").read_bytes(),
        path("debian-initramfs", "initramfs.cpio.gz").read_bytes(),
    )
    (directory / "initramfs.cpio").write_bytes(append(first, second))
    return f"{', '.join(_PARTS)}, {_COHOST}"


IMAGES = (
    Image(
        _COHOST,
        "cohost for riscv64 Linux, one static program",
        cohost.PROGRAM,
        (FDT,),
        _cohost_recipe,
        _fill_cohost,
        on_demand=True,
    ),
    Image(
        "debian-host-initramfs",
        "debian-test-initramfs with cohost, and a kernel and an initrd for its guests",
        "initramfs.cpio",
        (*_PARTS, _COHOST),
        _host_initramfs_recipe,
        _fill_host_initramfs,
        on_demand=True,
    ),
)
