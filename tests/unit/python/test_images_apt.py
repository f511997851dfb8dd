# SPDX-License-Identifier: BSD-2-Clause
"""Which of a mirror's names for the suite is taken."""

from pathlib import Path

import pytest

from cotenant.errors import ImageError
from cotenant.images import apt

APT_GET = """#!/bin/sh
case "$*" in
*"Created-By: Packages"*) echo "bookworm|Debian|http://mirror.invalid/debian/" ;;
*indextargets*) cat {root}/codename ;;
*update*) ! grep -qxF "Suites: $(cat {root}/torn)" {root}/apt/debian.sources || {{
    echo "E: File has unexpected size" >&2
    exit 100
}} ;;
esac
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder whose files say which name is torn, and what the suite is called."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "apt-get").write_text(APT_GET.format(root=tmp_path))
    (programs / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setattr(apt, "KEYRING", programs)
    (tmp_path / "torn").write_text("none")
    (tmp_path / "codename").write_text("trixie")
    return tmp_path


def taken(root: Path) -> str:
    apt.PrivateApt(root / "apt").update()
    sources = (root / "apt" / "debian.sources").read_text()
    return next(line for line in sources.splitlines() if line.startswith("Suites: "))


def test_the_suite_is_taken_by_its_own_name(root: Path) -> None:
    assert taken(root) == "Suites: trixie"


def test_a_mirror_that_is_torn_under_one_name_is_read_by_the_other(root: Path) -> None:
    (root / "torn").write_text("trixie")
    assert taken(root) == "Suites: stable"


def test_another_release_is_refused_by_whatever_name(root: Path) -> None:
    (root / "torn").write_text("trixie")
    (root / "codename").write_text("forky")
    with pytest.raises(ImageError, match=r"unexpected size.*; stable is not trixie"):
        taken(root)
