# SPDX-License-Identifier: BSD-2-Clause
"""Unpacks Debian packages of another architecture into a tree, as `dpkg --unpack` would.

None of their scripts is run: the tree holds the files, and dpkg's database says that each package
is unpacked and not configured. `dpkg --configure -a` on a machine of that architecture does the
rest (as multistrap's and debootstrap's second stages do). Owners are kept by fakeroot, so no root
is needed; who reads the tree later needs the same fakeroot state.
"""

import hashlib
import io
import subprocess
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cotenant.errors import ImageError

# Unpacks every package named after the tree, and lists what was in it. Debian's `/bin`, `/lib` and
# `/sbin` are symbolic links, which no directory of a package may replace.
_UNPACK = """\
tree=$1
shift
for package; do
    echo "package $package"
    dpkg-deb --fsys-tarfile "$package" |
        tar --extract --verbose --quoting-style=literal --preserve-permissions \\
            --keep-directory-symlink --directory "$tree"
done
"""

# Called with the number of packages that are unpacked.
Progress = Callable[[int], None]


@dataclass
class _Database:
    """What dpkg keeps of all packages together (deb-triggers(5), dpkg's /var/lib/dpkg)."""

    status: list[str] = field(default_factory=list)
    file_triggers: list[str] = field(default_factory=list)
    named_triggers: dict[str, list[str]] = field(default_factory=dict)


def unpack(packages: Sequence[Path], tree: Path, owners: Path, progress: Progress) -> None:
    """Unpack `packages` into `tree`, which is made; fakeroot's state goes to the file `owners`.

    Raises ImageError if one of them cannot be unpacked.
    """
    tree.mkdir()
    # base-files brings the symbolic links, before anything is put behind them.
    ordered = sorted(packages, key=lambda file: not file.name.startswith("base-files_"))
    listed = _unpack_files(ordered, tree, owners, progress)
    database = tree / "var" / "lib" / "dpkg"
    for folder in ("info", "triggers", "updates"):
        (database / folder).mkdir(parents=True, exist_ok=True)
    (database / "info" / "format").write_text("1\n")
    known = _Database()
    for package in ordered:
        _register(package, listed[str(package)], tree, known)
    (database / "status").write_text("\n".join(known.status))
    (database / "triggers" / "File").write_text("".join(known.file_triggers))
    for name, interested in known.named_triggers.items():
        (database / "triggers" / name).write_text("".join(interested))


def _unpack_files(
    packages: Sequence[Path], tree: Path, owners: Path, progress: Progress
) -> dict[str, list[str]]:
    """Unpack the files; return the members of each package as tar names them."""
    listed: dict[str, list[str]] = {}
    command = ["fakeroot", "-s", str(owners), "sh", "-euc", _UNPACK, "sh", str(tree)]
    with subprocess.Popen(
        [*command, *map(str, packages)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        members: list[str] = []
        for line in process.stdout or ():
            if line.startswith("package "):
                progress(len(listed))
                members = listed.setdefault(line.removeprefix("package ").rstrip("\n"), [])
            else:
                members.append(line.rstrip("\n"))
    if process.returncode != 0 or len(listed) != len(packages):
        last = (members or ["no reason given"])[-1]
        raise ImageError(f"the packages of the disk cannot be unpacked ({last}).")
    return listed


def _register(package: Path, members: Sequence[str], tree: Path, known: _Database) -> None:
    """Write a package's part of dpkg's database."""
    control = _read_control(package)
    paragraph = control.pop("control")[0].decode().strip().split("\n")
    fields = dict(line.split(": ", 1) for line in paragraph if ": " in line and line[0] != " ")
    name = fields["Package"]
    # Of these, several architectures can be installed, and their files are told apart.
    qualified = f"{name}:{fields['Architecture']}" if fields.get("Multi-Arch") == "same" else name
    info = tree / "var" / "lib" / "dpkg" / "info"
    (info / f"{qualified}.list").write_text("".join(f"{_installed(each)}\n" for each in members))
    for part, (content, mode) in control.items():
        (info / f"{qualified}.{part}").write_bytes(content)
        (info / f"{qualified}.{part}").chmod(mode)
    configuration = control.get("conffiles", (b"", 0))[0].decode().split("\n")
    known.status.append(
        "\n".join(
            [
                paragraph[0],
                "Status: install ok unpacked",
                *paragraph[1:],
                *_conffiles(tree, [file for file in configuration if file.startswith("/")]),
                "",
            ]
        )
    )
    for line in control.get("triggers", (b"", 0))[0].decode().splitlines():
        _add_trigger(name, line.split(), known)


def _add_trigger(package: str, words: Sequence[str], known: _Database) -> None:
    """Note what a package wants to be told about; a path goes to a file of its own."""
    if len(words) != 2 or not words[0].startswith("interest"):
        return
    who = f"{package}/noawait" if words[0] == "interest-noawait" else package
    if words[1].startswith("/"):
        known.file_triggers.append(f"{words[1]} {who}\n")
    else:
        known.named_triggers.setdefault(words[1], []).append(f"{who}\n")


def _installed(member: str) -> str:
    """Return how dpkg's lists name a member of a package's tar (`./`, `./usr/`, `./usr/bin/x`)."""
    return "/" + (member.removeprefix("./").rstrip("/") or ".")


def _conffiles(tree: Path, files: Sequence[str]) -> list[str]:
    """Return the status lines of the configuration files, with the digests dpkg compares."""
    lines = []
    for file in files:
        content = (tree / file.removeprefix("/")).read_bytes()
        digest = hashlib.md5(content, usedforsecurity=False).hexdigest()
        lines.append(f" {file} {digest}")
    return ["Conffiles:", *lines] if lines else []


def _read_control(package: Path) -> dict[str, tuple[bytes, int]]:
    """Return content and mode of the files in a package's control archive."""
    outcome = subprocess.run(
        ["dpkg-deb", "--ctrl-tarfile", str(package)], capture_output=True, check=True
    )
    with tarfile.open(fileobj=io.BytesIO(outcome.stdout)) as tar:
        found = {}
        for member in tar:
            stream = tar.extractfile(member) if member.isreg() else None
            if stream is not None:
                found[member.name.removeprefix("./")] = (stream.read(), member.mode)
        return found
