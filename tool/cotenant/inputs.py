# SPDX-License-Identifier: BSD-2-Clause
"""What a system is made from besides its description: images, harts, options of the board."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from cotenant import abi, images
from cotenant.board import Board, BoardHart
from cotenant.board_import.tree import Tree, TreeError
from cotenant.config import SystemConfig, TenantConfig
from cotenant.errors import Mistakes
from cotenant.imagefile import NEXT_STAGE, RAW, Image, ImageFileError, joined, next_stage, read
from cotenant.layout import devicetree_room
from cotenant.machine_code import (
    MachineInstruction,
    find_machine_instruction,
    find_supervisor_instruction,
)


@dataclass(frozen=True)
class TenantImages:
    """What is read from files for a tenant."""

    image: Image
    initrd: bytes | None
    devicetree: bytes | None = None
    """the board's own device tree, as the file has it"""

    @property
    def devicetree_room(self) -> int:
        """Bytes that are kept for the tenant's device tree."""
        return devicetree_room(len(self.devicetree or b""))


def is_name(image: str) -> bool:
    """Tell whether an image is given by its name in the catalogue; else it is a path."""
    return "/" not in image and "." not in image


def locate(name: str, folder: Path) -> Path:
    """Return the file of an image: a name of the catalogue, or a path (it has a / or a dot).

    Raises ImageError with a sentence.
    """
    if is_name(name):
        return images.resolve(name)
    path = folder / Path(name).expanduser()
    if not path.is_file():
        raise images.ImageError(f"there is no file {path}; build it, or correct the path")
    return path


def read_images(config: SystemConfig, mistakes: Mistakes) -> dict[str, TenantImages]:
    """Read the images of all tenants; what is missing or damaged is noted."""
    folder = config.path.parent
    _check_next_stage(config.tenants, mistakes)
    _check_handed_over(config.tenants, mistakes)

    @cache
    def file_of(name: str) -> Path | images.ImageError:
        try:
            return locate(name, folder)
        except images.ImageError as error:
            return error

    found = {}
    for tenant in config.tenants:
        if tenant.next_stage is not None:
            image: Image | None = next_stage(tenant.next_stage.size, tenant.next_stage.base)
        else:
            image = _image(file_of(tenant.image), tenant, mistakes)
        if image is not None and tenant.kernel is not None:
            image = _with_kernel(image, file_of(tenant.kernel), tenant, mistakes)
        initrd = None
        if tenant.initrd is not None:
            initrd = _bytes(file_of(tenant.initrd), f"{tenant.key}.initrd", mistakes)
        tree = None
        if tenant.devicetree is not None:
            tree = _devicetree(folder, tenant, mistakes)
        if image is not None:
            found[tenant.name] = TenantImages(image, initrd, tree)
    return found


def _check_next_stage(tenants: tuple[TenantConfig, ...], mistakes: Mistakes) -> None:
    """Refuse next stages of different sizes: there is only one."""
    sizes: dict[str, int] = {}
    for tenant in tenants:
        if tenant.next_stage is None:
            continue
        sizes[tenant.name] = tenant.next_stage.size
        first = next(iter(sizes))
        if sizes[first] != tenant.next_stage.size:
            mistakes.add(
                f"{tenant.key}.image.next-stage",
                f'differs from what tenant "{first}" says, and there is one next stage',
                "write the same size",
            )


def _check_handed_over(tenants: tuple[TenantConfig, ...], mistakes: Mistakes) -> None:
    """Refuse a tree that is handed over to two."""
    having = [tenant for tenant in tenants if tenant.tree_is_handed_over]
    for tenant in having[1:]:
        mistakes.add(
            f"{tenant.key}.devicetree",
            f'tenant "{having[0].name}" has the tree that is handed over, and one tenant can',
            f'write devicetree = "{tenant.devicetree}", or nothing',
        )


def _with_kernel(
    image: Image, path: Path | images.ImageError, tenant: TenantConfig, mistakes: Mistakes
) -> Image | None:
    """Return the image, which is firmware, with what it starts."""
    key = f"{tenant.key}.kernel"
    if isinstance(path, images.ImageError):
        mistakes.add(key, str(path))
        return None
    try:
        return joined(image, read(path), tenant.kernel_offset)
    except ImageFileError as error:
        mistakes.add(key, f'"{tenant.kernel}" {error}', "name another image, or correct the offset")
        return None


