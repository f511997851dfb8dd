# SPDX-License-Identifier: BSD-2-Clause
"""Makes sure that an image of the catalogue is there, complete and up to date."""

from pathlib import Path

from .catalogue import CATALOGUE
from .store import Store
from .workshop import Report, Workshop

_WAITS = "waiting: another process is making images"


def ensure(name: str, store: Store, tree: Path, report: Report, *, force: bool = False) -> Path:
    """Return the file of an image, which is fetched or made when it is not there as it must be.

    With `force` the image and all it needs are made anew, from the newest packages. Raises
    ImageError when that cannot be done.
    """
    workshop = Workshop(store, tree, report)
    if force or not is_current(name, workshop):
        with store.lock(lambda: report(_WAITS, 0, 0)):
            _make(name, workshop, force=force)
    return store.path(name, CATALOGUE[name].file)


def is_current(name: str, workshop: Workshop) -> bool:
    """Tell whether the file of an image is there, intact, and what today's recipes make.

    Of the images that it was made from only the recipes are looked at: their files may be gone.
    """
    image = CATALOGUE[name]
    return (
        workshop.store.manifest(name) is not None
        and not _is_old(name, workshop)
        and not workshop.store.faults(name, [image.file], sizes_only=image.large)
    )


def _is_old(name: str, workshop: Workshop) -> bool:
    """Tell whether an image, or one that it was made from, is there from another recipe."""
    manifest = workshop.store.manifest(name)
    if manifest is not None and manifest.recipe != CATALOGUE[name].recipe(workshop):
        return True
    return any(_is_old(need, workshop) for need in CATALOGUE[name].needs)


def _make(name: str, workshop: Workshop, *, force: bool) -> None:
    """Make an image after those that it needs. Another process may have been quicker."""
    image = CATALOGUE[name]
    for need in image.needs:
        _make(need, workshop, force=force)
    if force or not is_current(name, workshop):
        workshop.report(f"making {name}", 0, 0)
        recipe = image.recipe(workshop)
        workshop.store.add(name, recipe, lambda directory: image.fill(workshop, directory))
