# SPDX-License-Identifier: BSD-2-Clause
"""The monitor's code as a trace needs it: which function an address is in, and what is there."""

from bisect import bisect_right
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from cotenant import paths
from cotenant.bench.errors import BenchError

_OPCODE_SYSTEM = 0x73
_WFI = 0x10500073
_CSR_MIP = 0x344


class MonitorCode:
    """Symbols and instructions of build/monitor/monitor.elf, by offset from the monitor's base."""

    def __init__(self, elf: Path = paths.MONITOR_ELF, image: Path = paths.MONITOR_IMAGE) -> None:
        try:
            self._image = image.read_bytes()
            found = sorted(_code_symbols(elf))
        except OSError as error:
            raise BenchError(f"the monitor is not built ({error}): run 'make build'") from error
        self._starts: list[int] = [start for start, _ in found]
        self._names: list[str] = [name for _, name in found]

    @property
    def size(self) -> int:
        """Bytes of the image: what lies behind is data."""
        return len(self._image)

    def address(self, name: str) -> int:
        """Return where a function begins."""
        try:
            return self._starts[self._names.index(name)]
        except ValueError:
            raise BenchError(f"the monitor has no symbol {name!r}: was it renamed?") from None

    def function(self, offset: int) -> str:
        """Return the name of the function that an offset is in."""
        index = bisect_right(self._starts, offset) - 1
        return self._names[index] if index >= 0 else "?"

    def is_wfi(self, offset: int) -> bool:
        """Whether the hart waits there."""
        return self._word(offset) == _WFI

    def reads_pending(self, offset: int) -> bool:
        """Whether an instruction reads mip: the monitor looks for interrupts, or saves them."""
        word = self._word(offset)
        destination = word >> 7 & 31
        return word & 0x7F == _OPCODE_SYSTEM and word >> 20 == _CSR_MIP and destination != 0

    def _word(self, offset: int) -> int:
        return int.from_bytes(self._image[offset : offset + 4], "little")


def _code_symbols(elf: Path) -> list[tuple[int, str]]:
    """Return the functions and the global labels of assembly, with their addresses."""
    with elf.open("rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        if not isinstance(table, SymbolTableSection):
            return []
        return [
            (symbol["st_value"], symbol.name)
            for symbol in table.iter_symbols()
            if symbol["st_info"]["type"] in ("STT_FUNC", "STT_NOTYPE")
            and isinstance(symbol["st_shndx"], int)
            and symbol.name
            and not symbol.name.startswith((".", "$"))
        ]
