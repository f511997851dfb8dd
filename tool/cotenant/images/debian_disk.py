# SPDX-License-Identifier: BSD-2-Clause
"""Makes a disk with a small Debian 13 for riscv64 on it, which boots through EFI and GRUB.

Its packages are unpacked into a file system here. What only riscv64 programs can do, configuring
them and installing GRUB, a machine does that QEMU emulates, booted from that very disk's kernel.
Neither needs root.
"""

import hashlib
import os
import shutil
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from cotenant import setup_packages
from cotenant.errors import ImageError

from . import dpkg_tree, modules
from .initramfs import base_archive, script

PACKAGES = (
    *("?essential", "apt", "systemd", "systemd-sysv", "systemd-resolved", "udev", "dbus"),
    *("libpam-systemd", "login", "passwd", "mount", "kmod", "iproute2", "iputils-ping"),
    *("e2fsprogs", "dosfstools", "fdisk", "initramfs-tools", "zstd"),
    *("linux-image-riscv64", "grub-efi-riscv64"),
)

DISK_FILE = "disk.img"
KERNEL_FILE = "Image"
INITRD_FILE = "initrd.img"

_MIB = 1 << 20
_SIZE = 1024 * _MIB
# The EFI system partition, then the root file system up to the second copy of the GPT.
_ESP_START, _ESP_SIZE = 1 * _MIB, 64 * _MIB
# Also what e2fsprogs want behind the name of a disk: DISK?offset=ROOT_START.
ROOT_START = _ESP_START + _ESP_SIZE
_ROOT_SIZE = _SIZE - ROOT_START - _MIB

_TOOLS = ("fakeroot", "sfdisk", "mke2fs", "debugfs", "qemu-system-riscv64")
_MODULES = ("virtio_mmio", "virtio_blk", "crc32c_generic", "ext4")
_COMPLETE = "disk complete"
_SET_UP = "Setting up "
# A machine that takes longer than this hangs, on the slowest of hosts.
_LONGEST_SECONDS = 3600.0
_UNPACKING = "unpacking the packages"
_CONFIGURING = "configuring the packages"

# Called with what is going on, and how many packages of how many are done (0 of 0: not counted).
Tell = Callable[[str, int, int], None]


def fingerprint() -> str:
    """Return a text that changes when something else would be made of the same packages."""
    digest = hashlib.sha256(" ".join(PACKAGES).encode())
    for part in (script("disk-init"), script("disk-setup")):
        digest.update(part)
    return digest.hexdigest()


def install_tools() -> None:
    """Install what only this needs. Raises ImageError if that cannot be done."""
    # sfdisk and its like are root's, in folders that others do not search.
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    if not _missing_tools():
        return
    setup_packages.install("--disk")
    missing = _missing_tools()
    if missing:
        raise ImageError(
            f"a disk cannot be made without {', '.join(missing)}; run 'apt-get install fakeroot "
            "fdisk e2fsprogs qemu-system-misc' as root, then this again."
        )


def _missing_tools() -> list[str]:
    return [tool for tool in _TOOLS if shutil.which(tool) is None]


def make(packages: Sequence[Path], busybox: bytes, work: Path, target: Path, tell: Tell) -> None:
    """Put the disk, its kernel and its initrd into `target`, working in the empty `work`.

    Raises ImageError if a step fails.
    """
    tree = work / "tree"
    owners = work / "owners"
    count = len(packages)
    dpkg_tree.unpack(packages, tree, owners, lambda done: tell(_UNPACKING, done, count))
    kernel = _the_one(tree / "boot", "vmlinu[xz]-*")
    initramfs = work / "initramfs.cpio"
    initramfs.write_bytes(_build_initramfs(tree, busybox))
    tell("making the file system", 0, 0)
    disk = target / DISK_FILE
    make_file_system(tree, owners, disk)
    tell("starting a machine to configure the packages, which takes some minutes", 0, 0)
    finish(kernel, initramfs, disk, count, tell)
    tell("checking the file system", 0, 0)
    _run("e2fsck", "-f", "-n", f"{disk}?offset={ROOT_START}")
    shutil.copyfile(kernel, target / KERNEL_FILE)
    copy_out(disk, f"/boot/initrd.img-{kernel.name.partition('-')[2]}", target / INITRD_FILE)


