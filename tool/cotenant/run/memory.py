# SPDX-License-Identifier: BSD-2-Clause
"""Reading a machine's memory from outside: through QEMU's own protocol, the machine halted."""

import tempfile
from pathlib import Path

from cotenant.errors import RunError
from cotenant.run import qmp


def read(socket: Path, address: int, size: int) -> bytes:
    """Halt the machine, return `size` bytes of its physical memory, let it go on."""
    with tempfile.TemporaryDirectory(prefix="cotenant-") as folder:
        file = Path(folder) / "memory"
        where = {"val": address, "size": size, "filename": str(file)}
        qmp.execute(socket, ("stop", {}), ("pmemsave", where), ("cont", {}))
        data = file.read_bytes()
    if len(data) != size:
        raise RunError(f"QEMU gave {len(data)} bytes of the machine's memory instead of {size}")
    return data
