# SPDX-License-Identifier: BSD-2-Clause
"""Board files out of device trees: what a tree says, in the terms of boards/NAME.toml.

result = import_tree(Path("board.dtb"))
result.problems     # sentences: why it cannot be a board; none: `text` is a valid board file
result.notes        # sentences: what the tree does not tell, or what was not understood
"""

from cotenant.board_import.importer import Imported, import_tree

__all__ = ["Imported", "import_tree"]
