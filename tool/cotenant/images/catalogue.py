# SPDX-License-Identifier: BSD-2-Clause
"""The images that the tool brings itself, how each is made, and where its file is.

Two are parts of others and have no file of their own for a tenant: the busybox program goes into
every initramfs, the modules lie beside the kernel.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import copyfile, copyfileobj

from . import cotenantctl, debian_disk, desk, linux_bench, modules, package, programs
from .apt import PrivateApt
from .errors import ImageError
from .initramfs import build_initramfs, script
from .store import Store

# Called with a phrase that says what is going on, the bytes done and the bytes expected; both are
# 0 where there is nothing to count.
Report = Callable[[str, int, int], None]

# Modules that a tenant on virtual hardware wants and that the kernel does not have built in.
_MODULES = (
    "virtio_mmio",
    "virtio_blk",
    "virtio_net",
    "virtio_rng",
    "vmw_vsock_virtio_transport",
    "sunxi_wdt",
)

# What a tenant with a disk, a keyboard and a display wants besides.
_MORE_MODULES = ("crc32c_generic", "ext4", "evdev", "virtio_input", "bochs")

_MODULE_SUFFIX = ".ko"

# Raised when the code below makes something else out of the same input.
_RECIPE = "1"

_BENCH_PROGRAMS = "debian-bench-programs"
_SPL = "u-boot-spl.bin"
_DESK_MODULES = "debian-desk-modules"
_ZSTD = "debian-zstd"
_CONTROL = "cotenantctl"
_DISK = "debian-disk"


@dataclass(frozen=True)
class Image:
    """An image of the catalogue."""

    name: str
    description: str
    file: str  # the file that a tenant is given, within the image's directory
    needs: tuple[str, ...]  # images that must be there before
    recipe: Callable[["Workshop"], str]  # a text that changes when the image would
    fill: Callable[["Workshop", Path], str]  # makes the files, returns where they came from
    on_demand: bool = False  # only made when somebody asks for it by name
    large: bool = False  # before use only its size is checked: reading it would take seconds


class Workshop:
    """What the recipes work with: the store, the sources, apt (asked only when needed)."""

    def __init__(self, store: Store, tree: Path, report: Report) -> None:
        """Work in `store`, with the project's sources at `tree`."""
        self.store = store
        self.tree = tree
        self.report = report
        self._apt: PrivateApt | None = None

    def apt(self) -> PrivateApt:
        """Return our apt, with a verified index."""
        if self._apt is None:
            apt = PrivateApt(self.store.directory / ".apt")
            self.report("reading the index of Debian packages", 0, 0)
            apt.update()
            self._apt = apt
        return self._apt

    def download(self, name: str, directory: Path) -> tuple[Path, str]:
        """Bring a package into `directory`; return its path, and its name with version."""
        found = self.apt().show(name)
        label = f"{found.name} {found.version}"
        file = self.apt().download(
            found, directory, lambda done, size: self.report(f"fetching {label}", done, size)
        )
        return file, label


def _fill_kernel(workshop: Workshop, directory: Path) -> str:
    """Take the Image and some modules out of the package that linux-image-riscv64 stands for."""
    depends = workshop.apt().show("linux-image-riscv64").depends
    real = depends.split(",")[0].split(" ")[0]
    if not real.startswith("linux-image-"):
        raise ImageError(f"linux-image-riscv64 depends on {depends!r} instead of a kernel package.")
    with workshop.store.scratch("package.") as scratch:
        file, label = workshop.download(real, scratch)
        workshop.report(f"unpacking {label}", 0, 0)
        packed = _unpack_kernel(file, directory)
    _write_modules(directory, modules.load_order(_MODULES, packed))
    return label


def _write_modules(directory: Path, wanted: dict[str, bytes]) -> None:
    (directory / "modules").mkdir()
    for name, content in wanted.items():
        (directory / "modules" / f"{name}{_MODULE_SUFFIX}").write_bytes(content)
    (directory / "modules" / "order").write_text("".join(f"{name}\n" for name in wanted))


