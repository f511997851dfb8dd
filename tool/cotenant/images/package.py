# SPDX-License-Identifier: BSD-2-Clause
"""Reads files out of a Debian package, without installing it."""

import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.parse import unquote

from cotenant.errors import ImageError


def members(package: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield path (`boot/...`, no leading `./`) and content of every regular file, in turn.

    A content can be read only until the next one is asked for: nothing is unpacked to disk.
    """
    with _open_tar(package) as tar:
        for member in tar:
            stream = tar.extractfile(member) if member.isreg() else None
            if stream is not None:
                yield member.name.removeprefix("./"), stream


def read_member(package: Path, path: str) -> bytes:
    """Return the content of one file of a package."""
    for name, stream in members(package):
        if name == path:
            return stream.read()
    raise ImageError(f"package {package.name} holds no {path}; its layout has changed.")


def unpack(package: Path, directory: Path, files: Mapping[str, str]) -> None:
    """Write files of a package into `directory`; `files` are their paths and new names."""
    found = {files[path]: stream.read() for path, stream in members(package) if path in files}
    if missing := sorted(set(files.values()) - set(found)):
        raise ImageError(f"package {package.name} holds no {missing[0]}; its layout has changed.")
    for name, content in found.items():
        (directory / name).write_bytes(content)


def label(package: Path) -> str:
    """Return name and version of a package, from the name that apt gives its file."""
    name, version = package.name.split("_")[:2]
    return f"{name} {unquote(version)}"


@contextmanager
def _open_tar(package: Path) -> Iterator[tarfile.TarFile]:
    """Open the tree of a package as a tar stream, which dpkg-deb decompresses."""
    command = ["dpkg-deb", "--fsys-tarfile", str(package)]
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except FileNotFoundError:
        raise ImageError("dpkg-deb is missing; images need Debian 12 or later.") from None
    with process:
        try:
            with tarfile.open(fileobj=process.stdout, mode="r|") as tar:
                yield tar
        except tarfile.TarError as error:
            raise ImageError(f"package {package.name} cannot be unpacked ({error}).") from error
        finally:
            # A reader that has what it came for leaves dpkg-deb in the middle of its output.
            process.kill()
