# SPDX-License-Identifier: BSD-2-Clause
"""The simulator of the Rocket core: built once from the wheel's Verilog and bench/rtl, then cached.

`<cache>/cotenant/rtl/rocket-sim-KEY`: KEY stands for everything that it is made from, so that a
change of the harness, of the pinned wheel or of Verilator builds another one.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cotenant import paths, setup_packages
from cotenant.errors import BenchError
from cotenant.images.store import default_directory

HARNESS = paths.ROOT / "bench" / "rtl"
REQUIREMENTS = paths.ROOT / "tool" / "requirements-rtl.txt"
_CONFIGURATION = "freechips.rocketchip.system.LitexFullConfig."
_EXIT_TOO_LONG = 3
_SHOWN_LINES = 15


def directory() -> Path:
    """Return where simulators are kept."""
    return default_directory() / "rtl"


def cached() -> Path | None:
    """Return the simulator if it is built already."""
    if shutil.which("verilator") is None:
        return None
    path = directory() / f"rocket-sim-{_key()}"
    return path if path.is_file() else None


def simulator() -> Path:
    """Return the simulator; builds it if need be, which takes about two minutes.

    Installs Verilator if it is missing. Raises BenchError with a sentence if it cannot be built.
    """
    if shutil.which("verilator") is None:
        _install()
    found = cached()
    if found is not None:
        return found
    with _locked():
        return cached() or _build()


def run(image: Path, events: Path, *, max_cycles: int, options: tuple[str, ...] = ()) -> str:
    """Simulate an image until it ends the simulation; return the text of its result ports.

    `events` receives the event log. Raises BenchError if it does not come to its end.
    """
    command = [str(simulator()), "--events", str(events), "--max-cycles", str(max_cycles)]
    result = subprocess.run(
        [*command, *options, str(image)], capture_output=True, text=True, check=False
    )
    if result.returncode == _EXIT_TOO_LONG:
        raise BenchError(
            f"the simulated machine did not end within {max_cycles} cycles "
            f"({result.stderr.strip()}); its output was {result.stdout[-300:]!r}"
        )
    if result.returncode != 0:
        raise BenchError(
            f"the simulation failed with status {result.returncode}: "
            f"{(result.stderr or result.stdout)[-300:].strip()}"
        )
    return result.stdout


def _sources() -> list[Path]:
    harness = [path for path in (HARNESS / "harness").iterdir() if path.is_file()]
    return [REQUIREMENTS, HARNESS / "Makefile", *sorted(harness)]


def _key() -> str:
    digest = hashlib.sha256()
    version = _output(["verilator", "--version"], "ask Verilator for its version")
    digest.update(version.encode())
    for path in _sources():
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


def _install() -> None:
    """Install what only the simulator needs, as the set-up does for all the rest."""
    if not setup_packages.install("--rtl") or shutil.which("verilator") is None:
        raise BenchError(
            "Verilator is missing and could not be installed; run 'apt-get install verilator g++' "
            "as root, then this again"
        )


@contextmanager
def _locked() -> Iterator[None]:
    """Let one process build at a time."""
    try:
        directory().mkdir(parents=True, exist_ok=True)
        lock = (directory() / ".lock").open("w")
    except OSError as error:
        raise BenchError(
            f"the cache {directory()} cannot be written ({error.strerror}); set XDG_CACHE_HOME to "
            "a folder that can"
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _build() -> Path:
    target = directory() / f"rocket-sim-{_key()}"
    with tempfile.TemporaryDirectory(prefix=".build.", dir=directory()) as folder:
        verilog = _fetch_verilog(Path(folder))
        out = Path(folder) / "out"
        _output(
            ["make", "-C", str(HARNESS), f"OUT={out}", f"VERILOG={verilog}"],
            "build the simulator",
        )
        (out / "rocket-sim").replace(target)
    return target


def _fetch_verilog(folder: Path) -> Path:
    """Fetch the wheel, checked against its hash, and unpack what the simulator is made from."""
    pip = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-input"]
    _output(
        [*pip, "--no-deps", "--require-hashes", "-r", str(REQUIREMENTS), "-d", str(folder)],
        f"fetch the wheel of {paths.shown(REQUIREMENTS)}",
    )
    wheel = next(folder.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if "/vsrc/" in name or (_CONFIGURATION in name and name.endswith(".v")):
                archive.extract(name, folder)
    return folder / "pythondata_cpu_rocket" / "verilog"


def _output(command: list[str], purpose: str) -> str:
    environment = os.environ | {"MAKEFLAGS": ""}
    try:
        result = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            env=environment,
        )
    except OSError as error:
        raise BenchError(f"cannot {purpose}: {command[0]}: {error.strerror}") from error
    if result.returncode != 0:
        tail = "\n".join(result.stdout.splitlines()[-_SHOWN_LINES:])
        raise BenchError(f"cannot {purpose}; its last words were:\n{tail}")
    return result.stdout
