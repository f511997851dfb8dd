# SPDX-License-Identifier: BSD-2-Clause
"""The store of fetched and built images, each a directory with a manifest of its files.

`<cache>/cotenant/images/<name>/manifest.json` holds the size and SHA-256 of every file beside it,
where the image came from, and the recipe that made it. A directory is filled under another name
and renamed when it is complete and on the disk, so that a run that is cut off, or a power cut,
leaves nothing that looks like an image; a file that was truncated or altered later no longer fits
its manifest.
"""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cotenant import durable, paths
from cotenant.errors import ImageError
from cotenant.one_at_a_time import alone

MANIFEST = "manifest.json"
_VERSION = 1
# Names of directories that are being filled begin so.
_SCRATCH = ".new."


@dataclass(frozen=True)
class FileRecord:
    """What a file of an image must be."""

    size: int  # bytes
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What a complete image consists of."""

    recipe: str  # says what made it; another recipe means that it is out of date
    source: str  # for people: packages and versions
    files: dict[str, FileRecord]

    def to_json(self) -> str:
        """Write the manifest as the text of its file."""
        files = {name: vars(record) for name, record in sorted(self.files.items())}
        content = {
            "version": _VERSION,
            "recipe": self.recipe,
            "source": self.source,
            "files": files,
        }
        return json.dumps(content, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Manifest":
        """Read a manifest; raises ValueError when it is none of this version."""
        content: Any = json.loads(text)
        try:
            if content["version"] != _VERSION:
                raise ValueError(f"manifest version {content['version']}")
            files = {
                str(name): FileRecord(int(record["size"]), str(record["sha256"]))
                for name, record in content["files"].items()
            }
            return cls(str(content["recipe"]), str(content["source"]), files)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not a manifest: {error}") from error


def default_directory() -> Path:
    """Return the cache directory of this user, outside any source tree."""
    return paths.cache()


class Store:
    """Image directories below one directory, with their manifests."""

    def __init__(self, directory: Path) -> None:
        """Keep images below `directory`, which is made when something is added."""
        self.directory = directory

    def path(self, name: str, file: str) -> Path:
        """Return where a file of an image is, if the image is there."""
        return self.directory / name / file

    def manifest(self, name: str) -> Manifest | None:
        """Return the manifest of an image, or None when there is no readable one."""
        try:
            return Manifest.from_json((self.directory / name / MANIFEST).read_text())
        except (OSError, ValueError):
            return None

    def faults(
        self, name: str, files: list[str] | None = None, *, sizes_only: bool = False
    ) -> list[str]:
        """Compare an image (or some files of it) with its manifest; return what does not fit."""
        manifest = self.manifest(name)
        if manifest is None:
            return ["it is not there"]
        wanted = manifest.files if files is None else files
        faults = []
        for file in wanted:
            record = manifest.files.get(file)
            path = self.path(name, file)
            fault = _compare(path, record, sizes_only) if record else "is in no manifest"
            if fault:
                faults.append(f"{file} {fault}")
        return faults

    def add(self, name: str, recipe: str, fill: Callable[[Path], str]) -> None:
        """Make an image: `fill` puts its files into the directory it is given, and returns the
        source for the manifest. The result replaces an older image of that name in one step.
        """
        with self.scratch(f"{name}.") as scratch:
            source = fill(scratch)
            files = {
                str(file.relative_to(scratch)): record_of(file)
                for file in sorted(scratch.rglob("*"))
                if file.is_file()
            }
            (scratch / MANIFEST).write_text(Manifest(recipe, source, files).to_json())
            durable.synchronise_tree(scratch)
            self._replace(self.directory / name, scratch)

    def remove(self) -> int:
        """Remove the whole store; return the number of bytes that were in it."""
        if not self.directory.exists():
            return 0
        size = sum(f.lstat().st_size for f in self.directory.rglob("*") if not f.is_dir())
        shutil.rmtree(self.directory)
        return size

    @contextmanager
    def lock(self, waits: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Keep other processes from changing the store meanwhile; `waits` is called if one does."""
        self._make_directory()
        with alone(self.directory / ".lock", waits):
            self._sweep()
            yield

    def _sweep(self) -> None:
        """Remove what a run that was killed has left; only the holder of the lock may."""
        for leftover in self.directory.glob(f"{_SCRATCH}*"):
            shutil.rmtree(leftover, ignore_errors=True)

    @contextmanager
    def scratch(self, prefix: str) -> Iterator[Path]:
        """Give a new directory beside the images; what is left of it is removed."""
        self._make_directory()
        scratch = Path(tempfile.mkdtemp(prefix=f"{_SCRATCH}{prefix}", dir=self.directory))
        try:
            scratch.chmod(0o755)
            yield scratch
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    def _replace(self, target: Path, scratch: Path) -> None:
        """Move `scratch` to `target`. Between the two renames there is no image, never half one."""
        with self.scratch("old.") as old:
            if target.exists():
                target.rename(old / "image")
            scratch.rename(target)
            durable.synchronise(self.directory)

    def _make_directory(self) -> None:
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ImageError(
                f"the cache {self.directory} cannot be made ({error.strerror}); set XDG_CACHE_HOME "
                "to a directory that you may write."
            ) from error


def copy_whole(source: Path, target: Path) -> None:
    """Copy a file, with its holes, to a name that is free: there is all of it, or nothing.

    Raises ImageError with a sentence.
    """
    if target.exists():
        raise ImageError(f"{target} is there already; remove it, or choose another name.")
    part = target.with_name(f".{target.name}.{os.getpid()}")
    command = ["cp", "--sparse=always", "--reflink=auto", "--", str(source), str(part)]
    try:
        outcome = subprocess.run(command, capture_output=True, text=True, check=False)
        if outcome.returncode != 0:
            raise ImageError(f"{target} cannot be written ({outcome.stderr.strip()}).")
        durable.synchronise(part)
        part.rename(target)
        durable.synchronise(target.parent)
    finally:
        part.unlink(missing_ok=True)


def record_of(file: Path) -> FileRecord:
    """Measure a file."""
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return FileRecord(file.stat().st_size, digest)


def _compare(file: Path, record: FileRecord, sizes_only: bool) -> str | None:
    """Say what is wrong with a file, or None."""
    try:
        size = file.stat().st_size
        if size != record.size:
            return f"has {size} bytes instead of {record.size}"
        same = sizes_only or record_of(file) == record
        return None if same else "has another content than was fetched"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
