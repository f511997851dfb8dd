# SPDX-License-Identifier: BSD-2-Clause
"""The monitor's image has all of its relocations where the monitor applies them to itself."""

import subprocess
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection

from cotenant import paths

R_RISCV_RELATIVE = 3

UNKNOWN_TABLE = """
    .section .text.start, "ax"
    .globl monitor_start
monitor_start:
    lla a0, entry
    ret
    .section unknown_table, "aw"
entry:
    .dword monitor_start
"""


def symbol(image: ELFFile, name: str) -> int:
    symbols = image.get_section_by_name(".symtab")
    assert isinstance(symbols, SymbolTableSection)
    (found,) = symbols.get_symbol_by_name(name) or []
    return int(found["st_value"])


def test_each_relocation_is_one_that_the_monitor_applies() -> None:
    with paths.MONITOR_ELF.open("rb") as file:
        image = ELFFile(file)
        (section,) = [each for each in image.iter_sections() if isinstance(each, RelocationSection)]
        start, end = symbol(image, "relocations_start"), symbol(image, "relocations_end")
        assert (section["sh_addr"], section["sh_size"]) == (start, end - start)
        assert start < end
        types = {each["r_info_type"] for each in section.iter_relocations()}
        assert types == {R_RISCV_RELATIVE}


def test_a_section_that_the_linker_script_does_not_know_is_refused(tmp_path: Path) -> None:
    """Else it would come somewhere, perhaps behind what is relocated and copied."""
    source = tmp_path / "table.S"
    source.write_text(UNKNOWN_TABLE)
    table = source.with_suffix(".o")
    subprocess.run(["riscv64-linux-gnu-gcc", "-c", source, "-o", table], check=True)
    command = ["make", "-C", str(paths.MONITOR), f"OUT={tmp_path}", f"OBJECTS={table}", "WITHOUT="]
    done = subprocess.run(
        [*command, f"{tmp_path}/monitor.elf"], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "unplaced orphan section `unknown_table'" in done.stderr, done.stderr