def _image(
    path: Path | images.ImageError, tenant: TenantConfig, mistakes: Mistakes
) -> Image | None:
    key = f"{tenant.key}.image"
    if isinstance(path, images.ImageError):
        mistakes.add(key, str(path))
        return None
    try:
        image = read(path)
    except ImageFileError as error:
        mistakes.add(key, f'"{tenant.image}" {error}', "rebuild it, or name another image")
        return None
    if tenant.image_address is not None:
        if image.kind != RAW:
            mistakes.add(
                f"{key}.address",
                f'"{tenant.image}" is no raw image but a {image.kind}, which says where it goes',
                f'write image = "{tenant.image}", and give memory a base if it can be anywhere',
            )
            return None
        image = image.fixed_at(tenant.image_address)
    found = None if tenant.machine else find_machine_instruction(image)
    if found is not None and found.certain:
        mistakes.add(
            key,
            f'"{tenant.image}" was built for machine mode: its start executes `{found.text}`, at '
            f"{_place(found, image)}",
            'add mode = "machine" (docs/machine-mode.md), or rebuild it for supervisor mode '
            "(S-mode, with SBI calls), where it is faster",
        )
        return None
    return image


def machine_mode_warnings(
    tenants: tuple[TenantConfig, ...], images_read: dict[str, TenantImages]
) -> list[str]:
    """Return a sentence for each image that may need another mode than its tenant has."""
    warnings = []
    configured = {tenant.name: tenant for tenant in tenants}
    for name, each in images_read.items():
        tenant = configured.get(name)
        if tenant is not None and tenant.machine:
            warnings += _s_mode_warnings(tenant, each.image)
            continue
        found = find_machine_instruction(each.image)
        if found is not None and each.image.kind != NEXT_STAGE:
            warnings.append(
                f"the image of tenant {name} has `{found.text}` near its entry, at "
                f"{_place(found, each.image)}: if it was built for machine mode, add "
                'mode = "machine", or rebuild it for supervisor mode (S-mode, with SBI calls)'
            )
    return warnings


def _s_mode_warnings(tenant: TenantConfig, image: Image) -> list[str]:
    """Return a sentence if a tenant in machine mode seems to need S-mode below it and has none."""
    if tenant.s_mode:
        return []
    if tenant.kernel is not None:
        return [
            f"tenant {tenant.name} has firmware and a kernel behind it, but no S-mode to start "
            "that in: add s-mode = true"
        ]
    found = find_supervisor_instruction(image)
    if found is None:
        return []
    return [
        f"the image of tenant {tenant.name} has `{found.text}` near its entry, at "
        f"{_place(found, image)}: if it starts a kernel in supervisor mode, add s-mode = true"
    ]


def _place(found: MachineInstruction, image: Image) -> str:
    return f"{found.address:#x}" + (" from its beginning" if image.relocatable else "")


def _bytes(path: Path | images.ImageError, key: str, mistakes: Mistakes) -> bytes | None:
    if isinstance(path, images.ImageError):
        mistakes.add(key, str(path))
        return None
    try:
        return path.read_bytes()
    except OSError as error:
        mistakes.add(key, f"{path} cannot be read ({error.strerror})", "correct its permissions")
        return None


def _devicetree(folder: Path, tenant: TenantConfig, mistakes: Mistakes) -> bytes | None:
    """Return a tenant's device tree; what is no file of one is noted."""
    key = f"{tenant.key}.devicetree"
    path = folder / Path(tenant.devicetree or "").expanduser()
    if not path.is_file():
        mistakes.add(
            key,
            f"there is no file {path}",
            "name the board's device tree; a Linux on the board has it in /sys/firmware/fdt",
        )
        return None
    data = _bytes(path, key, mistakes)
    if data is None:
        return None
    try:
        Tree(data)
    except TreeError as error:
        mistakes.add(key, f"{path}: {error}", "name a flattened device tree (.dtb)")
        return None
    return data


