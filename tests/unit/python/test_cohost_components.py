# SPDX-License-Identifier: BSD-2-Clause
"""cohost run --components: images of the component OS, by one that is a script."""

import struct
from pathlib import Path
from subprocess import CompletedProcess

import fdt
import pytest
from test_cohost_program import (
    BASE,
    DONE,
    MIB,
    NO_START,
    POWEROFF,
    USAGE,
    Host,
    host,
    program,
)

__all__ = ["host", "program"]  # fixtures

HEADER, SEGMENT = 64, 56
RISCV, EXECUTABLE, SHARED = 243, 2, 3
LOAD = 1


def image(
    script: str,
    *,
    entry: int = 0,
    address: int = 0,
    beyond: int = 0,
    more_memory: int = 0,
    machine: int = RISCV,
    kind: int = SHARED,
    segments: int = 1,
) -> bytes:
    """Return an ELF file of one segment, which may claim more than there is."""
    code = script.encode() + b"\0"
    offset = HEADER + SEGMENT
    header = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    header += struct.pack("<HHIQQQ", kind, machine, 1, entry, HEADER, 0)
    header += struct.pack("<IHHHHHH", 0, HEADER, SEGMENT, segments, 0, 0, 0)
    sizes = (len(code) + beyond, len(code) + beyond + more_memory)
    return header + struct.pack("<IIQQQQQQ", LOAD, 7, offset, address, 0, *sizes, 4096) + code


def run(host: Host, content: bytes, *words: str | Path) -> CompletedProcess[str]:
    file = host.folder / "image.elf"
    file.write_bytes(content)
    return host.call("run", "--components", file, *words)


def test_an_image_runs_in_memory_of_one_piece(host: Host) -> None:
    host.set_pages((BASE + 2 * MIB, 2), (BASE + 32 * MIB, 3), (BASE + 64 * MIB, 9))
    tree = host.folder / "guest.dtb"
    words = ("--append", "address=10.0.0.2/24", "--dump-tree", tree)
    result = run(host, image("sbi 4442434e 2 78 0 0\n" + POWEROFF, more_memory=MIB), *words)
    assert (result.returncode, result.stdout) == (DONE, "x"), result.stderr
    assert host.lent == [(BASE + 64 * MIB, 4)]  # 8 MiB, at a multiple of 8 MiB
    guest = fdt.parse_dtb(tree.read_bytes())
    assert guest.get_property("bootargs", "chosen").value == "address=10.0.0.2/24"
    assert not guest.exist_property("linux,initrd-start", "chosen")


def test_segments_are_put_where_the_file_says(host: Host) -> None:
    result = run(host, image(POWEROFF, address=0x3000, entry=0x3000))
    assert result.returncode == DONE, result.stderr


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no ELF file at all", "is not an image"),
        (image(POWEROFF)[:40], "is not an image"),
        (image(POWEROFF, machine=62), "is not an image"),
        (image(POWEROFF, kind=EXECUTABLE), "is not an image"),
        (image(POWEROFF, segments=100), "is not an image"),
        (image(POWEROFF, beyond=1), "is damaged"),
        (image(POWEROFF, more_memory=-1), "is damaged"),
        (image(POWEROFF, entry=8 * MIB), "is damaged"),
        (image(POWEROFF, more_memory=8 * MIB), "does not fit"),
        (image(POWEROFF, address=2**64 - 8), "does not fit"),
    ],
)
def test_what_is_no_image_is_refused(host: Host, content: bytes, reason: str) -> None:
    result = run(host, content)
    assert result.returncode == NO_START
    assert reason in result.stderr


@pytest.mark.parametrize("words", [("--cpus", "2"), ("--kernel", "x"), ("--initrd", "-")])
def test_what_components_do_not_have_is_refused(host: Host, words: tuple[str, str]) -> None:
    result = run(host, image(POWEROFF), *words)
    assert result.returncode == USAGE
    assert "--components is for run" in result.stderr
