# SPDX-License-Identifier: BSD-2-Clause
"""The Debian package of cotenantctl: what is in it, that lintian likes it, the completion."""

import re
import subprocess
from pathlib import Path

import pytest

from cotenant import __version__, paths

FOLDER = paths.ROOT / "linux" / "cotenantctl"


@pytest.fixture(scope="module")
def package() -> Path:
    """Make the package."""
    made = subprocess.run(
        ["make", "--no-print-directory", "deb"],
        cwd=paths.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return paths.ROOT / made.stdout.splitlines()[-1]


def field(package: Path, name: str) -> str:
    """Return a field of the package's control file."""
    command = ["dpkg-deb", "--field", str(package), name]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_package(package: Path, tmp_path: Path) -> None:
    assert field(package, "Architecture") == "riscv64"
    assert field(package, "Version") == __version__
    subprocess.run(["dpkg-deb", "--extract", package, tmp_path], check=True)
    program = tmp_path / "usr" / "sbin" / "cotenantctl"
    kind = subprocess.run(
        ["riscv64-linux-gnu-readelf", "-hl", program], capture_output=True, text=True, check=True
    ).stdout
    assert "RISC-V" in kind and "INTERP" not in kind
    assert (tmp_path / "usr/share/man/man8/cotenantctl.8.gz").is_file()


def test_the_same_sources_make_the_same_package(package: Path, tmp_path: Path) -> None:
    subprocess.run(["dpkg-deb", "--extract", package, tmp_path], check=True)
    program = tmp_path / "usr" / "sbin" / "cotenantctl"
    again = tmp_path / "again.deb"
    subprocess.run([FOLDER / "debian" / "make-package", program, __version__, again], check=True)
    assert again.read_bytes() == package.read_bytes()


def verbs_of(text: str, pattern: str) -> set[str]:
    """Return the verbs that a text names."""
    return set(re.findall(pattern, text, re.MULTILINE))


def test_manual_and_completion_know_every_verb() -> None:
    verbs = verbs_of((FOLDER / "main.c").read_text(), r'\{"([a-z]+)", "[a-zA-Z]*", verb_')
    assert len(verbs) == 15
    manual = verbs_of(
        (FOLDER / "cotenantctl.8").read_text(), r"^\.TP\n\.BI? ([a-z]+)(?:\\| [a-z]|$)"
    )
    assert verbs <= manual, verbs - manual
    completion = (FOLDER / "completion.bash").read_text()
    listed = re.search(r'verbs="([a-z\s]+)"', completion)
    assert listed and set(listed[1].split()) == verbs


def complete(*words: str) -> list[str]:
    """Return what bash would offer for the last word."""
    quoted = " ".join(f"'{word}'" for word in words)
    script = (
        "cotenantctl() { printf 'TENANT STATE\\nlinux running\\nfreertos running\\n'; }; "
        f". {FOLDER}/completion.bash; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; "
        '_cotenantctl; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    found = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert found.stderr == ""
    return found.stdout.split()


def test_completion() -> None:
    assert complete("cotenantctl", "re") == ["restart", "restore"]
    assert complete("cotenantctl", "--json", "restart", "") == ["linux", "freertos"]
    assert complete("cotenantctl", "console", "l") == ["linux"]
    assert complete("cotenantctl", "watch", "linux", "s") == ["stop"]
    assert complete("cotenantctl", "list", "") == []
    assert complete("cotenantctl", "--hi") == ["--history"]
