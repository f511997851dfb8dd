# SPDX-License-Identifier: BSD-2-Clause
"""The file systems that a Linux tenant starts with, if it has no disk."""

import gzip
import hashlib
from pathlib import Path

from . import desk, linux_bench, programs
from .initramfs import build_initramfs, script
from .kernel_images import DESK_MODULES, MODULE_SUFFIX, modules_of
from .packaged_images import BENCH_PROGRAMS
from .workshop import RECIPE, Image, Workshop

# Not compressed: to unpack it would be half of the instructions of a boot.
TEST_FILE = "initramfs.cpio"


def append(first: bytes, second: bytes) -> bytes:
    """Return two archives as one initramfs; between them the kernel wants zeros up to a word."""
    return first + bytes(-len(first) % 4) + second


def _busybox_source(workshop: Workshop) -> str:
    manifest = workshop.store.manifest("busybox")
    return manifest.source if manifest else "busybox"


def _initramfs_recipe(workshop: Workshop) -> str:
    digest = hashlib.sha256(script("init") + script("profile"))
    manifest = workshop.store.manifest("busybox")
    if manifest is not None:
        digest.update(manifest.files["busybox"].sha256.encode())
    manifest = workshop.store.manifest("debian-kernel")
    if manifest is not None:
        for file in sorted(manifest.files):
            if file.endswith(MODULE_SUFFIX):
                digest.update(manifest.files[file].sha256.encode())
    examples = programs.fingerprint(workshop.tree, programs.EXAMPLES)
    return f"{RECIPE}-{digest.hexdigest()}-{examples}"


def _fill_initramfs(workshop: Workshop, directory: Path) -> str:
    workshop.report("compiling the programs of linux/examples", 0, 0)
    extra = programs.compile_programs(workshop.tree, programs.EXAMPLES)
    busybox = workshop.store.path("busybox", "busybox").read_bytes()
    image = build_initramfs(busybox, extra, modules_of(workshop))
    compressed = gzip.compress(image, compresslevel=6, mtime=0)
    (directory / "initramfs.cpio.gz").write_bytes(compressed)
    return f"{_busybox_source(workshop)}, {', '.join(extra)}"


def _test_initramfs_recipe(workshop: Workshop) -> str:
    tests = programs.fingerprint(workshop.tree, programs.TESTS)
    return f"{_initramfs_recipe(workshop)}-{tests}-{TEST_FILE}"


def _fill_test_initramfs(workshop: Workshop, directory: Path) -> str:
    workshop.report("compiling the programs of linux/tests", 0, 0)
    extra = programs.compile_programs(workshop.tree, programs.EXAMPLES)
    extra |= programs.compile_programs(workshop.tree, programs.TESTS)
    busybox = workshop.store.path("busybox", "busybox").read_bytes()
    image = build_initramfs(busybox, extra, modules_of(workshop))
    (directory / TEST_FILE).write_bytes(image)
    return f"{_busybox_source(workshop)}, {', '.join(extra)}"


def _bench_initramfs_recipe(workshop: Workshop) -> str:
    digest = hashlib.sha256()
    for name, file in (("busybox", "busybox"), (BENCH_PROGRAMS, linux_bench.PROGRAMS_FILE)):
        manifest = workshop.store.manifest(name)
        if manifest is not None:
            digest.update(manifest.files[file].sha256.encode())
    return f"{RECIPE}-{digest.hexdigest()}-{linux_bench.fingerprint(workshop.tree)}"


def _fill_bench_initramfs(workshop: Workshop, directory: Path) -> str:
    workshop.report("compiling linux/bench", 0, 0)
    busybox = workshop.store.path("busybox", "busybox").read_bytes()
    collected = workshop.store.path(BENCH_PROGRAMS, linux_bench.PROGRAMS_FILE).read_bytes()
    image = linux_bench.build_initramfs(workshop.tree, busybox, collected)
    (directory / "initramfs.cpio").write_bytes(image)
    return f"{_busybox_source(workshop)}, {BENCH_PROGRAMS}, {linux_bench.PROGRAM_NAME}"


def _load_initramfs_recipe(workshop: Workshop) -> str:
    digest = hashlib.sha256(_test_initramfs_recipe(workshop).encode())
    manifest = workshop.store.manifest(BENCH_PROGRAMS)
    if manifest is not None:
        digest.update(manifest.files[linux_bench.PROGRAMS_FILE].sha256.encode())
    return f"{RECIPE}-{digest.hexdigest()}"


def _fill_load_initramfs(workshop: Workshop, directory: Path) -> str:
    first = workshop.store.path("debian-test-initramfs", TEST_FILE).read_bytes()
    collected = workshop.store.path(BENCH_PROGRAMS, linux_bench.PROGRAMS_FILE).read_bytes()
    (directory / "initramfs.cpio").write_bytes(append(first, collected))
    return f"debian-test-initramfs, {BENCH_PROGRAMS}"


def desk_initramfs_recipe(workshop: Workshop) -> str:
    """Return the recipe of debian-desk-initramfs, for one that contains it."""
    digest = hashlib.sha256(_test_initramfs_recipe(workshop).encode())
    manifest = workshop.store.manifest(DESK_MODULES)
    if manifest is not None:
        digest.update(manifest.recipe.encode())
    return f"{RECIPE}-{digest.hexdigest()}-{desk.fingerprint(workshop.tree)}"


def _fill_desk_initramfs(workshop: Workshop, directory: Path) -> str:
    first = workshop.store.path("debian-test-initramfs", TEST_FILE).read_bytes()
    kernel_modules = modules_of(workshop) | modules_of(workshop, DESK_MODULES)
    second = desk.build_archive(workshop.tree, kernel_modules)
    (directory / "initramfs.cpio").write_bytes(append(first, second))
    return f"debian-test-initramfs, {DESK_MODULES}"


IMAGES = (
    Image(
        "debian-initramfs",
        "initramfs with a busybox shell on the console, and the virtio modules",
        "initramfs.cpio.gz",
        ("busybox", "debian-kernel"),
        _initramfs_recipe,
        _fill_initramfs,
    ),
    Image(
        "debian-test-initramfs",
        "the same with the programs of linux/tests in /bin",
        TEST_FILE,
        ("busybox", "debian-kernel"),
        _test_initramfs_recipe,
        _fill_test_initramfs,
    ),
    Image(
        "debian-bench-initramfs",
        "initramfs that measures the Linux it runs in, for `cotenant bench linux`",
        "initramfs.cpio",
        ("busybox", BENCH_PROGRAMS),
        _bench_initramfs_recipe,
        _fill_bench_initramfs,
        on_demand=True,
    ),
    Image(
        "debian-desk-initramfs",
        "debian-test-initramfs with ext4, keyboard and display, and a sleep key that works",
        "initramfs.cpio",
        ("debian-test-initramfs", DESK_MODULES),
        desk_initramfs_recipe,
        _fill_desk_initramfs,
        on_demand=True,
    ),
    Image(
        "debian-load-initramfs",
        "debian-test-initramfs with hackbench, stress-ng and the like in /bin",
        "initramfs.cpio",
        ("debian-test-initramfs", BENCH_PROGRAMS),
        _load_initramfs_recipe,
        _fill_load_initramfs,
        on_demand=True,
    ),
)
