# SPDX-License-Identifier: BSD-2-Clause
"""A program for Linux that is compiled from the project's sources with libraries of images."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from .workshop import RECIPE, Image, Workshop


def digest(workshop: Workshop, parts: Iterable[tuple[str, str]]) -> str:
    """Return a text that changes with files of images: names of images, each with its file."""
    made = hashlib.sha256()
    for name, file in parts:
        manifest = workshop.store.manifest(name)
        if manifest is not None:
            made.update(manifest.files[file].sha256.encode())
    return made.hexdigest()


@dataclass(frozen=True)
class LinkedProgram:
    """What it is made of."""

    name: str
    """of the image, and of the file in it"""
    libraries: tuple[tuple[str, str], ...]
    """the images that have the libraries, each with its file"""
    fingerprint: Callable[[Path], str]
    """a text that changes with the sources, which are in a tree"""
    compile: Callable[..., bytes]
    """compiles the sources of a tree with the libraries in a folder each"""

    def recipe(self, workshop: Workshop) -> str:
        """Return a text that changes when the program would."""
        libraries = digest(workshop, self.libraries)
        return f"{RECIPE}-{libraries}-{self.fingerprint(workshop.tree)}"

    def fill(self, workshop: Workshop, directory: Path) -> str:
        """Make the file; return where what is in it came from."""
        workshop.report(f"compiling {self.name}", 0, 0)
        names = [name for name, _ in self.libraries]
        folders = [workshop.store.directory / name for name in names]
        (directory / self.name).write_bytes(self.compile(workshop.tree, *folders))
        manifests = [workshop.store.manifest(name) for name in names]
        return ", ".join(
            manifest.source if manifest else name
            for name, manifest in zip(names, manifests, strict=True)
        )

    @property
    def image(self) -> Image:
        """The image that has it and nothing else."""
        return Image(
            self.name,
            f"{self.name} for riscv64 Linux, one static program",
            self.name,
            tuple(name for name, _ in self.libraries),
            self.recipe,
            self.fill,
            on_demand=True,
        )
