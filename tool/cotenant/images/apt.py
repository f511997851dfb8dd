# SPDX-License-Identifier: BSD-2-Clause
"""Fetches packages of Debian 13 through apt, with its signature checks.

They are those for riscv64, or source packages.

A private set of lists, cache and state keeps the machine's own apt untouched, and needs no root.
The mirror is the one that the machine's apt already uses for its own release; apt verifies the
release file with Debian's keyring, and every package by the hashes in it.
"""

import contextlib
import itertools
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cotenant.errors import ImageError

SUITE = "trixie"
_SUITE_NAMES = (SUITE, "stable")
"""under which a mirror may have it; one that is being brought up to date can be whole under one
name only"""
ARCHITECTURE = "riscv64"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")

# Called while a package arrives, with the bytes that are there and the bytes expected.
Progress = Callable[[int, int], None]

_POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Package:
    """A package as the verified index describes it."""

    name: str
    version: str
    size: int  # bytes of the package file
    depends: str


class PrivateApt:
    """An apt of our own, that knows nothing but the packages of one Debian suite."""

    def __init__(self, directory: Path, *, sources: bool = False) -> None:
        """Keep lists, cache and state below `directory`, which is made when missing.

        The packages are those for riscv64, or with `sources` source packages.
        """
        self._directory = directory
        self._type = "deb-src" if sources else "deb"
        self._environment = os.environ | {"LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        for name in ("lists/partial", "archives/partial", "sources.d", "state"):
            (directory / name).mkdir(parents=True, exist_ok=True)
        (directory / "status").touch()

    def update(self) -> None:
        """Fetch and verify the package index, from the first mirror that has it."""
        if not KEYRING.exists():
            raise ImageError(
                f"{KEYRING} is missing, so nothing from Debian can be verified; "
                "install package debian-archive-keyring."
            )
        reasons = []
        for mirror, name in itertools.product(find_mirrors(), _SUITE_NAMES):
            self._write_source(mirror, name)
            outcome = self._run("apt-get", "update", "--error-on=any")
            if outcome.returncode != 0:
                reasons.append(_first_complaint(outcome))
            elif self._codename() == SUITE:
                return
            else:
                reasons.append(f"{name} is not {SUITE}")
        raise ImageError(
            f"apt could not read the {SUITE} index of this machine's Debian mirror "
            f"({'; '.join(reasons)}); check the network, then try again."
        )

    def show(self, name: str) -> Package:
        """Return what the index says about the newest version of a package."""
        outcome = self._run("apt-cache", "show", "--no-all-versions", name)
        fields = _parse_fields(outcome.stdout)
        try:
            return Package(name, fields["Version"], int(fields["Size"]), fields.get("Depends", ""))
        except KeyError:
            raise ImageError(
                f"Debian {SUITE} for {ARCHITECTURE} has no package {name} on this mirror."
            ) from None

    def download(self, package: Package, directory: Path, progress: Progress) -> Path:
        """Bring the verified package file into an empty `directory`; return its path."""
        complaint = self._fetch(
            ["download", f"{package.name}={package.version}"], directory, package.size, progress
        )
        found = list(directory.glob("*.deb"))
        if complaint is not None or len(found) != 1:
            raise ImageError(
                f"apt could not download package {package.name} ({complaint or 'nothing came'}); "
                "check the network, then try again."
            )
        progress(package.size, package.size)
        return found[0]

    def download_source(self, name: str, directory: Path) -> list[Path]:
        """Bring the verified files of a source package into an empty `directory`."""
        complaint = self._fetch(
            ["source", "--download-only", name], directory, 0, lambda _done, _size: None
        )
        found = sorted(directory.iterdir())
        if complaint is not None or not found:
            raise ImageError(
                f"apt could not download source package {name} ({complaint or 'nothing came'}); "
                "check the network, then try again."
            )
        return found

    def download_system(
        self, names: Sequence[str], directory: Path, progress: Progress
    ) -> list[Path]:
        """Bring packages, with all that they depend on, into an empty `directory`.

        A name can be one of apt's patterns, such as `?essential`. Returns the verified files.
        """
        wanted = ["install", "--no-install-recommends", "--yes", *names]
        planned = self._run("apt-get", "--print-uris", *wanted)
        if planned.returncode != 0:
            raise ImageError(
                f"apt cannot choose the packages of a system ({_first_complaint(planned)})."
            )
        sizes = parse_planned_sizes(planned.stdout)
        (directory / "partial").mkdir()
        archives = ["-o", f"Dir::Cache::archives={directory}", "--download-only"]
        complaint = self._fetch([*archives, *wanted], directory, sum(sizes), progress)
        found = sorted(directory.glob("*.deb"))
        if complaint is not None or len(found) != len(sizes):
            raise ImageError(
                f"apt could not download the packages of a system "
                f"({complaint or 'some did not come'}); check the network, then try again."
            )
        return found

    def _fetch(
        self, arguments: Sequence[str], directory: Path, size: int, progress: Progress
    ) -> str | None:
        """Run apt-get, telling how much has come into `directory`; return its complaint."""
        with subprocess.Popen(
            ["apt-get", *self._options(), *arguments],
            cwd=directory,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            while process.poll() is None:
                progress(_bytes_below(directory), size)
                time.sleep(_POLL_SECONDS)
            complaint = process.stderr.read() if process.stderr else ""
        if process.returncode == 0:
            return None
        return (complaint.strip().splitlines() or ["no reason given"])[-1]

    def _options(self) -> list[str]:
        root = self._directory
        settings = {
            "APT::Architecture": ARCHITECTURE,
            "APT::Architectures": ARCHITECTURE,
            # Everything is ours already; the sandbox user could not write below a home directory.
            "APT::Sandbox::User": "",
            # Whatever the machine's own apt allows, nothing unsigned comes in here.
            "APT::Get::AllowUnauthenticated": "false",
            "Acquire::AllowInsecureRepositories": "false",
            "Acquire::AllowDowngradeToInsecureRepositories": "false",
            "Acquire::Languages": "none",
            "Acquire::Retries": "3",
            "Dir::Cache": root,
            "Dir::Cache::archives": root / "archives",
            "Dir::Etc::sourcelist": root / "debian.sources",
            "Dir::Etc::sourceparts": root / "sources.d",
            "Dir::Etc::preferences": "/dev/null",
            "Dir::Etc::preferencesparts": root / "sources.d",
            "Dir::State": root / "state",
            "Dir::State::lists": root / "lists",
            "Dir::State::status": root / "status",
        }
        return [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [program, *self._options(), *arguments],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def _codename(self) -> str:
        """Return what the verified release file calls the suite."""
        lines = ["indextargets", "--format", "$(CODENAME)", "Component: main"]
        names = self._run("apt-get", *lines).stdout.split()
        return names[0] if names else ""

    def _write_source(self, mirror: str, suite: str) -> None:
        (self._directory / "debian.sources").write_text(
            f"Types: {self._type}\n"
            f"URIs: {mirror}\n"
            f"Suites: {suite}\n"
            "Components: main\n"
            f"Architectures: {ARCHITECTURE}\n"
            f"Signed-By: {KEYRING}\n"
        )


def find_mirrors() -> list[str]:
    """Return the mirrors from which this machine's apt gets Debian's main packages."""
    try:
        outcome = subprocess.run(
            [
                "apt-get",
                "indextargets",
                "--format",
                "$(RELEASE)|$(LABEL)|$(REPO_URI)",
                "Created-By: Packages",
                "Component: main",
            ],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        raise ImageError(
            "apt-get cannot tell this machine's Debian mirror; images need Debian 12 or later."
        ) from None
    mirrors = choose_mirrors(outcome.stdout)
    if not mirrors:
        raise ImageError(
            "this machine's apt has no Debian main archive among its sources; add one to "
            "/etc/apt/sources.list.d."
        )
    return mirrors


def choose_mirrors(targets: str) -> list[str]:
    """Pick from lines `release|label|uri` the Debian archives, the likeliest first.

    The label is empty until apt has fetched an index. Updates and security archives carry the
    release's name with a suffix and do not have the whole suite.
    """
    whole: dict[str, bool] = {}
    for line in targets.splitlines():
        release, label, uri = line.split("|")
        if "-" not in release and "/" not in release and label in ("Debian", ""):
            whole[uri] = whole.get(uri, False) or label == "Debian"
    return sorted(whole, key=lambda uri: not whole[uri])


def parse_planned_sizes(text: str) -> list[int]:
    """Return the sizes in lines `'URI' FILE SIZE HASH` of apt's --print-uris."""
    return [int(line.split()[2]) for line in text.splitlines() if line.startswith("'")]


def _bytes_below(directory: Path) -> int:
    """Return the size of what is in a directory; a file may be renamed meanwhile."""
    total = 0
    for file in directory.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            total += file.stat().st_size if file.is_file() else 0
    return total


def _parse_fields(paragraph: str) -> dict[str, str]:
    """Parse the `Name: value` lines of a control paragraph; longer values are of no use here."""
    fields: dict[str, str] = {}
    for line in paragraph.splitlines():
        name, colon, value = line.partition(": ")
        if colon and not line.startswith(" "):
            fields.setdefault(name, value)
    return fields


def _first_complaint(outcome: subprocess.CompletedProcess[str]) -> str:
    """Return the first thing apt complained about."""
    lines = [line for line in outcome.stderr.splitlines() if line.startswith(("E:", "W:"))]
    return lines[0][3:] if lines else f"exit status {outcome.returncode}"
