# SPDX-License-Identifier: BSD-2-Clause
"""The monitor's image says where it holds addresses, which it moves by itself."""

import struct
import subprocess
from pathlib import Path

import pytest
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection

from cotenant import paths

R_RISCV_RELATIVE = 3

START = """
    .section .text.start, "ax"
    .globl monitor_start
monitor_start:
    lla a0, entry
    ret
"""


def link(folder: Path, assembly: str) -> subprocess.CompletedProcess[str]:
    """Link a monitor of nothing but this."""
    source = folder / "table.S"
    source.write_text(assembly)
    table = source.with_suffix(".o")
    subprocess.run(["riscv64-linux-gnu-gcc", "-c", source, "-o", table], check=True)
    command = ["make", "-C", str(paths.MONITOR), f"OUT={folder}", f"OBJECTS={table}", "WITHOUT="]
    return subprocess.run(
        [*command, f"{folder}/monitor.elf"], capture_output=True, text=True, check=False
    )


def symbol(image: ELFFile, name: str) -> int:
    symbols = image.get_section_by_name(".symtab")
    assert isinstance(symbols, SymbolTableSection)
    (found,) = symbols.get_symbol_by_name(name) or []
    return int(found["st_value"])


def dwords(content: bytes) -> list[int]:
    return [dword for (dword,) in struct.iter_unpack("<Q", content)]


def test_each_address_is_in_its_place_and_has_its_bit() -> None:
    image = paths.MONITOR_IMAGE.read_bytes()
    with paths.MONITOR_ELF.open("rb") as file:
        elf = ELFFile(file)
        start, bits = symbol(elf, "data_start"), symbol(elf, "address_bits")
        (section,) = [each for each in elf.iter_sections() if isinstance(each, RelocationSection)]
        relocations = {each["r_offset"]: each["r_addend"] for each in section.iter_relocations()}
        assert not section["sh_flags"] & SH_FLAGS.SHF_ALLOC
        assert {each["r_info_type"] for each in section.iter_relocations()} == {R_RISCV_RELATIVE}
    data = dwords(image[start:bits])
    words = dwords(image[bits:])
    marked = {
        start + 8 * index: dword
        for index, dword in enumerate(data)
        if words[index // 64] >> index % 64 & 1
    }
    assert len(relocations) > 50
    assert marked == relocations
    assert sum(word.bit_count() for word in words) == len(marked)


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ('.section .data, "aw"\n.balign 8\nentry: .half 0', "is not in a dword of .data"),
        (".section .rodata.entry\n.balign 8\nentry:", "is not in a dword of .data"),
        ('.section unknown_table, "aw"\nentry:', "unplaced orphan section `unknown_table'"),
    ],
    ids=["unaligned", "constant", "unknown section"],
)
def test_an_address_that_the_monitor_cannot_find_is_refused(
    tmp_path: Path, entry: str, sentence: str
) -> None:
    done = link(tmp_path, f"{START}\n{entry}\n.dword monitor_start\n")
    assert done.returncode != 0
    assert sentence in done.stderr, done.stderr
