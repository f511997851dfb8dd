# SPDX-License-Identifier: BSD-2-Clause
"""The monitor's code as a trace needs it: which function an address is in, and what is there."""

from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from cotenant import paths
from cotenant.bounds.sources import Sources
from cotenant.errors import BenchError

_OPCODE_MASK = 0x7F
_OPCODE_SYSTEM = 0x73
_WFI = 0x10500073
_CSR_SATP = 0x180
_CSR_MIP = 0x344
_LOOK_AT_TIMER = "CSR_READ(mip) & INTERRUPT_MTI"


@dataclass(frozen=True)
class _Symbol:
    start: int
    name: str


class MonitorCode:
    """Symbols and instructions of build/monitor/monitor.elf, by offset from the monitor's base.

    `looks` are texts of the lines in which reading mip is a look at all machine interrupts,
    `sleeps` files and texts of those in which WFI is a part of a wait for another hart.
    """

    def __init__(
        self,
        elf: Path = paths.MONITOR_ELF,
        image: Path = paths.MONITOR_IMAGE,
        looks: Collection[str] = (),
        sleeps: Collection[tuple[str, str]] = (),
    ) -> None:
        try:
            self._image = image.read_bytes()
            self._symbols = sorted(_code_symbols(elf), key=lambda each: each.start)
        except OSError as error:
            raise BenchError(f"the monitor is not built ({error}): run 'make build'") from error
        self._starts = [each.start for each in self._symbols]
        reads = [offset for offset in range(0, self.size, 2) if self._reads_pending(offset)]
        waits = {offset for offset in range(0, self.size, 2) if self._word(offset) == _WFI}
        sources = Sources(elf, paths.MONITOR, [*reads, *waits] if looks else ())
        self._waits = {offset for offset in waits if not _is_at(sources, offset, sleeps)}
        texts = {offset: sources.text(sources.at(offset)) for offset in reads}
        self._looks = {
            offset for offset, text in texts.items() if any(each in text for each in looks)
        }
        self._looks_at_timer = {offset for offset, text in texts.items() if _LOOK_AT_TIMER in text}

    @property
    def size(self) -> int:
        """Bytes of the image: what lies behind is data."""
        return len(self._image)

    def address(self, name: str) -> int:
        """Return where a function begins."""
        try:
            return next(each.start for each in self._symbols if each.name == name)
        except StopIteration:
            raise BenchError(f"the monitor has no symbol {name!r}: was it renamed?") from None

    def find(self, name: str) -> int | None:
        """Return where a function begins; None: there is none of that name."""
        return next((each.start for each in self._symbols if each.name == name), None)

    def function(self, offset: int) -> str:
        """Return the name of the function that an offset is in."""
        return self._symbol(offset).name

    def is_wfi(self, offset: int) -> bool:
        """Whether the hart waits there for an interrupt."""
        return offset in self._waits

    def loads_world(self, offset: int) -> bool:
        """Whether an instruction changes satp, which nothing but a world switch does."""
        word = self._word(offset)
        return word & _OPCODE_MASK == _OPCODE_SYSTEM and word >> 20 == _CSR_SATP and _writes(word)

    def looks_for_interrupts(self, offset: int) -> bool:
        """Whether an instruction looks at all machine interrupts that are pending."""
        return offset in self._looks

    def looks_for_timer(self, offset: int) -> bool:
        """Whether it looks at the machine timer interrupt at least, which wakes most RTOSes."""
        return offset in self._looks or offset in self._looks_at_timer

    def _reads_pending(self, offset: int) -> bool:
        word = self._word(offset)
        is_read = word & _OPCODE_MASK == _OPCODE_SYSTEM and word >> 20 == _CSR_MIP
        return is_read and word >> 7 & 31 != 0

    def _symbol(self, offset: int) -> _Symbol:
        return self._symbols[max(0, bisect_right(self._starts, offset) - 1)]

    def _word(self, offset: int) -> int:
        return int.from_bytes(self._image[offset : offset + 4], "little")


def _is_at(sources: Sources, offset: int, places: Collection[tuple[str, str]]) -> bool:
    frame = sources.at(offset)
    return (frame.file, sources.text(frame)) in places


def _writes(word: int) -> bool:
    """Whether an access to a CSR changes it: csrrw, or csrrs or csrrc with a register or number."""
    return word >> 12 & 3 == 1 or word >> 15 & 31 != 0


def _code_symbols(elf: Path) -> list[_Symbol]:
    """Return the functions of C, and the labels of assembly that are not local."""
    with elf.open("rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        if not isinstance(table, SymbolTableSection):
            return []
        return [
            _Symbol(symbol["st_value"], symbol.name)
            for symbol in table.iter_symbols()
            if symbol["st_info"]["type"] in ("STT_FUNC", "STT_NOTYPE")
            and isinstance(symbol["st_shndx"], int)
            and symbol.name
            and not symbol.name.startswith((".", "$"))
            and not _is_mark(symbol.name, symbol["st_info"]["type"])
        ]


def _is_mark(name: str, kind: str) -> bool:
    """Whether it marks where a file begins in what was compiled together, such as `one.c.5f1e`."""
    return kind == "STT_NOTYPE" and "." in name
