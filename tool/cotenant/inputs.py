# SPDX-License-Identifier: BSD-2-Clause
"""What a system is made from besides its description: images, harts, options of the board."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cotenant import abi, images
from cotenant.board import Board, BoardHart
from cotenant.config import SystemConfig, TenantConfig
from cotenant.errors import Mistakes
from cotenant.imagefile import Image, ImageFileError, read


@dataclass(frozen=True)
class TenantImages:
    """What is read from files for a tenant."""

    image: Image
    initrd: bytes | None


def locate(name: str, folder: Path) -> Path:
    """Return the file of an image: a name of the catalogue, or a path (it has a / or a dot).

    Raises ImageError with a sentence.
    """
    if "/" not in name and "." not in name:
        return images.resolve(name)
    path = folder / Path(name).expanduser()
    if not path.is_file():
        raise images.ImageError(f"there is no file {path}; build it, or correct the path")
    return path


def read_images(config: SystemConfig, mistakes: Mistakes) -> dict[str, TenantImages]:
    """Read the images of all tenants; what is missing or damaged is noted."""
    folder = config.path.parent

    @cache
    def file_of(name: str) -> Path | images.ImageError:
        try:
            return locate(name, folder)
        except images.ImageError as error:
            return error

    found = {}
    for tenant in config.tenants:
        image = _image(file_of(tenant.image), f"{tenant.key}.image", tenant.image, mistakes)
        initrd = None
        if tenant.initrd is not None:
            initrd = _bytes(file_of(tenant.initrd), f"{tenant.key}.initrd", mistakes)
        if image is not None:
            found[tenant.name] = TenantImages(image, initrd)
    return found


def _image(path: Path | images.ImageError, key: str, name: str, mistakes: Mistakes) -> Image | None:
    if isinstance(path, images.ImageError):
        mistakes.add(key, str(path))
        return None
    try:
        return read(path)
    except ImageFileError as error:
        mistakes.add(key, f'"{name}" {error}', "rebuild it, or name another image")
        return None


def _bytes(path: Path | images.ImageError, key: str, mistakes: Mistakes) -> bytes | None:
    if isinstance(path, images.ImageError):
        mistakes.add(key, str(path))
        return None
    try:
        return path.read_bytes()
    except OSError as error:
        mistakes.add(key, f"{path} cannot be read ({error.strerror})", "correct its permissions")
        return None


def harts_of(config: SystemConfig, board: Board, mistakes: Mistakes) -> tuple[BoardHart, ...]:
    """Return the harts that the machine is to have: those asked for, else those that are used."""
    ids = [hart.id for hart in board.harts]
    used = 1
    for tenant in config.tenants:
        if tenant.hart not in ids:
            mistakes.add(
                f"{tenant.key}.hart",
                f"{board.id} has no hart {tenant.hart}",
                f"choose one of {', '.join(map(str, ids))}",
            )
            continue
        used = max(used, ids.index(tenant.hart) + 1)
    count = used if config.harts is None else config.harts
    if count > len(ids):
        mistakes.add("harts", f"{board.id} has no more than {len(ids)} harts", "ask for fewer")
    elif count < used:
        mistakes.add(
            "harts", f"a tenant runs on hart {ids[used - 1]}", f"write harts = {used}, or leave it"
        )
    _check_sharing(config.tenants, mistakes)
    return board.harts[:count]


def _check_sharing(tenants: tuple[TenantConfig, ...], mistakes: Mistakes) -> None:
    """Refuse what the monitor cannot schedule: it runs all tenants on one hart so far."""
    most = abi.limit("MAX_VHARTS_PER_HART")
    for tenant in tenants[1:]:
        if tenant.hart != tenants[0].hart:
            mistakes.add(
                f"{tenant.key}.hart",
                f'is {tenant.hart}, while tenant "{tenants[0].name}" is on hart {tenants[0].hart}',
                "put all tenants on one hart: the monitor does not run them on several yet",
            )
    if len(tenants) > most:
        mistakes.add(
            f"{tenants[most].key}.hart",
            f"{len(tenants)} tenants share a hart, and at most {most} can",
            "remove some",
        )


def sstc_of(config: SystemConfig, board: Board, wanted: bool | None, mistakes: Mistakes) -> bool:
    """Return whether tenants get Sstc; `wanted` (the command line) goes before the file."""
    chosen = config.sstc if wanted is None else wanted
    if chosen and not board.sstc:
        mistakes.add("sstc", f"the harts of {board.id} have no Sstc", "write sstc = false")
    return board.sstc if chosen is None else chosen
