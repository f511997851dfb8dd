# SPDX-License-Identifier: BSD-2-Clause
"""cohost for Linux, and an initramfs that has it with a kernel and an initrd for guests."""

from pathlib import Path

from . import cohost
from .initramfs_images import TEST_FILE, append
from .kernel_images import DESK_MODULES, HOST_MODULES, modules_of
from .linked_program import LinkedProgram, digest
from .packaged_images import BACKENDS, BACKENDS_FILE, FDT, ZSTD
from .workshop import RECIPE, Image, Workshop

_HOST = "debian-host-initramfs"
_HOST_FILE = "initramfs.cpio"
_PARTS = ("debian-kernel", "debian-initramfs", "debian-test-initramfs")


_PROGRAM = LinkedProgram(
    cohost.PROGRAM,
    ((FDT, "libfdt.a"), (ZSTD, "libzstd.a")),
    cohost.fingerprint,
    cohost.compile_program,
)


def _host_initramfs_recipe(workshop: Workshop) -> str:
    parts = digest(
        workshop,
        (
            ("debian-kernel", "Image"),
            ("debian-initramfs", "initramfs.cpio.gz"),
            ("debian-test-initramfs", TEST_FILE),
        ),
    )
    manifests = [workshop.store.manifest(name) for name in (DESK_MODULES, HOST_MODULES)]
    kernel_modules = "-".join(manifest.recipe for manifest in manifests if manifest)
    guest = cohost.guest_fingerprint()
    return f"{RECIPE}-{parts}-{kernel_modules}-{guest}-{_PROGRAM.recipe(workshop)}"


def _fill_host_initramfs(workshop: Workshop, directory: Path) -> str:
    path = workshop.store.path
    first = path("debian-test-initramfs", TEST_FILE).read_bytes()
    second = cohost.build_archive(
        path(_PROGRAM.name, cohost.PROGRAM).read_bytes(),
        path("debian-kernel", "Image").read_bytes(),
        append(
            path("debian-initramfs", "initramfs.cpio.gz").read_bytes(),
            cohost.build_guest_archive(modules_of(workshop), modules_of(workshop, DESK_MODULES)),
        ),
        modules_of(workshop) | modules_of(workshop, HOST_MODULES),
    )
    (directory / _HOST_FILE).write_bytes(append(first, second))
    return f"{', '.join(_PARTS)}, {_PROGRAM.name}"


def _backends_initramfs_recipe(workshop: Workshop) -> str:
    programs = digest(workshop, ((BACKENDS, BACKENDS_FILE),))
    return f"{_host_initramfs_recipe(workshop)}-{programs}"


def _fill_backends_initramfs(workshop: Workshop, directory: Path) -> str:
    path = workshop.store.path
    first = path(_HOST, _HOST_FILE).read_bytes()
    second = path(BACKENDS, BACKENDS_FILE).read_bytes()
    (directory / _HOST_FILE).write_bytes(append(first, second))
    return f"{_HOST}, {BACKENDS}"


IMAGES = (
    _PROGRAM.image,
    Image(
        _HOST,
        "debian-test-initramfs with cohost, and a kernel and an initrd for its guests",
        _HOST_FILE,
        (*_PARTS, DESK_MODULES, HOST_MODULES, _PROGRAM.name),
        _host_initramfs_recipe,
        _fill_host_initramfs,
        on_demand=True,
    ),
    Image(
        "debian-backends-initramfs",
        "debian-host-initramfs with the programs of Debian that serve devices of guests",
        _HOST_FILE,
        (_HOST, BACKENDS),
        _backends_initramfs_recipe,
        _fill_backends_initramfs,
        on_demand=True,
    ),
)