def _unpack_kernel(file: Path, directory: Path) -> dict[str, bytes]:
    """Write `Image` and `config` into `directory`; return the compressed modules by name."""
    packed = {}
    for path, stream in package.members(file):
        if path.startswith("boot/vmlinu"):
            with (directory / "Image").open("wb") as output:
                copyfileobj(stream, output)
        elif path.startswith("boot/config-"):
            (directory / "config").write_bytes(stream.read())
        elif modules.is_module(path):
            packed[modules.module_name(path)] = stream.read()
    if not _is_riscv_image(directory / "Image"):
        raise ImageError(
            f"package {file.name} holds no RISC-V Image in boot; its layout has changed."
        )
    return packed


def _is_riscv_image(file: Path) -> bool:
    """Tell a raw Image by its second magic number ("boot image header" in the kernel's docs)."""
    if not file.exists():
        return False
    with file.open("rb") as stream:
        return stream.read(60)[56:] == b"RSC\x05"


def _fill_busybox(workshop: Workshop, directory: Path) -> str:
    with workshop.store.scratch("package.") as scratch:
        file, label = workshop.download("busybox-static", scratch)
        (directory / "busybox").write_bytes(package.read_member(file, "usr/bin/busybox"))
    return label


def _fill_unleashed_spl(workshop: Workshop, directory: Path) -> str:
    with workshop.store.scratch("package.") as scratch:
        file, label = workshop.download("u-boot-sifive", scratch)
        content = package.read_member(file, f"usr/lib/u-boot/sifive_unleashed/{_SPL}")
    (directory / _SPL).write_bytes(content)
    return label


def _initramfs_recipe(workshop: Workshop) -> str:
    digest = hashlib.sha256(script("init") + script("profile"))
    manifest = workshop.store.manifest("busybox")
    if manifest is not None:
        digest.update(manifest.files["busybox"].sha256.encode())
    manifest = workshop.store.manifest("debian-kernel")
    if manifest is not None:
        for file in sorted(manifest.files):
            if file.endswith(_MODULE_SUFFIX):
                digest.update(manifest.files[file].sha256.encode())
    examples = programs.fingerprint(workshop.tree, programs.EXAMPLES)
    return f"{_RECIPE}-{digest.hexdigest()}-{examples}"


def _modules_of(workshop: Workshop, image: str = "debian-kernel") -> dict[str, bytes]:
    """Return the modules that lie in an image, by name."""
    directory = workshop.store.path(image, "modules")
    return {file.stem: file.read_bytes() for file in directory.glob(f"*{_MODULE_SUFFIX}")}


def _fill_initramfs(workshop: Workshop, directory: Path) -> str:
    workshop.report("compiling the programs of linux/examples", 0, 0)
    extra = programs.compile_programs(workshop.tree, programs.EXAMPLES)
    busybox = workshop.store.path("busybox", "busybox").read_bytes()
    image = build_initramfs(busybox, extra, _modules_of(workshop))
    (directory / "initramfs.cpio.gz").write_bytes(image)
    return f"{_busybox_source(workshop)}, {', '.join(extra)}"


def _test_initramfs_recipe(workshop: Workshop) -> str:
    tests = programs.fingerprint(workshop.tree, programs.TESTS)
    return f"{_initramfs_recipe(workshop)}-{tests}"


def _fill_test_initramfs(workshop: Workshop, directory: Path) -> str:
    workshop.report("compiling the programs of linux/tests", 0, 0)
    extra = programs.compile_programs(workshop.tree, programs.EXAMPLES)
    extra |= programs.compile_programs(workshop.tree, programs.TESTS)
    busybox = workshop.store.path("busybox", "busybox").read_bytes()
    image = build_initramfs(busybox, extra, _modules_of(workshop))
    (directory / "initramfs.cpio.gz").write_bytes(image)
    return f"{_busybox_source(workshop)}, {', '.join(extra)}"


