# SPDX-License-Identifier: BSD-2-Clause
"""A disk is made of a tree, and is only taken when the machine that finishes it says so."""

import os
import subprocess
from pathlib import Path

import pytest

from cotenant.errors import ImageError
from cotenant.images import debian_disk
from cotenant.images.debian_disk import ROOT_START


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a disk with one file on it."""
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:/usr/sbin:/sbin")
    tree = tmp_path / "tree"
    (tree / "boot").mkdir(parents=True)
    (tree / "boot" / "hello").write_text("from the disk")
    (tmp_path / "owners").touch()
    disk = tmp_path / "disk.img"
    debian_disk.make_file_system(tree, tmp_path / "owners", disk)
    return disk


def test_a_disk_has_an_efi_partition_and_a_whole_root(disk: Path, tmp_path: Path) -> None:
    listed = subprocess.run(
        ["sfdisk", "--list", "--output", "type", str(disk)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert listed.stdout.splitlines()[-2:] == ["EFI System", "Linux filesystem"]
    checked = subprocess.run(["e2fsck", "-f", "-n", f"{disk}?offset={ROOT_START}"], check=False)
    assert checked.returncode == 0
    debian_disk.copy_out(disk, "/boot/hello", tmp_path / "hello")
    assert (tmp_path / "hello").read_text() == "from the disk"
    assert disk.stat().st_blocks * 512 < 100 << 20, "what is empty takes no room"


def test_files_belong_to_root_on_the_disk(disk: Path) -> None:
    said = subprocess.run(
        ["debugfs", "-R", "stat /boot/hello", f"{disk}?offset={ROOT_START}"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert "User:     0   Group:     0" in said.stdout


def test_a_file_that_is_not_on_the_disk_is_told(disk: Path, tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="has no /boot/nothing"):
        debian_disk.copy_out(disk, "/boot/nothing", tmp_path / "nothing")


def finish(
    folder: Path, machine: str, monkeypatch: pytest.MonkeyPatch
) -> list[tuple[str, int, int]]:
    """Finish a disk in a machine that is a shell script; return what was told."""
    program = folder / "qemu-system-riscv64"
    program.write_text(f"#!/bin/sh\n{machine}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    told: list[tuple[str, int, int]] = []
    files = [folder / name for name in ("kernel", "initramfs", "disk")]
    debian_disk.finish(files[0], files[1], files[2], 40, lambda *words: told.append(words))
    return told


def test_what_the_machine_does_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = "for n in $(seq 40); do echo Setting up p$n; done; echo disk complete"
    assert finish(tmp_path, machine, monkeypatch) == [
        ("configuring the packages", number, 40) for number in range(1, 41)
    ]


@pytest.mark.parametrize("machine", ["echo no space", "echo no space; kill -9 $$"])
def test_a_disk_that_is_not_said_to_be_complete_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: str
) -> None:
    with pytest.raises(ImageError, match="last words were:\nno space"):
        finish(tmp_path, machine, monkeypatch)
