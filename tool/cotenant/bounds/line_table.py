# SPDX-License-Identifier: BSD-2-Clause
"""The table of lines of an ELF file (DWARF 5, section 6.2): the file and the line of addresses."""

import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from elftools.dwarf.lineprogram import LineProgram
from elftools.elf.elffile import ELFFile


def places(elf: Path, addresses: Sequence[int]) -> Iterator[tuple[int, tuple[str, int]]]:
    """Give the file and the line of each address that the table has."""
    rows = _sorted_rows(elf, elf.stat().st_mtime_ns)
    starts = [start for start, _ in rows]
    for address in addresses:
        index = bisect_right(starts, address) - 1
        if index >= 0 and (place := rows[index][1]) is not None:
            yield address, place


@cache
def _sorted_rows(elf: Path, _changed_ns: int) -> list[tuple[int, tuple[str, int] | None]]:
    """Return the rows by address: of several the last one counts, and no end of what was before."""
    return sorted(_rows(elf), key=lambda row: (row[0], row[1] is not None))


def _rows(elf: Path) -> Iterator[tuple[int, tuple[str, int] | None]]:
    """Give where rows begin and what they say; None: behind the end of a sequence."""
    with elf.open("rb") as stream:
        file = ELFFile(stream)
        if not file.has_dwarf_info():
            return
        dwarf = file.get_dwarf_info()
        for unit in dwarf.iter_CUs():
            program = dwarf.line_program_for_CU(unit)
            if program is None:
                continue
            folder = unit.get_top_DIE().attributes.get("DW_AT_comp_dir")
            names = _names(program, folder.value.decode() if folder else "")
            for entry in program.get_entries():
                if (state := entry.state) is not None:
                    place = (names[state.file], state.line)
                    yield state.address, None if state.end_sequence else place


def _names(program: LineProgram, folder: str) -> list[str]:
    """Return the paths of the files by their numbers, which begin with 1 before DWARF 5."""
    folders = [each.decode() for each in program["include_directory"]]
    files = program["file_entry"]
    if program["version"] < 5:
        folders = [folder, *folders]
    named = [
        os.path.normpath(Path(folder, folders[each.dir_index], each.name.decode()))
        for each in files
    ]
    return named if program["version"] >= 5 else ["", *named]