def _fill_bench_programs(workshop: Workshop, directory: Path) -> str:
    with workshop.store.scratch("package.") as scratch:
        archive, label = linux_bench.collect_programs(workshop.download, scratch)
    (directory / linux_bench.PROGRAMS_FILE).write_bytes(archive)
    return label


def _bench_initramfs_recipe(workshop: Workshop) -> str:
    digest = hashlib.sha256()
    for name, file in (("busybox", "busybox"), (_BENCH_PROGRAMS, linux_bench.PROGRAMS_FILE)):
        manifest = workshop.store.manifest(name)
        if manifest is not None:
            digest.update(manifest.files[file].sha256.encode())
    return f"{_RECIPE}-{digest.hexdigest()}-{linux_bench.fingerprint(workshop.tree)}"


def _fill_bench_initramfs(workshop: Workshop, directory: Path) -> str:
    workshop.report("compiling linux/bench", 0, 0)
    busybox = workshop.store.path("busybox", "busybox").read_bytes()
    collected = workshop.store.path(_BENCH_PROGRAMS, linux_bench.PROGRAMS_FILE).read_bytes()
    image = linux_bench.build_initramfs(workshop.tree, busybox, collected)
    (directory / "initramfs.cpio").write_bytes(image)
    return f"{_busybox_source(workshop)}, {_BENCH_PROGRAMS}, {linux_bench.PROGRAM_NAME}"


def _load_initramfs_recipe(workshop: Workshop) -> str:
    digest = hashlib.sha256(_test_initramfs_recipe(workshop).encode())
    manifest = workshop.store.manifest(_BENCH_PROGRAMS)
    if manifest is not None:
        digest.update(manifest.files[linux_bench.PROGRAMS_FILE].sha256.encode())
    return f"{_RECIPE}-{digest.hexdigest()}"


def _fill_load_initramfs(workshop: Workshop, directory: Path) -> str:
    """Put the two archives together; between them the kernel wants zeros up to a word."""
    first = workshop.store.path("debian-test-initramfs", "initramfs.cpio.gz").read_bytes()
    collected = workshop.store.path(_BENCH_PROGRAMS, linux_bench.PROGRAMS_FILE).read_bytes()
    image = first + bytes(-len(first) % 4) + collected
    (directory / "initramfs.cpio").write_bytes(image)
    return f"debian-test-initramfs, {_BENCH_PROGRAMS}"


def _desk_modules_recipe(workshop: Workshop) -> str:
    manifest = workshop.store.manifest("debian-kernel")
    return f"{_RECIPE}-{manifest.source if manifest else ''}-{','.join(_MORE_MODULES)}"


def _fill_desk_modules(workshop: Workshop, directory: Path) -> str:
    """Take more modules out of the package of the kernel that is there."""
    manifest = workshop.store.manifest("debian-kernel")
    assert manifest is not None
    packed = {}
    with workshop.store.scratch("package.") as scratch:
        file, label = workshop.download(manifest.source.split(" ")[0], scratch)
        if label != manifest.source:
            raise ImageError(
                f"the kernel is {manifest.source}, and Debian now has {label}; bring that one "
                "with 'cotenant images fetch --force debian-kernel'."
            )
        workshop.report(f"unpacking {label}", 0, 0)
        for path, stream in package.members(file):
            if modules.is_module(path):
                packed[modules.module_name(path)] = stream.read()
    wanted = modules.load_order(_MORE_MODULES, packed)
    _write_modules(directory, wanted)
    return label


def _desk_initramfs_recipe(workshop: Workshop) -> str:
    digest = hashlib.sha256(_test_initramfs_recipe(workshop).encode())
    manifest = workshop.store.manifest(_DESK_MODULES)
    if manifest is not None:
        digest.update(manifest.recipe.encode())
    return f"{_RECIPE}-{digest.hexdigest()}-{desk.fingerprint(workshop.tree)}"