def with_harts(config: SystemConfig, board: Board) -> SystemConfig:
    """Give each tenant of which the file names no hart the board's first in which tenants run."""
    first = next((hart.id for hart in board.harts if hart.has_s_mode), board.harts[0].id)
    tenants = tuple(
        tenant if tenant.harts else replace(tenant, harts=(first,)) for tenant in config.tenants
    )
    return replace(config, tenants=tenants)


def harts_of(config: SystemConfig, board: Board, mistakes: Mistakes) -> tuple[BoardHart, ...]:
    """Return the harts that the machine is to have: those asked for, else those that are used.

    A board with `all_harts` has no choice.
    """
    ids = [hart.id for hart in board.harts]
    used = 1
    for tenant in config.tenants:
        _check_harts(tenant, board, mistakes)
        used = max([used, *(ids.index(hart) + 1 for hart in tenant.harts if hart in ids)])
    count = used if config.harts is None else config.harts
    if board.all_harts:
        count = len(ids)
    if config.harts not in (None, count):
        mistakes.add("harts", f"{board.id} always has {count} harts", "leave the key out")
    elif count > len(ids):
        mistakes.add("harts", f"{board.id} has no more than {len(ids)} harts", "ask for fewer")
    elif count < used:
        mistakes.add(
            "harts", f"a tenant runs on hart {ids[used - 1]}", f"write harts = {used}, or leave it"
        )
    _check_sharing(config.tenants, mistakes)
    _check_messages(config.tenants, board, mistakes)
    return board.harts[:count]


def _check_harts(tenant: TenantConfig, board: Board, mistakes: Mistakes) -> None:
    """Refuse harts on which no tenant can run."""
    usable = [hart.id for hart in board.harts if hart.has_s_mode]
    for hart in tenant.harts:
        if hart not in usable:
            exists = any(each.id == hart for each in board.harts)
            mistakes.add(
                tenant.harts_place,
                f"hart {hart} of {board.id} has no S-mode, in which tenants run"
                if exists
                else f"{board.id} has no hart {hart}",
                f"choose from {', '.join(map(str, usable))}",
            )


def _check_sharing(tenants: tuple[TenantConfig, ...], mistakes: Mistakes) -> None:
    """Refuse more vharts than the monitor has room for, on one hart or in all."""
    most = abi.limit("MAX_VHARTS_PER_HART")
    for hart in sorted({hart for tenant in tenants for hart in tenant.harts}):
        sharing = [tenant for tenant in tenants if hart in tenant.harts]
        if len(sharing) > most:
            mistakes.add(
                sharing[most].harts_place,
                f"{len(sharing)} tenants share hart {hart}, and at most {most} can",
                "move some to other harts, or remove them",
            )
    most = abi.limit("MAX_VHARTS")
    total = 0
    for tenant in tenants:
        before, total = total, total + len(tenant.harts)
        if before <= most < total:
            mistakes.add(
                tenant.harts_place,
                f"with this tenant the system has {total} vharts, and at most {most} can be",
                "give some tenants fewer harts",
            )


def _check_messages(tenants: tuple[TenantConfig, ...], board: Board, mistakes: Mistakes) -> None:
    """Refuse several harts where the monitor's harts cannot interrupt each other."""
    if board.aclint.msip or not tenants:
        return
    boot_hart = tenants[0].harts[0]
    for tenant in tenants:
        others = [hart for hart in tenant.harts if hart != boot_hart]
        if others:
            mistakes.add(
                tenant.harts_place,
                f"{board.id} has no inter-processor interrupts, by which the monitor on the boot "
                f"hart {boot_hart} reaches hart {others[0]}",
                f"put every tenant on hart {boot_hart} alone",
            )


def sstc_of(config: SystemConfig, board: Board, wanted: bool | None, mistakes: Mistakes) -> bool:
    """Return whether tenants get Sstc; `wanted` (the command line) goes before the file."""
    chosen = config.sstc if wanted is None else wanted
    if chosen and not board.sstc:
        mistakes.add("sstc", f"the harts of {board.id} have no Sstc", "write sstc = false")
    return board.sstc if chosen is None else chosen
