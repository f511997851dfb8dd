# SPDX-License-Identifier: BSD-2-Clause
"""Makes a monitor ready to move itself: its data holds addresses, and a bit says which dwords do.

The linker makes a list of relocations, 24 bytes each. It stays in monitor.elf, outside of what is
loaded: boot/relocate.c needs only the addresses in their places, and the bits behind the data.
monitor/Makefile runs this with the file that the linker wrote.
"""

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import Section, SymbolTableSection

from cotenant.errors import BuildError

_R_RISCV_RELATIVE = 3
_SECTION = ".data"
_DWORD = struct.Struct("<Q")


def fill_in(file: Path) -> None:
    """Write the addresses and their bits.

    Raises BuildError for a relocation that boot/relocate.c cannot apply.
    """
    content = bytearray(file.read_bytes())
    with file.open("rb") as stream:
        elf = ELFFile(stream)
        data = elf.get_section_by_name(_SECTION)
        if data is None:
            raise BuildError(f"the monitor has no {_SECTION}")
        start, bits = _symbol(elf, "data_start"), _symbol(elf, "address_bits")
        in_file = data["sh_offset"] - data["sh_addr"]
        for place, address in _relocations(elf):
            index, rest = divmod(place - start, _DWORD.size)
            if rest or not start <= place < bits:
                raise BuildError(f"the relocation at {place:#x} is not in a dword of {_SECTION}")
            _DWORD.pack_into(content, in_file + place, address)
            content[in_file + bits + index // 8] |= 1 << index % 8
    file.write_bytes(content)


def _symbol(elf: ELFFile, name: str) -> int:
    table: Section | None = elf.get_section_by_name(".symtab")
    found = table.get_symbol_by_name(name) if isinstance(table, SymbolTableSection) else None
    if not found:
        raise BuildError(f"the monitor has no symbol {name!r}")
    return int(found[0]["st_value"])


def _relocations(elf: ELFFile) -> Iterator[tuple[int, int]]:
    """Give the place of each, and the address that belongs there in an image at 0."""
    for section in elf.iter_sections():
        if isinstance(section, RelocationSection):
            for each in section.iter_relocations():
                if each["r_info_type"] != _R_RISCV_RELATIVE:
                    raise BuildError(f"the relocation at {each['r_offset']:#x} is not relative")
                yield each["r_offset"], each["r_addend"]


if __name__ == "__main__":
    try:
        fill_in(Path(sys.argv[1]))
    except BuildError as error:
        sys.exit(f"cotenant: {error}")
