# SPDX-License-Identifier: BSD-2-Clause
"""python -m cotenant.components SYSTEM.toml FOLDER: called by tenants/Makefile."""

import sys
from pathlib import Path

from cotenant.components.build import build
from cotenant.errors import CotenantError


def main() -> int:
    """Build a system's parts; 1 and a sentence if it cannot be."""
    if len(sys.argv) != 3:
        sys.stderr.write("usage: python -m cotenant.components SYSTEM.toml FOLDER\n")
        return 2
    try:
        build(Path(sys.argv[1]), Path(sys.argv[2]))
    except CotenantError as error:
        sys.stderr.write(f"components: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
