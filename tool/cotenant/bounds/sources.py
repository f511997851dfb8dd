# SPDX-License-Identifier: BSD-2-Clause
"""Where instructions come from: functions, those that were inlined among them, and lines."""

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cotenant.bounds import line_table
from cotenant.errors import BoundsError

_ADDR2LINE = "riscv64-linux-gnu-addr2line"
_LOOP = re.compile(r"(?:^|[\s{};])(?P<word>for|while|do|FOR_EACH_\w+)\b")


@dataclass(frozen=True)
class Frame:
    """A place in a function."""

    function: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Sources:
    """Finds the places of instructions in an ELF file; `root` is what files are named from."""

    def __init__(self, elf: Path, root: Path, addresses: Iterable[int]) -> None:
        self._root = root
        asked = sorted(set(addresses))
        self._frames = _frames(elf, root, asked)
        # addr2line names a wrong file for some functions of headers that are not inlined.
        for address, (file, line) in line_table.places(elf, asked):
            innermost, *outer = self.frames(address)
            right = Frame(innermost.function, _short(file, root), line)
            self._frames[address] = (right, *outer)

    def frames(self, address: int) -> tuple[Frame, ...]:
        """Return the place of an instruction, then the places that the function is inlined at."""
        return self._frames.get(address, (Frame("?", "?", 0),))

    def at(self, address: int) -> Frame:
        """Return the place of an instruction."""
        return self.frames(address)[0]

    def text(self, frame: Frame) -> str:
        """Return the line, without spaces around it; nothing if there is no such file."""
        lines = _lines(self._root / frame.file)
        return lines[frame.line - 1].strip() if 0 < frame.line <= len(lines) else ""

    def loops(self, file: str) -> list[tuple[int, int]]:
        """Return the first and the last lines of the loops that a source file has."""
        return _loops(self._root / file)


def _frames(elf: Path, root: Path, addresses: list[int]) -> dict[int, tuple[Frame, ...]]:
    asked = "\n".join(f"{each:#x}" for each in addresses)
    try:
        done = subprocess.run(
            [_ADDR2LINE, "-i", "-f", "-a", "-e", str(elf)],
            input=asked, capture_output=True, text=True, check=True,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError) as error:
        raise BoundsError(f"{_ADDR2LINE} cannot be run: {error}") from error
    return dict(_parsed(done.stdout.splitlines(), root))


def _parsed(lines: list[str], root: Path) -> Iterator[tuple[int, tuple[Frame, ...]]]:
    address, frames = -1, list[Frame]()
    index = 0
    while index < len(lines):
        if lines[index].startswith("0x"):
            if address >= 0:
                yield address, tuple(frames)
            address, frames = int(lines[index], 16), []
            index += 1
            continue
        place = lines[index + 1].partition(" (")[0]
        name, _, line = place.rpartition(":")
        frames.append(Frame(lines[index], _short(name, root), int(line) if line.isdigit() else 0))
        index += 2
    if address >= 0:
        yield address, tuple(frames)


@cache
def _short(name: str, root: Path) -> str:
    """Name a file from the root, wherever the tree was when it was compiled."""
    path = Path(os.path.normpath(name))
    if path.is_relative_to(root):
        return str(path.relative_to(root))
    return str(path).rpartition(f"/{root.name}/")[2]


@cache
def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines() if file.is_file() else []


@cache
def _loops(file: Path) -> list[tuple[int, int]]:
    """Find loops by their words and braces; strings and comments are blanked first."""
    text = re.sub(
        r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
        lambda found: re.sub(r"[^\n]", " ", found[0]),
        "\n".join(_lines(file)),
        flags=re.DOTALL,
    )
    found = []
    for word in _LOOP.finditer(text):
        start = word.start("word")
        end = _end(text, word.end())
        if text[:start].rstrip().endswith("}") and word["word"] == "while" and text[end] == ";":
            continue  # of a do
        found.append((text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 1))
    return found


def _end(text: str, position: int) -> int:
    """Return where a statement ends, which may begin with a condition in parentheses."""
    depth = 0
    while position < len(text) - 1:
        character = text[position]
        if character in "({":
            depth += 1
        elif character in ")}":
            depth -= 1
            if depth <= 0 and character == "}":
                return position
        elif character == ";" and depth <= 0:
            return position
        position += 1
    return position
