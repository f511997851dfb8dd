# SPDX-License-Identifier: BSD-2-Clause
"""Compiles the programs of linux/tests and linux/examples for riscv64 Linux, statically."""

import hashlib
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cotenant.errors import ImageError

COMPILER = "riscv64-linux-gnu-gcc"
FLAGS = (
    *("-std=gnu11", "-D_GNU_SOURCE", "-O2", "-pthread", "-static", "-s"),
    *("-Wall", "-Wextra", "-Werror"),
)
_AT_ONCE = 2


# What programs of both folders include.
_SHARED = ("linux/channel/*.h", "abi/message_ring.h", "abi/component_message.h")

TESTS, EXAMPLES = "tests", "examples"


def sources(tree: Path, folder: str) -> list[Path]:
    """Return the programs' sources in a folder of linux/ of a source tree, one file a program."""
    return sorted((tree / "linux" / folder).glob("*.c"))


def fingerprint(tree: Path, folder: str) -> str:
    """Return a text that changes when a program would."""
    digest = hashlib.sha256(" ".join(FLAGS).encode())
    shared = [path for pattern in _SHARED for path in sorted(tree.glob(pattern))]
    own = [*sources(tree, folder), *sorted((tree / "linux" / folder).glob("*.h"))]
    for source in [*own, *shared]:
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()


def compile_programs(tree: Path, folder: str) -> dict[str, bytes]:
    """Return the compiled programs by name."""
    found = sources(tree, folder)
    if not found:
        raise ImageError(f"there are no programs in {tree / 'linux' / folder}.")
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        compiled = pool.map(lambda source: compile_program([source]), found)
        return dict(zip([source.stem for source in found], compiled, strict=True))


def compile_program(sources: Sequence[Path]) -> bytes:
    """Return the program that some sources make."""
    names = ", ".join(str(source) for source in sources)
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory) / "program"
        try:
            outcome = subprocess.run(
                [COMPILER, *FLAGS, "-o", str(program), *map(str, sources)],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
        except FileNotFoundError:
            raise ImageError(
                f"{COMPILER} is missing; install package gcc-riscv64-linux-gnu."
            ) from None
        if outcome.returncode != 0:
            raise ImageError(f"{names} does not compile:\n{outcome.stderr.strip()}")
        return program.read_bytes()


def preprocess(source: Path) -> bytes:
    """Return a source as the compiler proper reads it."""
    try:
        outcome = subprocess.run(
            [COMPILER, *FLAGS, "-E", "-P", str(source)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise ImageError(f"{COMPILER} is missing; install package gcc-riscv64-linux-gnu.") from None
    if outcome.returncode != 0:
        raise ImageError(f"{source} cannot be preprocessed:\n{outcome.stderr.decode().strip()}")
    return outcome.stdout


def make_program(tree: Path, name: str, *libraries: str) -> bytes:
    """Return the program that has a makefile in linux/ of a source tree.

    Each of `libraries` sets a variable of the makefile that tells where one is: ZSTD=FOLDER.
    """
    with tempfile.TemporaryDirectory() as directory:
        settings = [f"CC={COMPILER}", "LDFLAGS=-static -s", *libraries, f"OUT={directory}"]
        outcome = subprocess.run(
            ["make", "--no-print-directory", "-C", str(tree / "linux" / name), *settings],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if outcome.returncode != 0:
            raise ImageError(f"{name} does not compile:\n{outcome.stderr.strip()}")
        return (Path(directory) / name).read_bytes()
