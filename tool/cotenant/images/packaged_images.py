# SPDX-License-Identifier: BSD-2-Clause
"""Images that are a file of one Debian package, or a few."""

from functools import partial
from pathlib import Path

from . import backends, cohost, compiler, cotenantctl, linux_bench, package
from .workshop import Image, Workshop, fixed_recipe

BENCH_PROGRAMS = "debian-bench-programs"
COMPILER = "debian-compiler"
ZSTD = "debian-zstd"
FDT = "debian-libfdt"
BACKENDS = "debian-backends"
BACKENDS_FILE = "programs.cpio"
_SPL = "u-boot-spl.bin"


def _fill_from_package(
    workshop: Workshop, directory: Path, name: str, member: str, file: str
) -> str:
    """Take the file `member` out of the package `name` and call it `file`."""
    label, content = workshop.read_package(name, member)
    (directory / file).write_bytes(content)
    return label


def _fill_bench_programs(workshop: Workshop, directory: Path) -> str:
    with workshop.store.scratch("package.") as scratch:
        archive, label = linux_bench.collect_programs(workshop.download, scratch)
    (directory / linux_bench.PROGRAMS_FILE).write_bytes(archive)
    return label


def _fill_compiler(workshop: Workshop, directory: Path) -> str:
    with workshop.store.scratch("package.") as scratch:
        archive, label = compiler.collect(workshop.download, scratch)
    (directory / compiler.FILE).write_bytes(archive)
    return label


def _fill_zstd(workshop: Workshop, directory: Path) -> str:
    with workshop.store.scratch("package.") as scratch:
        file, label = workshop.download("libzstd-dev", scratch)
        cotenantctl.unpack_zstd(file, directory)
    return label


def _fill_fdt(workshop: Workshop, directory: Path) -> str:
    with workshop.store.scratch("package.") as scratch:
        file, label = workshop.download("libfdt-dev", scratch)
        cohost.unpack_fdt(file, directory)
    return label


def _fill_backends(workshop: Workshop, directory: Path) -> str:
    """Take the programs out of their packages, which come with all that they depend on."""
    with workshop.store.scratch("packages.") as scratch:
        found = workshop.apt().download_system(
            backends.PACKAGES,
            scratch,
            lambda done, size: workshop.report("fetching back ends and libraries", done, size),
        )
        (directory / BACKENDS_FILE).write_bytes(backends.build_archive(found))
        return ", ".join(package.label(file) for file in found)


IMAGES = (
    Image(
        "busybox",
        "Debian 13 busybox-static, part of the initramfs",
        "busybox",
        (),
        fixed_recipe,
        partial(
            _fill_from_package, name="busybox-static", member="usr/bin/busybox", file="busybox"
        ),
    ),
    Image(
        "u-boot-unleashed-spl",
        "Debian 13 U-Boot SPL of the HiFive Unleashed, the boot stage before the monitor",
        _SPL,
        (),
        fixed_recipe,
        partial(
            _fill_from_package,
            name="u-boot-sifive",
            member=f"usr/lib/u-boot/sifive_unleashed/{_SPL}",
            file=_SPL,
        ),
    ),
    Image(
        "u-boot",
        "Debian 13 U-Boot for S-mode, which boots what is on a disk or in the network",
        "u-boot.elf",
        (),
        fixed_recipe,
        partial(
            _fill_from_package,
            name="u-boot-qemu",
            member="usr/lib/u-boot/qemu-riscv64_smode/uboot.elf",
            file="u-boot.elf",
        ),
        on_demand=True,
    ),
    Image(
        "u-boot-machine",
        "Debian 13 U-Boot for machine mode, which has the machine for itself",
        "u-boot-machine.elf",
        (),
        fixed_recipe,
        partial(
            _fill_from_package,
            name="u-boot-qemu",
            member="usr/lib/u-boot/qemu-riscv64/uboot.elf",
            file="u-boot-machine.elf",
        ),
        on_demand=True,
    ),
    Image(
        "opensbi",
        "Debian 13 OpenSBI (fw_jump), firmware for machine mode that starts a kernel behind it",
        "fw_jump.elf",
        (),
        fixed_recipe,
        partial(
            _fill_from_package,
            name="opensbi",
            member="usr/lib/riscv64-linux-gnu/opensbi/generic/fw_jump.elf",
            file="fw_jump.elf",
        ),
        on_demand=True,
    ),
    Image(
        BENCH_PROGRAMS,
        "Debian 13 hackbench, cyclictest, stress-ng and dbench, in debian-bench-initramfs",
        linux_bench.PROGRAMS_FILE,
        (),
        fixed_recipe,
        _fill_bench_programs,
        on_demand=True,
    ),
    Image(
        COMPILER,
        "Debian 13 C compiler (cc1 of GCC 14), for 'cotenant bench programs'",
        compiler.FILE,
        (),
        fixed_recipe,
        _fill_compiler,
        on_demand=True,
    ),
    Image(
        ZSTD,
        "Debian 13 zstd library (libzstd-dev), part of cotenantctl",
        "libzstd.a",
        (),
        fixed_recipe,
        _fill_zstd,
        on_demand=True,
    ),
    Image(
        FDT,
        "Debian 13 device tree library (libfdt-dev), part of cohost",
        "libfdt.a",
        (),
        fixed_recipe,
        _fill_fdt,
        on_demand=True,
    ),
    Image(
        BACKENDS,
        "Debian 13 virtiofsd, qemu-storage-daemon and passt, in debian-backends-initramfs",
        BACKENDS_FILE,
        (),
        fixed_recipe,
        _fill_backends,
        on_demand=True,
    ),
)
