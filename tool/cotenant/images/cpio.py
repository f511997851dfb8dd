# SPDX-License-Identifier: BSD-2-Clause
"""Writes a cpio archive in the `newc` format, the one that the Linux kernel unpacks.

Format: Documentation/driver-api/early-userspace/buffer-format.rst of the kernel. Owners are root,
times are zero and inode numbers count up, so that equal content gives equal bytes, and no root
rights are needed for device nodes.
"""

import stat
from dataclasses import dataclass, field

_MAGIC = b"070701"
_TRAILER = "TRAILER!!!"


@dataclass
class Archive:
    """A growing archive; entries come out in the order in which they were added."""

    _entries: list[bytes] = field(default_factory=list)
    _paths: set[str] = field(default_factory=set)

    def add_directory(self, path: str, mode: int = 0o755) -> None:
        """Add a directory, unless it is there already, and the directories above it."""
        if path in self._paths:
            return
        self._add_parents(path)
        self._append(path, stat.S_IFDIR | mode, links=2)

    def add_file(self, path: str, content: bytes, mode: int = 0o644) -> None:
        """Add a regular file with its bytes, and the directories above it."""
        self._add_parents(path)
        self._append(path, stat.S_IFREG | mode, content)

    def add_link(self, path: str, target: str) -> None:
        """Add a symbolic link to `target`, and the directories above it."""
        self._add_parents(path)
        self._append(path, stat.S_IFLNK | 0o777, target.encode())

    def add_character_device(self, path: str, major: int, minor: int, mode: int = 0o600) -> None:
        """Add the node of a character device, and the directories above it."""
        self._add_parents(path)
        self._append(path, stat.S_IFCHR | mode, device=(major, minor))

    def to_bytes(self) -> bytes:
        """Return the archive, complete with the trailer."""
        trailer = _entry(0, _TRAILER, 0, b"", 1, (0, 0))
        return b"".join([*self._entries, trailer])

    def _add_parents(self, path: str) -> None:
        parent = path.rpartition("/")[0]
        if parent:
            self.add_directory(parent)

    def _append(
        self,
        path: str,
        mode: int,
        content: bytes = b"",
        links: int = 1,
        device: tuple[int, int] = (0, 0),
    ) -> None:
        if not path or path.startswith("/") or path in self._paths:
            raise ValueError(f"archive path {path!r} is empty, absolute or there twice")
        self._paths.add(path)
        self._entries.append(_entry(len(self._paths), path, mode, content, links, device))


def _entry(
    inode: int, path: str, mode: int, content: bytes, links: int, device: tuple[int, int]
) -> bytes:
    """Lay out one entry: 13 numbers of 8 hexadecimal digits, name, content; each padded to 4."""
    name = path.encode() + b"\0"
    # inode, mode, uid, gid, links, time, size, device of the file system (2), device (2), name
    # length, checksum (always 0 in this format)
    numbers = (inode, mode, 0, 0, links, 0, len(content), 0, 0, *device, len(name), 0)
    header = _MAGIC + b"".join(b"%08x" % number for number in numbers)
    return _pad(header + name) + _pad(content)


def _pad(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
