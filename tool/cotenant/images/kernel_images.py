# SPDX-License-Identifier: BSD-2-Clause
"""The stock Debian kernel, and modules of it."""

from functools import partial
from pathlib import Path
from shutil import copyfileobj

from cotenant.errors import ImageError

from . import modules, package
from .workshop import RECIPE, Image, Workshop

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

# What a tenant that hosts guests wants: network cards of theirs.
_HOST_MODULES = ("tun",)

MODULE_SUFFIX = ".ko"

DESK_MODULES = "debian-desk-modules"
HOST_MODULES = "debian-host-modules"


DEVICE_TREES = "debian-device-trees"
TREE_LIST = "list"
TREE_SUFFIX = ".dtb"


def _kernel_recipe(_: Workshop) -> str:
    return f"{RECIPE}-{','.join(_MODULES)}"


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
        (directory / "modules" / f"{name}{MODULE_SUFFIX}").write_bytes(content)
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


def modules_of(workshop: Workshop, image: str = "debian-kernel") -> dict[str, bytes]:
    """Return the modules that lie in an image, by name."""
    directory = workshop.store.path(image, "modules")
    return {file.stem: file.read_bytes() for file in directory.glob(f"*{MODULE_SUFFIX}")}


def _more_modules_recipe(workshop: Workshop, names: tuple[str, ...]) -> str:
    manifest = workshop.store.manifest("debian-kernel")
    return f"{RECIPE}-{manifest.source if manifest else ''}-{','.join(names)}"


def _fill_more_modules(workshop: Workshop, directory: Path, names: tuple[str, ...]) -> str:
    """Take more modules out of the package of the kernel that is there."""
    packed = {}
    with workshop.store.scratch("package.") as scratch:
        file, label = _same_package(workshop, scratch)
        workshop.report(f"unpacking {label}", 0, 0)
        for path, stream in package.members(file):
            if modules.is_module(path):
                packed[modules.module_name(path)] = stream.read()
    _write_modules(directory, modules.load_order(names, packed))
    return label


def _trees_recipe(workshop: Workshop) -> str:
    manifest = workshop.store.manifest("debian-kernel")
    return f"{RECIPE}-{manifest.source if manifest else ''}"


def _fill_trees(workshop: Workshop, directory: Path) -> str:
    """Take the device trees out of the package of the kernel that is there."""
    names = []
    with workshop.store.scratch("package.") as scratch:
        file, label = _same_package(workshop, scratch)
        workshop.report(f"unpacking {label}", 0, 0)
        for path, stream in package.members(file):
            if path.endswith(TREE_SUFFIX):
                name = path.rpartition("/")[2]
                (directory / name).write_bytes(stream.read())
                names.append(name)
    (directory / TREE_LIST).write_text("".join(f"{name}\n" for name in sorted(names)))
    return label


def _same_package(workshop: Workshop, scratch: Path) -> tuple[Path, str]:
    """Bring the package of the kernel that is there; raises ImageError if Debian has another."""
    manifest = workshop.store.manifest("debian-kernel")
    assert manifest is not None
    file, label = workshop.download(manifest.source.split(" ")[0], scratch)
    if label != manifest.source:
        raise ImageError(
            f"the kernel is {manifest.source}, and Debian now has {label}; bring that one "
            "with 'cotenant images fetch --force debian-kernel'."
        )
    return file, label


def _more_modules(name: str, purpose: str, names: tuple[str, ...]) -> Image:
    """Return the image of further modules, by their names."""
    return Image(
        name,
        f"modules of the Debian kernel for {purpose}",
        "modules/order",
        ("debian-kernel",),
        partial(_more_modules_recipe, names=names),
        partial(_fill_more_modules, names=names),
        on_demand=True,
    )


IMAGES = (
    Image(
        "debian-kernel",
        "stock Debian 13 riscv64 kernel (Image)",
        "Image",
        (),
        _kernel_recipe,
        _fill_kernel,
    ),
    _more_modules(
        DESK_MODULES, "ext4, keyboard and display, in debian-desk-initramfs", _MORE_MODULES
    ),
    _more_modules(HOST_MODULES, "those that host guests, in debian-host-initramfs", _HOST_MODULES),
    Image(
        DEVICE_TREES,
        "device trees of boards, out of the package of the Debian kernel, for 'cotenant board'",
        TREE_LIST,
        ("debian-kernel",),
        _trees_recipe,
        _fill_trees,
        on_demand=True,
    ),
)
