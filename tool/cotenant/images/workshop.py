# SPDX-License-Identifier: BSD-2-Clause
"""What an image of the catalogue is, and what its recipe works with."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import package
from .apt import PrivateApt
from .store import Store

# Called with a phrase that says what is going on, the bytes done and the bytes expected; both are
# 0 where there is nothing to count.
Report = Callable[[str, int, int], None]

# Raised when the recipes make something else out of the same input.
RECIPE = "1"


@dataclass(frozen=True)
class Image:
    """An image of the catalogue."""

    name: str
    description: str
    file: str  # the file that a tenant is given, within the image's directory
    needs: tuple[str, ...]  # images that must be there before
    recipe: Callable[["Workshop"], str]  # a text that changes when the image would
    fill: Callable[["Workshop", Path], str]  # makes the files, returns where they came from
    on_demand: bool = False  # only made when it is asked for by name
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

    def read_package(self, name: str, member: str) -> tuple[str, bytes]:
        """Return a package's name with version, and the content of a file in it."""
        with self.store.scratch("package.") as scratch:
            file, label = self.download(name, scratch)
            return label, package.read_member(file, member)


def fixed_recipe(_: Workshop) -> str:
    """Return the recipe of what changes only when it is fetched anew."""
    return RECIPE
