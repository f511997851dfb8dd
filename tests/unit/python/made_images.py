# SPDX-License-Identifier: BSD-2-Clause
"""Small images and system files for tests: nothing is fetched, nothing has to be built."""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from cotenant import images, paths
from cotenant.bundle_struct import MonitorHeader

PT_LOAD, PT_INTERP = 1, 3
ET_REL, ET_EXEC, ET_DYN = 1, 2, 3
EM_RISCV, EM_X86_64 = 243, 62
MIB = 1 << 20


def linux_image(size: int = 3 * MIB, image_size: int = 4 * MIB) -> bytes:
    """Return a file with the header of a RISC-V Linux kernel."""
    header = struct.pack(
        "<IIQQQIIQQII", 0x6F, 0, 0x200000, image_size, 0, 2, 0, 0, 0x5643534952, 0x05435352, 0
    )
    return header.ljust(size, b"\x55")


@dataclass
class ElfSegment:
    """A program header with its bytes."""

    address: int
    data: bytes
    memory_size: int = 0
    kind: int = PT_LOAD
    virtual: int | None = None


def elf(
    segments: list[ElfSegment],
    kind: int = ET_DYN,
    entry: int = 0,
    machine: int = EM_RISCV,
) -> bytes:
    """Return a 64-bit little-endian ELF file without sections."""
    offset = 64 + 56 * len(segments)
    headers, contents = b"", b""
    for each in segments:
        virtual = each.address if each.virtual is None else each.virtual
        memory_size = max(each.memory_size, len(each.data))
        headers += struct.pack(
            "<IIQQQQQQ",
            each.kind, 7, offset + len(contents), virtual, each.address, len(each.data),
            memory_size, 8,
        )  # fmt: skip
        contents += each.data
    ident = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    numbers = (kind, machine, 1, entry, 64, 0, 0, 64, 56, len(segments), 0, 0, 0)
    return ident + struct.pack("<HHIQQQIHHHHHH", *numbers) + headers + contents


def rtos_image() -> bytes:
    """Return a position-independent program with some zeroed memory."""
    return elf([ElfSegment(0, b"\x13" * 8192, 65536)], entry=0x10)


@dataclass
class Workshop:
    """A folder with images, a built monitor and system files."""

    folder: Path
    files: dict[str, bytes] = field(default_factory=dict)

    def system(self, text: str, name: str = "system.toml") -> Path:
        """Write a system file."""
        path = self.folder / name
        path.write_text(text)
        return path

    def resolve(self, name: str) -> Path:
        """Stand in for the catalogue of images."""
        if name not in self.files:
            raise images.ImageError(f"there is no image {name!r}; fetch or build it")
        path = self.folder / f"{name}.img"
        path.write_bytes(self.files[name])
        return path


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    """Return a workshop whose catalogue has a kernel, an initrd and an RTOS."""
    made = Workshop(
        tmp_path,
        {"kernel": linux_image(), "initrd": b"initrd" * 1000, "rtos": rtos_image()},
    )
    monitor = MonitorHeader()
    monitor.magic = 0x4E4F4D4E45544F43
    monitor.image_size, monitor.memory_size = 10000, 16384
    monkeypatch.setattr(images, "resolve", made.resolve)
    monkeypatch.setattr(paths, "MONITOR_ELF", tmp_path / "monitor.elf")
    monkeypatch.setattr(paths, "MONITOR_IMAGE", tmp_path / "monitor.bin")
    (tmp_path / "monitor.bin").write_bytes(bytes(monitor).ljust(10000, b"\x01"))
    monkeypatch.chdir(tmp_path)
    return made


LINUX = """
board = "qemu-virt"
[tenant.linux]
priority = 1
memory = "64M"
image = "kernel"
initrd = "initrd"
arguments = "console=ttyS0"
devices = ["rtc", "virtio*"]
"""

RTOS = """
[tenant.rtos]
priority = 10
memory = "4M"
image = "rtos"
"""

Edit = Callable[[str], str]
