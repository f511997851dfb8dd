# SPDX-License-Identifier: BSD-2-Clause
"""Images by name: those that the tool fetches and makes, and those that the project builds."""

import difflib
from pathlib import Path

from cotenant.errors import ImageError
from cotenant.paths import ROOT, TENANT_IMAGES

from .catalogue import CATALOGUE
from .fetch import ensure
from .progress import ProgressDisplay
from .store import Store, default_directory

__all__ = ["ImageError", "built_images", "names", "open_store", "resolve"]


def open_store() -> Store:
    """Return the store of this user's images."""
    return Store(default_directory() / "images")


def built_images() -> dict[str, Path]:
    """Return the tenant images that the project has built, by name."""
    return {file.stem: file for file in sorted(TENANT_IMAGES.glob("*.elf"))}


def names() -> list[str]:
    """Return every name that `resolve` knows now."""
    return [*CATALOGUE, *built_images()]


def resolve(name: str) -> Path:
    """Return the file of an image by its name; fetches or makes it when it is missing or altered.

    Raises ImageError with a sentence when there is no such image or it cannot be had.
    """
    if name in CATALOGUE:
        with ProgressDisplay() as display:
            return ensure(name, open_store(), ROOT, display.report)
    built = built_images()
    if name in built:
        return built[name]
    similar = difflib.get_close_matches(name, names(), n=1)
    remedy = f'did you mean "{similar[0]}"?' if similar else "`cotenant images list` names all"
    if not built:
        remedy += "; and `make build` makes more"
    raise ImageError(f"there is no image {name!r}; {remedy}")
