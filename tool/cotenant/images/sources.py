# SPDX-License-Identifier: BSD-2-Clause
"""Fetches the sources of a program from Debian's source package: tool/setup/lwip.sh runs this.

usage: python -m cotenant.images.sources PIN DIRECTORY

PIN is a file with a line as sha256sum writes it: the checksum of the upstream archive and its name.
apt verifies what it fetches by Debian's signature; the checksum says which version it has to be.
Debian's own changes are not applied. DIRECTORY appears complete or not at all.
"""

import hashlib
import re
import sys
import tarfile
import tempfile
from pathlib import Path

from cotenant.errors import ImageError

from .apt import PrivateApt

_PIN = re.compile(r"^([0-9a-f]{64})  (([a-z0-9.+-]+)_[\w.+~-]+\.tar\.\w+)$", re.M)


def read_pin(text: str) -> tuple[str, str, str]:
    """Return checksum, file name and source package; raises ImageError if none is there."""
    found = _PIN.search(text)
    if found is None:
        raise ImageError("there is no checksum and name of an archive in the file that pins it.")
    return found[1], found[2], found[3]


def unpack(archive: Path, checksum: str, directory: Path) -> None:
    """Unpack the single folder of an archive, which must have the checksum, as `directory`."""
    if hashlib.sha256(archive.read_bytes()).hexdigest() != checksum:
        raise ImageError(f"{archive.name} is not what its checksum says; Debian has changed it.")
    with tempfile.TemporaryDirectory(dir=directory.parent) as scratch:
        try:
            with tarfile.open(archive) as tar:
                tar.extractall(scratch)  # no filter: the checksum vouches for all of it
        except (tarfile.TarError, OSError) as error:
            raise ImageError(f"{archive.name} cannot be unpacked ({error}).") from error
        folders = list(Path(scratch).iterdir())
        if len(folders) != 1 or not folders[0].is_dir():
            raise ImageError(f"{archive.name} does not hold one folder; its layout has changed.")
        folders[0].rename(directory)


def fetch(pin: Path, directory: Path) -> None:
    """Bring the sources that `pin` names as `directory`, which must not be there."""
    checksum, name, package = read_pin(pin.read_text())
    directory.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=directory.parent) as scratch:
        apt = PrivateApt(Path(scratch) / "apt", sources=True)
        apt.update()
        downloads = Path(scratch) / "downloads"
        downloads.mkdir()
        apt.download_source(package, downloads)
        if not (downloads / name).exists():
            raise ImageError(f"Debian's source package {package} no longer has {name}.")
        unpack(downloads / name, checksum, directory)


def main() -> None:
    """Do what the command line says; a sentence on standard error says what went wrong."""
    try:
        fetch(Path(sys.argv[1]), Path(sys.argv[2]))
    except ImageError as error:
        sys.exit(f"setup: error: {error}")


if __name__ == "__main__":
    main()
