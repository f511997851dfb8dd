# SPDX-License-Identifier: BSD-2-Clause
"""A program for Linux that is compiled from the project's sources with a library of an image."""

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
    library: str
    """the image that has the library"""
    archive: str
    """its file"""
    fingerprint: Callable[[Path], str]
    """a text that changes with the sources, which are in a tree"""
    compile: Callable[[Path, Path], bytes]
    """compiles the sources of a tree with the library in a folder"""

    def recipe(self, workshop: Workshop) -> str:
        """Return a text that changes when the program would."""
        library = digest(workshop, [(self.library, self.archive)])
        return f"{RECIPE}-{library}-{self.fingerprint(workshop.tree)}"

    def fill(self, workshop: Workshop, directory: Path) -> str:
        """Make the file; return where what is in it came from."""
        workshop.report(f"compiling {self.name}", 0, 0)
        program = self.compile(workshop.tree, workshop.store.directory / self.library)
        (directory / self.name).write_bytes(program)
        manifest = workshop.store.manifest(self.library)
        return manifest.source if manifest else self.library

    @property
    def image(self) -> Image:
        """The image that has it and nothing else."""
        return Image(
            self.name,
            f"{self.name} for riscv64 Linux, one static program",
            self.name,
            (self.library,),
            self.recipe,
            self.fill,
            on_demand=True,
        )