def make_file_system(tree: Path, owners: Path, disk: Path) -> None:
    """Make a disk of two partitions, the second one with the content of `tree`."""
    with disk.open("wb") as file:
        file.truncate(_SIZE)
    sectors = f"start={_ESP_START // 512}, size={_ESP_SIZE // 512}, type=uefi\n"
    sectors += f"start={ROOT_START // 512}, size={_ROOT_SIZE // 512}, type=linux\n"
    _run("sfdisk", "--quiet", str(disk), text=f"label: gpt\n{sectors}")
    # Features that GRUB or an older Debian's e2fsck may not know are left out.
    features = "^metadata_csum_seed,^orphan_file"
    place = f"offset={ROOT_START},root_owner=0:0"
    command = ["mke2fs", "-q", "-t", "ext4", "-O", features, "-L", "root", "-E", place]
    _run(
        *("fakeroot", "-i", str(owners), *command, "-d", str(tree), str(disk)),
        f"{_ROOT_SIZE >> 10}k",
    )


def copy_out(disk: Path, file: str, target: Path) -> None:
    """Copy a file of the disk's root file system."""
    _run("debugfs", "-R", f"dump {file} {target}", f"{disk}?offset={ROOT_START}")
    if not target.exists() or target.stat().st_size == 0:
        raise ImageError(f"the disk that was made has no {file}.")


def _build_initramfs(tree: Path, busybox: bytes) -> bytes:
    """Return what the machine that finishes the disk starts with."""
    packed = {
        modules.module_name(file.name): file.read_bytes()
        for file in (tree / "usr" / "lib" / "modules").rglob("*.ko.xz")
    }
    wanted = modules.load_order(_MODULES, packed)
    archive = base_archive(busybox, script("disk-init"))
    archive.add_file("disk-setup", script("disk-setup"))
    archive.add_file("lib/modules/modules.dep", modules.dependency_file(wanted))
    for name, content in wanted.items():
        archive.add_file(f"lib/modules/{name}.ko", content)
    return archive.to_bytes()


def finish(kernel: Path, initramfs: Path, disk: Path, packages: int, tell: Tell) -> None:
    """Configure the packages on the disk in a machine; it is to say that the disk is complete."""
    command = [
        *("setpriv", "--pdeathsig", "KILL", "qemu-system-riscv64"),
        *("-M", "virt", "-smp", "2", "-m", "1G", "-nographic", "-no-reboot"),
        # Tables of three levels (no4lvl) take the emulator less time than those of five.
        *("-kernel", str(kernel), "-initrd", str(initramfs)),
        *("-append", "console=ttyS0 quiet no4lvl"),
        # A disk of which something is missing is never used, so nothing waits for the host's disk.
        *("-drive", f"if=none,id=disk,format=raw,cache=unsafe,file={disk}"),
        *("-device", "virtio-blk-device,drive=disk"),
    ]
    last: deque[str] = deque(maxlen=10)
    configured = 0
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        watchdog = threading.Timer(_LONGEST_SECONDS, process.kill)
        watchdog.start()
        try:
            for line in process.stdout or ():
                if line.strip():
                    last.append(line.strip())
                if line.startswith(_SET_UP):
                    configured += 1
                    tell(_CONFIGURING, configured, packages)
        finally:
            watchdog.cancel()
            process.kill()
    if _COMPLETE not in last:
        words = "\n".join(last)
        raise ImageError(f"the packages could not be configured; the last words were:\n{words}")


def _the_one(folder: Path, pattern: str) -> Path:
    found = list(folder.glob(pattern))
    if len(found) != 1:
        raise ImageError(f"the kernel package has {len(found)} files boot/{pattern}.")
    return found[0]


def _run(*command: str, text: str = "") -> None:
    """Run a program; raises ImageError with its complaint if it fails."""
    outcome = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if outcome.returncode != 0:
        said = (outcome.stderr or outcome.stdout).strip().splitlines() or ["no reason given"]
        raise ImageError(f"{command[0]} failed: {said[-1]}")
