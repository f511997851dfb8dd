# SPDX-License-Identifier: BSD-2-Clause
"""cohost for a riscv64 Linux: one static program, with Debian's libfdt and zstd library in it."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from . import modules, package
from .cpio import Archive
from .programs import make_program

PROGRAM = "cohost"

# In libfdt-dev, and what the compiler is to find them by.
FDT_FILES = {
    "usr/include/fdt.h": "fdt.h",
    "usr/include/libfdt.h": "libfdt.h",
    "usr/include/libfdt_env.h": "libfdt_env.h",
    "usr/lib/riscv64-linux-gnu/libfdt.a": "libfdt.a",
}

# Of cotenantctl.
_SHARED = tuple(f"{name}.{end}" for name in ("json", "terminal", "packed") for end in "ch")

_KEYBOARD_MODULES = ("evdev", "virtio_input")

# struct input_event: two words of time, type (EV_KEY), code, value (pressed).
# 142 is KEY_SLEEP, 116 KEY_POWER.
_POWER_KEYS = """#!/bin/sh
for name in virtio_mmio virtio_input evdev; do
    modprobe -q $name || exit 0
done
[ -e /dev/input/event0 ] || exit 0
while set -- $(dd bs=24 count=1 2>/dev/null | hexdump -v -e '12/2 "%u "'); do
    [ $# -ne 0 ] || break
    case "${9} ${10} ${11}" in
    '1 142 1') echo mem >/sys/power/state ;;
    '1 116 1') poweroff -f ;;
    esac
done </dev/input/event0 &
"""

# Where the program looks for the guest's kernel and initrd if none are named.
_DEFAULTS = "usr/lib/cohost"


def unpack_fdt(file: Path, directory: Path) -> None:
    """Write the library and its headers into `directory`."""
    package.unpack(file, directory, FDT_FILES)


def fingerprint(tree: Path) -> str:
    """Return a text that changes when the program would."""
    folder = tree / "linux" / PROGRAM
    shared = [tree / "linux" / "cotenantctl" / name for name in _SHARED]
    digest = hashlib.sha256()
    for source in [
        *sorted(folder.glob("*.[ch]")),
        folder / "Makefile",
        *shared,
        tree / "abi" / "hosted.h",
        tree / "abi" / "served.h",
    ]:
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()


def compile_program(tree: Path, fdt: Path, zstd: Path) -> bytes:
    """Return the program; the folders have what `unpack_fdt` and `unpack_zstd` wrote."""
    return make_program(tree, PROGRAM, f"FDT={fdt}", f"ZSTD={zstd}")


def guest_fingerprint() -> str:
    """Return a text that changes when what is added to the guests' initrd would."""
    return hashlib.sha256(_POWER_KEYS.encode()).hexdigest()


def build_guest_archive(
    kernel_modules: Mapping[str, bytes], more_modules: Mapping[str, bytes]
) -> bytes:
    """Return what guests have behind the usual initrd.

    Pressing their sleep key suspends them, and their power key powers them off. systemd does so by
    itself; this is for a shell.
    """
    keyboard = {name: more_modules[name] for name in _KEYBOARD_MODULES}
    archive = Archive()
    archive.add_directory("etc/start.d")
    archive.add_file("etc/start.d/power-keys", _POWER_KEYS.encode(), 0o755)
    archive.add_file(
        "lib/modules/modules.dep", modules.dependency_file({**kernel_modules, **keyboard})
    )
    for name, content in keyboard.items():
        archive.add_file(f"lib/modules/{name}.ko", content)
    return archive.to_bytes()


def build_archive(
    program: bytes, kernel: bytes, initrd: bytes, kernel_modules: Mapping[str, bytes]
) -> bytes:
    """Return the program, and what its guests start with, as a part of an initramfs.

    It is put behind the usual one, whose modules.dep it replaces.
    """
    archive = Archive()
    for directory in ("usr", "usr/lib", _DEFAULTS):
        archive.add_directory(directory)
    archive.add_file(f"bin/{PROGRAM}", program, 0o755)
    archive.add_file(f"{_DEFAULTS}/Image", kernel)
    archive.add_file(f"{_DEFAULTS}/initrd", initrd)
    archive.add_file("lib/modules/modules.dep", modules.dependency_file(kernel_modules))
    for name, content in sorted(kernel_modules.items()):
        archive.add_file(f"lib/modules/{name}.ko", content)
    return archive.to_bytes()
