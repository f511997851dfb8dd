# SPDX-License-Identifier: BSD-2-Clause
"""The Debian packages: what is in them, that lintian likes them, the completion."""

import re
import subprocess
from pathlib import Path

import pytest

from cotenant import __version__, paths

LINUX = paths.ROOT / "linux"
PROGRAMS = ("cotenantctl", "cohost")


@pytest.fixture(scope="module")
def packages() -> dict[str, Path]:
    """Make the packages; lintian has looked at them."""
    made = subprocess.run(
        ["make", "--no-print-directory", "deb"],
        cwd=paths.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    files = [paths.ROOT / line for line in made.stdout.splitlines() if line.endswith(".deb")]
    return {file.name.split("_")[0]: file for file in files}


def field(package: Path, name: str) -> str:
    """Return a field of the package's control file."""
    command = ["dpkg-deb", "--field", str(package), name]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("name", PROGRAMS)
def test_package(packages: dict[str, Path], name: str, tmp_path: Path) -> None:
    package = packages[name]
    assert field(package, "Architecture") == "riscv64"
    assert field(package, "Version") == __version__
    subprocess.run(["dpkg-deb", "--extract", package, tmp_path], check=True)
    program = tmp_path / "usr" / "sbin" / name
    kind = subprocess.run(
        ["riscv64-linux-gnu-readelf", "-hl", program], capture_output=True, text=True, check=True
    ).stdout
    assert "RISC-V" in kind and "INTERP" not in kind
    assert (tmp_path / f"usr/share/man/man8/{name}.8.gz").is_file()
    assert (tmp_path / f"usr/share/bash-completion/completions/{name}").is_file()
    # The same sources make the same package.
    again = tmp_path / "again.deb"
    make: list[str | Path] = [LINUX / "debian" / "make-package", name, program, __version__, again]
    subprocess.run(make, check=True)
    assert again.read_bytes() == package.read_bytes()


def verbs_of(text: str, pattern: str) -> set[str]:
    """Return the verbs that a text names."""
    return set(re.findall(pattern, text, re.MULTILINE))


@pytest.mark.parametrize(("name", "count"), [("cotenantctl", 15), ("cohost", 11)])
def test_manual_and_completion_know_every_verb(name: str, count: int) -> None:
    folder = LINUX / name
    verbs = verbs_of((folder / "main.c").read_text(), r'\{"([a-z]+)", (?:"[a-zA-Z]*", )?verb_')
    assert len(verbs) == count
    manual = (folder / f"{name}.8").read_text()
    named = verbs_of(manual, r"^\.TP\n\.BI? ([a-z]+)(?:\\| [a-z]|$)")
    named |= verbs_of(manual, r"\\fB([a-z]+)\\ ")
    assert verbs <= named, verbs - named
    completion = (folder / "completion.bash").read_text()
    listed = re.search(r'verbs="([a-z\s]+)"', completion)
    assert listed and set(listed[1].split()) == verbs


@pytest.mark.parametrize("name", PROGRAMS)
def test_manual_and_completion_know_every_option(name: str) -> None:
    folder = LINUX / name
    options = verbs_of((folder / "main.c").read_text(), r'^    \{"([a-z-]+)", (?:\'|OPTION)')
    manual = (folder / f"{name}.8").read_text().replace("\\-", "-")
    completion = (folder / "completion.bash").read_text()
    assert options
    for option in options:
        assert f"--{option}" in manual and f"--{option}" in completion, option


def complete(*words: str) -> list[str]:
    """Return what bash would offer for the last word."""
    quoted = " ".join(f"'{word}'" for word in words)
    name = words[0]
    script = (
        f"{name}() {{ printf 'TENANT STATE\\nlinux running\\nfreertos running\\n'; }}; "
        f". {LINUX}/{name}/completion.bash; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; "
        f'_{name}; printf "%s\\n" "${{COMPREPLY[@]}}"'
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
    assert complete("cohost", "re") == ["resume", "restore"]
    assert complete("cohost", "console", "") == ["linux", "freertos"]
    assert complete("cohost", "run", "--no") == ["--no-reboot"]