def _fill_desk_initramfs(workshop: Workshop, directory: Path) -> str:
    """Put the two archives together; between them the kernel wants zeros up to a word."""
    first = workshop.store.path("debian-test-initramfs", "initramfs.cpio.gz").read_bytes()
    kernel_modules = _modules_of(workshop) | _modules_of(workshop, _DESK_MODULES)
    second = desk.build_archive(workshop.tree, kernel_modules)
    (directory / "initramfs.cpio").write_bytes(first + bytes(-len(first) % 4) + second)
    return f"debian-test-initramfs, {_DESK_MODULES}"


def _fill_zstd(workshop: Workshop, directory: Path) -> str:
    with workshop.store.scratch("package.") as scratch:
        file, label = workshop.download("libzstd-dev", scratch)
        cotenantctl.unpack_zstd(file, directory)
    return label


def _control_recipe(workshop: Workshop) -> str:
    digest = hashlib.sha256()
    manifest = workshop.store.manifest(_ZSTD)
    if manifest is not None:
        digest.update(manifest.files["libzstd.a"].sha256.encode())
    return f"{_RECIPE}-{digest.hexdigest()}-{cotenantctl.fingerprint(workshop.tree)}"


def _fill_control(workshop: Workshop, directory: Path) -> str:
    workshop.report("compiling cotenantctl", 0, 0)
    program = cotenantctl.compile_program(workshop.tree, workshop.store.directory / _ZSTD)
    (directory / cotenantctl.PROGRAM).write_bytes(program)
    manifest = workshop.store.manifest(_ZSTD)
    return manifest.source if manifest else _ZSTD


def _control_initramfs_recipe(workshop: Workshop) -> str:
    return f"{_desk_initramfs_recipe(workshop)}-{_control_recipe(workshop)}"


def _fill_control_initramfs(workshop: Workshop, directory: Path) -> str:
    """Put the two archives together; between them the kernel wants zeros up to a word."""
    first = workshop.store.path("debian-desk-initramfs", "initramfs.cpio").read_bytes()
    program = workshop.store.path(_CONTROL, cotenantctl.PROGRAM).read_bytes()
    second = cotenantctl.build_archive(program)
    (directory / "initramfs.cpio").write_bytes(first + bytes(-len(first) % 4) + second)
    return f"debian-desk-initramfs, {_CONTROL}"


def _fill_u_boot(workshop: Workshop, directory: Path) -> str:
    with workshop.store.scratch("package.") as scratch:
        file, label = workshop.download("u-boot-qemu", scratch)
        program = package.read_member(file, "usr/lib/u-boot/qemu-riscv64_smode/uboot.elf")
    (directory / "u-boot.elf").write_bytes(program)
    return label


def _disk_recipe(_: Workshop) -> str:
    return f"{_RECIPE}-{debian_disk.fingerprint()}"


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
        debian_disk.make(
            found, busybox, work, directory, lambda phrase: workshop.report(phrase, 0, 0)
        )
    labels = [package.label(file) for file in found]
    (directory / "packages").write_text("".join(f"{label}\n" for label in labels))
    kernel = next(label for label in labels if label.startswith("linux-image-"))
    return f"{kernel} and {len(labels) - 1} more packages"


def _part_of_disk_recipe(workshop: Workshop) -> str:
    manifest = workshop.store.manifest(_DISK)
    return manifest.files[debian_disk.DISK_FILE].sha256 if manifest else _RECIPE


def _fill_from_disk(workshop: Workshop, directory: Path, file: str) -> str:
    copyfile(workshop.store.path(_DISK, file), directory / file)
    return _DISK


def _busybox_source(workshop: Workshop) -> str:
    manifest = workshop.store.manifest("busybox")
    return manifest.source if manifest else "busybox"


