# SPDX-License-Identifier: BSD-2-Clause
"""The board's own device tree, cut to what a tenant has of the board.

    check(data, board, harts, ram, complain)    # sentences: where the tree is another machine's
    edited = edit(data, view, board, harts, foreign)
    edited.blob                                 # the tree that the tenant gets
    edited.cut, edited.wanting                  # sentences: what is not its own, and who needs it

Nodes are disabled, not removed, but for those of memory: every phandle still leads to its node, and
clocks, resets, pins and what else the vendor wrote is as it was.
"""

from cotenant.board_tree.check import check
from cotenant.board_tree.edit import Edited, edit

__all__ = ["Edited", "check", "edit"]
