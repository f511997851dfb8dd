# SPDX-License-Identifier: BSD-2-Clause
"""Small programs for the simulated core alone, and what else is made for it by Debian's tools."""

from pathlib import Path

from cotenant.bench.cross_tools import PREFIX, call
from cotenant.bench.rtl.simulator import HARNESS

BARE = HARNESS / "bare"
_COMPILE = ("-nostdlib", "-static", "-march=rv64imac_zicsr", "-mabi=lp64", "-Wl,--build-id=none")


def assemble(source: Path, address: int, folder: Path) -> bytes:
    """Return the raw image of an assembly file linked at an address."""
    program = folder / f"{source.stem}.elf"
    place = f"-Wl,-Ttext={address:#x}"
    call(f"{PREFIX}gcc", *_COMPILE, place, "-o", str(program), str(source))
    return raw(program, folder)


def raw(program: Path, folder: Path) -> bytes:
    """Return the raw image of an ELF file."""
    image = folder / f"{program.stem}.raw"
    call(f"{PREFIX}objcopy", "-O", "binary", str(program), str(image))
    return image.read_bytes()


def device_tree(source: Path, folder: Path) -> bytes:
    """Return the device tree of a source file, with room to be changed in place."""
    tree = folder / f"{source.stem}.dtb"
    call("dtc", "-q", "-I", "dts", "-O", "dtb", "-p", "4096", "-o", str(tree), str(source))
    return tree.read_bytes()
