# SPDX-License-Identifier: BSD-2-Clause
"""Compiles the programs of linux/tests for riscv64 Linux, statically, for the test initramfs."""

import hashlib
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .errors import ImageError

COMPILER = "riscv64-linux-gnu-gcc"
FLAGS = (
    *("-std=gnu11", "-D_GNU_SOURCE", "-O2", "-pthread", "-static", "-s"),
    *("-Wall", "-Wextra", "-Werror"),
)
_AT_ONCE = 2


def sources(tree: Path) -> list[Path]:
    """Return the test programs' sources in a source tree, one file a program."""
    return sorted((tree / "linux" / "tests").glob("*.c"))


def fingerprint(tree: Path) -> str:
    """Return a text that changes when a program would."""
    digest = hashlib.sha256(" ".join(FLAGS).encode())
    for source in [*sources(tree), *sorted((tree / "linux" / "tests").glob("*.h"))]:
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()


def compile_programs(tree: Path) -> dict[str, bytes]:
    """Return the compiled programs by name."""
    found = sources(tree)
    if not found:
        raise ImageError(f"there are no test programs in {tree / 'linux' / 'tests'}.")
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return dict(zip([source.stem for source in found], pool.map(_compile, found), strict=True))


def _compile(source: Path) -> bytes:
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory) / source.stem
        try:
            outcome = subprocess.run(
                [COMPILER, *FLAGS, "-o", str(program), str(source)],
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
            raise ImageError(f"{source} does not compile:\n{outcome.stderr.strip()}")
        return program.read_bytes()
