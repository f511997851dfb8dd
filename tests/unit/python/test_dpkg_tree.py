# SPDX-License-Identifier: BSD-2-Clause
"""Packages unpacked without their scripts: what is in the tree, and what dpkg is told of them."""

import subprocess
from hashlib import md5
from pathlib import Path

import pytest

from cotenant.errors import ImageError
from cotenant.images import dpkg_tree


def make_package(folder: Path, name: str, more: str, files: dict[str, str]) -> Path:
    """Make a package; files below DEBIAN/ are its control files."""
    tree = folder / f"{name}.tree"
    control = f"Package: {name}\nVersion: 1:2-3\nArchitecture: all\nMaintainer: x\n{more}"
    for path, content in ({"DEBIAN/control": f"{control}Description: d\n more\n"} | files).items():
        file = tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        if file.name.endswith("inst"):
            file.chmod(0o755)
    if name == "base-files":
        (tree / "lib").symlink_to("usr/lib")
    package = folder / f"{name}_1%3a2-3_all.deb"
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-b", str(tree), str(package)],
        check=True,
        capture_output=True,
    )
    return package


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a tree of two packages; the first in the alphabet has a directory named as a link."""
    packages = [
        make_package(
            tmp_path,
            "a-daemon",
            "",
            {
                "lib/daemon.so": "code",
                "etc/daemon.conf": "on",
                "usr/share/name with blank": "x",
                "DEBIAN/postinst": "#!/bin/sh\nexit 1\n",
                "DEBIAN/conffiles": "/etc/daemon.conf\n",
                "DEBIAN/triggers": "interest-noawait /usr/lib/units\ninterest reload\n"
                "activate-noawait ldconfig\n",
            },
        ),
        make_package(tmp_path, "base-files", "Essential: yes\n", {"usr/lib/x": "x"}),
    ]
    tree = tmp_path / "root"
    counted: list[int] = []
    dpkg_tree.unpack(packages, tree, tmp_path / "owners", counted.append)
    assert counted == [0, 1]
    return tree


def test_links_of_the_root_stay_links(tree: Path) -> None:
    assert (tree / "lib").is_symlink()
    assert (tree / "usr/lib/daemon.so").read_text() == "code"


def test_dpkg_takes_them_for_unpacked(tree: Path) -> None:
    query = subprocess.run(
        ["dpkg-query", f"--admindir={tree}/var/lib/dpkg", "--show",
         "--showformat", "${Package}|${Version}|${Status}|${Conffiles}\n"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    digest = md5(b"on", usedforsecurity=False).hexdigest()
    assert query.stdout == (
        f"a-daemon|1:2-3|install ok unpacked| /etc/daemon.conf {digest}\n"
        "base-files|1:2-3|install ok unpacked|\n"
    )


def test_dpkg_knows_files_scripts_and_triggers(tree: Path) -> None:
    database = tree / "var/lib/dpkg"
    listed = (database / "info/a-daemon.list").read_text().splitlines()
    assert listed[0] == "/."
    assert {"/lib", "/lib/daemon.so", "/usr/share/name with blank"} <= set(listed)
    assert (database / "info/a-daemon.postinst").stat().st_mode & 0o777 == 0o755
    assert (database / "triggers/File").read_text() == "/usr/lib/units a-daemon/noawait\n"
    assert (database / "triggers/reload").read_text() == "a-daemon\n"
    assert not (database / "triggers/ldconfig").exists()


def test_a_damaged_package_is_refused(tmp_path: Path) -> None:
    package = make_package(tmp_path, "whole", "", {"usr/x": "x"})
    package.write_bytes(package.read_bytes()[:-40])
    with pytest.raises(ImageError, match="cannot be unpacked"):
        dpkg_tree.unpack([package], tmp_path / "root", tmp_path / "owners", lambda _: None)
