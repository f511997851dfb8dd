# SPDX-License-Identifier: BSD-2-Clause
"""The initramfs is an archive that others can read, the same for the same content."""

import stat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.images.cpio import Archive
from cotenant.images.initramfs import build_initramfs

Entry = tuple[int, tuple[int, int], bytes]


def parse_newc(data: bytes) -> dict[str, Entry]:
    """Read an archive by the format's description: path to mode, device numbers and content."""
    entries: dict[str, Entry] = {}
    offset = 0
    while True:
        assert data[offset : offset + 6] == b"070701"
        numbers = [
            int(data[position : position + 8], 16)
            for position in range(offset + 6, offset + 110, 8)
        ]
        mode, size, device, name_size = numbers[1], numbers[6], numbers[9:11], numbers[11]
        name = data[offset + 110 : offset + 110 + name_size]
        assert name.endswith(b"\0")
        start = -(-(offset + 110 + name_size) // 4) * 4
        offset = -(-(start + size) // 4) * 4
        path = name[:-1].decode()
        if path == "TRAILER!!!":
            assert offset == len(data)
            return entries
        entries[path] = (mode, (device[0], device[1]), data[start : start + size])


paths = st.from_regex(r"[a-z]{1,9}(/[a-z]{1,9}){0,3}", fullmatch=True)


@settings(deadline=None)
@given(st.dictionaries(paths, st.binary(max_size=50)))
def test_files_come_back(files: dict[str, bytes]) -> None:
    archive = Archive()
    kept = {}
    for path, content in files.items():
        try:
            archive.add_file(path, content)
            kept[path] = content
        except ValueError:
            continue  # the path is a directory of an earlier one
    entries = parse_newc(archive.to_bytes())
    assert {
        path: content for path, (mode, _, content) in entries.items() if stat.S_ISREG(mode)
    } == kept


def test_directories_come_before_what_is_in_them() -> None:
    archive = Archive()
    archive.add_file("a/b/c", b"")
    assert list(parse_newc(archive.to_bytes())) == ["a", "a/b", "a/b/c"]


@pytest.mark.parametrize("path", ["", "/bin", "there"])
def test_bad_paths_are_refused(path: str) -> None:
    archive = Archive()
    archive.add_file("there", b"")
    with pytest.raises(ValueError, match="archive path"):
        archive.add_file(path, b"")


def test_link_and_device() -> None:
    archive = Archive()
    archive.add_link("bin/sh", "busybox")
    archive.add_character_device("dev/console", 5, 1)
    entries = parse_newc(archive.to_bytes())
    assert entries["bin/sh"] == (stat.S_IFLNK | 0o777, (0, 0), b"busybox")
    assert entries["dev/console"] == (stat.S_IFCHR | 0o600, (5, 1), b"")


def test_initramfs_has_what_boots() -> None:
    image = build_initramfs(b"a busybox", {"ticks": b"a program"})
    entries = parse_newc(image)
    assert entries["bin/busybox"] == (stat.S_IFREG | 0o755, (0, 0), b"a busybox")
    assert entries["bin/ticks"] == (stat.S_IFREG | 0o755, (0, 0), b"a program")
    assert entries["init"][0] == stat.S_IFREG | 0o755
    assert entries["init"][2].startswith(b"#!/bin/busybox sh\n")
    assert b"cotenant: ready" in entries["etc/profile"][2]
    assert stat.S_ISCHR(entries["dev/console"][0])


def test_equal_content_gives_equal_bytes() -> None:
    one = build_initramfs(b"busybox", {"a": b"1", "b": b"2"})
    assert one == build_initramfs(b"busybox", {"b": b"2", "a": b"1"})
