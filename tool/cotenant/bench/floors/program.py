# SPDX-License-Identifier: BSD-2-Clause
"""A program of bench/floors: made for a machine, and the addresses that the measurement needs."""

from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from cotenant import paths
from cotenant.bench.cross_tools import PREFIX, call

FOLDER = paths.ROOT / "bench" / "floors"

_COMPILE = (
    *("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-ffreestanding", "-fno-builtin"),
    *("-fno-tree-loop-distribute-patterns", "-fno-pie", "-mcmodel=medany"),
    *("-msmall-data-limit=0", "-fno-stack-protector", "-fno-asynchronous-unwind-tables"),
    *("-march=rv64imac_zicsr_zifencei", "-mabi=lp64", "-nostdlib"),
    *("-static", "-no-pie", "-Wl,--build-id=none,--fatal-warnings,--no-warn-rwx-segments"),
)
_INCLUDED = ("tenants/rt/include", "tenants", "monitor", ".")
_SHARED = ("start.S", "print.c")
_BEGIN, _END = "floor_begin", "floor_end"
_MRET = (0x30200073).to_bytes(4, "little")
_RETURN = (0x8082).to_bytes(2, "little")  # c.ret


@dataclass(frozen=True)
class Program:
    """An ELF file, its symbols, and the code that is measured, from `begin` on."""

    elf: Path
    begin: int
    code: bytes
    symbols: dict[str, int]

    def is_last(self, address: int) -> bool:
        """Whether the instruction ends what it is in: mret, or the return of a function."""
        at = address - self.begin
        return self.code[at : at + 4] == _MRET or self.code[at : at + 2] == _RETURN


def build(sources: tuple[str, ...], board: str, target: Path, folder: Path = FOLDER) -> Program:
    """Make a program of files of `folder` for a machine. Raises BenchError if that fails."""
    files = [folder / name for name in (*_SHARED, f"{board}.c", *sources)]
    call(
        *(f"{PREFIX}gcc", *_COMPILE, *(f"-I{paths.ROOT / each}" for each in _INCLUDED)),
        *("-Wl,-T", str(folder / "floor.ld")),
        *(str(each) for each in (*files, paths.ROOT / "tenants" / "rt" / "string.c")),
        *("-o", str(target)),
    )
    return _read(target)


def _read(elf: Path) -> Program:
    with elf.open("rb") as stream:
        file = ELFFile(stream)
        table = file.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        symbols = {each.name: each["st_value"] for each in table.iter_symbols()}
        begin, end = symbols[_BEGIN], symbols[_END]
        text = file.get_section_by_name(".text")
        assert text is not None
        start = begin - text["sh_addr"]
        return Program(elf, begin, text.data()[start : start + end - begin], symbols)
