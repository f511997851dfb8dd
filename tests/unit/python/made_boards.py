# SPDX-License-Identifier: BSD-2-Clause
"""Boards for tests: QEMU's with a difference."""

from pathlib import Path

import pytest

from cotenant import board_reader, paths
from cotenant.board import Board
from cotenant.errors import Mistakes


def use_boards_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let systems find their boards by name in `folder`."""

    def load_board(name: str, mistakes: Mistakes, beside: Path | None = None) -> Board | None:
        return board_reader.load(name, mistakes, folder)

    monkeypatch.setattr("cotenant.system.load_board", load_board)


def use_board_with_pmp(
    folder: Path, entries: int, grain: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Make a board "tested" that is qemu-virt with another PMP."""
    text = (paths.BOARDS / "qemu-virt.toml").read_text()
    text = text.replace("entries = 16", f"entries = {entries}")
    text = text.replace("grain = 4", f"grain = {grain}")
    (folder / "tested.toml").write_text(text)
    use_boards_of(folder, monkeypatch)
