# SPDX-License-Identifier: BSD-2-Clause
"""What the user called this program, so that what it says can be typed."""

import os

# Set by the script at the top of the tree.
_VARIABLE = "COTENANT_PROGRAM"


def called_as() -> str:
    """Return the command as the user typed it."""
    return os.environ.get(_VARIABLE) or "cotenant"
