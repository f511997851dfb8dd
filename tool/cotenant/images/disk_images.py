# SPDX-License-Identifier: BSD-2-Clause
"""A disk with a whole Debian, and what the loader of its kernel wants of it."""

from functools import partial
from pathlib import Path
from shutil import copyfile

from . import debian_disk, package
from .workshop import RECIPE, Image, Workshop

_DISK = "debian-disk"


def _disk_recipe(_: Workshop) -> str:
    return f"{RECIPE}-{debian_disk.fingerprint()}"


def _fill_disk(workshop: Workshop, directory: Path) -> str:
    debian_disk.install_tools()
    with workshop.store.scratch("disk.") as work:
        packages = work / "packages"
        packages.mkdir()
        found = workshop.apt().download_system(
            debian_disk.PACKAGES,
            packages,
            lambda done, size: workshop.report("fetching the packages of a disk", done, size),
        )
        busybox = workshop.store.path("busybox", "busybox").read_bytes()
        debian_disk.make(found, busybox, work, directory, workshop.report)
    labels = [package.label(file) for file in found]
    (directory / "packages").write_text("".join(f"{label}\n" for label in labels))
    kernel = next(label for label in labels if label.startswith("linux-image-"))
    return f"{kernel} and {len(labels) - 1} more packages"


def _part_of_disk_recipe(workshop: Workshop) -> str:
    manifest = workshop.store.manifest(_DISK)
    return manifest.files[debian_disk.DISK_FILE].sha256 if manifest else RECIPE


def _fill_from_disk(workshop: Workshop, directory: Path, file: str) -> str:
    copyfile(workshop.store.path(_DISK, file), directory / file)
    return _DISK


def _part_of_disk(name: str, what: str, file: str) -> Image:
    return Image(
        name,
        f"the {what} that is on {_DISK}",
        file,
        (_DISK,),
        _part_of_disk_recipe,
        partial(_fill_from_disk, file=file),
        on_demand=True,
    )


IMAGES = (
    Image(
        _DISK,
        "disk with Debian 13, which U-Boot boots; some minutes to make",
        debian_disk.DISK_FILE,
        ("busybox",),
        _disk_recipe,
        _fill_disk,
        on_demand=True,
        large=True,
    ),
    _part_of_disk("debian-disk-kernel", "kernel", debian_disk.KERNEL_FILE),
    _part_of_disk("debian-disk-initrd", "initrd", debian_disk.INITRD_FILE),
)
