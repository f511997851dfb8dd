# SPDX-License-Identifier: BSD-2-Clause
"""Sources out of a Debian source package are the pinned ones, or nothing is unpacked."""

import hashlib
import io
import tarfile
from pathlib import Path

import pytest

from cotenant import paths
from cotenant.images import ImageError
from cotenant.images.sources import read_pin, unpack


def make_archive(file: Path, *members: str) -> str:
    """Write an archive with these files; return its checksum."""
    with tarfile.open(file, "w:xz") as tar:
        for name in members:
            info = tarfile.TarInfo(name)
            info.size = len(name)
            tar.addfile(info, io.BytesIO(name.encode()))
    return hashlib.sha256(file.read_bytes()).hexdigest()


def test_the_pin_names_archive_and_package() -> None:
    checksum, name, package = read_pin(
        (paths.ROOT / "tenants" / "freertos" / "lwip" / "lwip.sha256").read_text()
    )
    assert len(checksum) == 64
    assert name.startswith("lwip_2.") and name.endswith(".orig.tar.xz")
    assert package == "lwip"


def test_a_pin_without_a_checksum_is_refused() -> None:
    with pytest.raises(ImageError, match="no checksum"):
        read_pin("lwip_2.2.1.orig.tar.xz\n")


def test_the_folder_of_the_archive_is_unpacked(tmp_path: Path) -> None:
    checksum = make_archive(tmp_path / "a.tar.xz", "lwip-2/src/udp.c", "lwip-2/README")
    unpack(tmp_path / "a.tar.xz", checksum, tmp_path / "sources")
    assert (tmp_path / "sources" / "src" / "udp.c").read_text() == "lwip-2/src/udp.c"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar.xz", "sources"]


@pytest.mark.parametrize(
    ("members", "change", "message"),
    [
        (["lwip-2/README"], b"\0", "not what its checksum says"),
        (["lwip-2/README", "other/README"], b"", "one folder"),
    ],
)
def test_another_archive_is_refused(
    tmp_path: Path, members: list[str], change: bytes, message: str
) -> None:
    file = tmp_path / "a.tar.xz"
    checksum = make_archive(file, *members)
    file.write_bytes(file.read_bytes() + change)
    with pytest.raises(ImageError, match=message):
        unpack(file, checksum, tmp_path / "sources")
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar.xz"]