def _fixed_recipe(_: Workshop) -> str:
    return _RECIPE


def _kernel_recipe(_: Workshop) -> str:
    return f"{_RECIPE}-{','.join(_MODULES)}"


CATALOGUE = {
    image.name: image
    for image in (
        Image(
            "debian-kernel",
            "stock Debian 13 riscv64 kernel (Image)",
            "Image",
            (),
            _kernel_recipe,
            _fill_kernel,
        ),
        Image(
            "busybox",
            "Debian 13 busybox-static, part of the initramfs",
            "busybox",
            (),
            _fixed_recipe,
            _fill_busybox,
        ),
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
            "initramfs.cpio.gz",
            ("busybox", "debian-kernel"),
            _test_initramfs_recipe,
            _fill_test_initramfs,
        ),
        Image(
            "u-boot-unleashed-spl",
            "Debian 13 U-Boot SPL of the HiFive Unleashed, the boot stage before the monitor",
            _SPL,
            (),
            _fixed_recipe,
            _fill_unleashed_spl,
        ),
        Image(
            _BENCH_PROGRAMS,
            "Debian 13 hackbench, cyclictest, stress-ng and dbench, part of those below",
            linux_bench.PROGRAMS_FILE,
            (),
            _fixed_recipe,
            _fill_bench_programs,
            on_demand=True,
        ),
        Image(
            "debian-bench-initramfs",
            "initramfs that measures the Linux it runs in, for `cotenant bench linux`",
            "initramfs.cpio",
            ("busybox", _BENCH_PROGRAMS),
            _bench_initramfs_recipe,
            _fill_bench_initramfs,
            on_demand=True,
        ),
        Image(
            _DESK_MODULES,
            "modules of the Debian kernel for ext4, keyboard and display, part of the one below",
            "modules/order",
            ("debian-kernel",),
            _desk_modules_recipe,
            _fill_desk_modules,
            on_demand=True,
        ),
        Image(
            "debian-desk-initramfs",
            "debian-test-initramfs with ext4, keyboard and display, and a sleep key that works",
            "initramfs.cpio",
            ("debian-test-initramfs", _DESK_MODULES),
            _desk_initramfs_recipe,
            _fill_desk_initramfs,
            on_demand=True,
        ),
        Image(
            _ZSTD,
            "Debian 13 zstd library (libzstd-dev), part of the one below",
            "libzstd.a",
            (),
            _fixed_recipe,
            _fill_zstd,
            on_demand=True,
        ),
        Image(
            _CONTROL,
            "cotenantctl for riscv64 Linux, one static program",
            cotenantctl.PROGRAM,
            (_ZSTD,),
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
        Image(
            "debian-load-initramfs",
            "debian-test-initramfs with hackbench, stress-ng and the like in /bin",
            "initramfs.cpio",
            ("debian-test-initramfs", _BENCH_PROGRAMS),
            _load_initramfs_recipe,
            _fill_load_initramfs,
            on_demand=True,
        ),
        Image(
            "u-boot",
            "Debian 13 U-Boot for S-mode, which boots what is on a disk or in the network",
            "u-boot.elf",
            (),
            _fixed_recipe,
            _fill_u_boot,
            on_demand=True,
        ),
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
        Image(
            "debian-disk-kernel",
            "the kernel that is on debian-disk",
            debian_disk.KERNEL_FILE,
            (_DISK,),
            _part_of_disk_recipe,
            partial(_fill_from_disk, file=debian_disk.KERNEL_FILE),
            on_demand=True,
        ),
        Image(
            "debian-disk-initrd",
            "the initrd that is on debian-disk",
            debian_disk.INITRD_FILE,
            (_DISK,),
            _part_of_disk_recipe,
            partial(_fill_from_disk, file=debian_disk.INITRD_FILE),
            on_demand=True,
        ),
    )
}
