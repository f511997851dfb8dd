# SPDX-License-Identifier: BSD-2-Clause
"""Which device trees make boards, as a table of a document."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from cotenant import board_reader
from cotenant.board_import.importer import Imported, import_tree
from cotenant.board_import.tree import TreeError
from cotenant.errors import ConfigError, Mistakes
from cotenant.units import format_size

_BEGIN = "<!-- survey of device trees -->\n"
_END = "<!-- end of survey -->\n"
_PLACE = re.compile(re.escape(_BEGIN) + ".*?" + re.escape(_END), re.DOTALL)


@dataclass(frozen=True)
class Surveyed:
    """A tree and what came of it; `reasons` against a board, none if it is one."""

    file: str
    model: str
    reasons: tuple[str, ...]
    imported: Imported | None


def survey(files: Iterable[Path]) -> list[Surveyed]:
    """Import each tree, and read each board file as the tool reads those of boards/."""
    return [_one(file) for file in sorted(files)]


def _one(file: Path) -> Surveyed:
    try:
        imported = import_tree(file)
    except TreeError as error:
        return Surveyed(file.name, file.stem, (str(error),), None)
    reasons = tuple(imported.problems)
    if imported.text is not None:
        reasons = tuple(_mistakes(imported.text))
    return Surveyed(file.name, imported.model, reasons, imported)


def _mistakes(text: str) -> list[str]:
    """Return what the reader of board files has against one."""
    with TemporaryDirectory(prefix="cotenant-") as folder:
        (Path(folder) / "imported.toml").write_text(text)
        try:
            board_reader.load("imported", Mistakes("imported"), Path(folder))
        except ConfigError as error:
            return [f"{each.key}: {each.problem}." for each in error.mistakes]
    return []


def table(found: Sequence[Surveyed], source: str) -> str:
    """Return the table in Markdown, trees of one outcome for one reason together."""
    good = [each for each in found if not each.reasons]
    lines = [
        f"Of {len(found)} device trees in {source}, {len(good)} make a board file that the tool "
        "reads (`cotenant board survey --docs`):",
        "",
        "| tree | machine | harts, with S-mode | RAM at | UART | devices |",
        "|---|---|--:|---|---|--:|",
    ]
    for each in good:
        assert each.imported is not None and each.imported.board is not None
        board = each.imported.board
        with_s_mode = sum(hart.mmu is not None for hart in board.harts.all)
        lines.append(
            f"| `{each.file}` | {each.model} | {len(board.harts.all)}, {with_s_mode} "
            f"| {board.ram.base:#x}, {format_size(board.ram.size)} | {board.uart.kind} "
            f"| {len(board.devices)} |"
        )
    lines += ["", "The others, and why they do not:", "", "| why | trees |", "|---|---|"]
    why: dict[tuple[str, ...], list[str]] = {}
    for each in found:
        if each.reasons:
            why.setdefault(each.reasons, []).append(f"`{each.file}`")
    lines += [f"| {' '.join(reasons)} | {', '.join(files)} |" for reasons, files in why.items()]
    return "\n".join(lines) + "\n"


def put_into(document: str, text: str) -> str:
    """Return a document with the table in the place that it has for it; ValueError without one."""
    if not _PLACE.search(document):
        raise ValueError("the document has no place for the survey")
    return _PLACE.sub(lambda _: f"{_BEGIN}{text}{_END}", document)
