# SPDX-License-Identifier: BSD-2-Clause
"""Reading a machine's memory from outside: through QEMU's own protocol, the machine halted."""

import asyncio
import tempfile
from pathlib import Path

from qemu.qmp import QMPClient, QMPError

from cotenant.run.errors import RunError


def socket_arguments(socket: Path) -> tuple[str, ...]:
    """Return the arguments that let QEMU listen for `read` at a socket."""
    return ("-qmp", f"unix:{socket},server=on,wait=off")


def read(socket: Path, address: int, size: int) -> bytes:
    """Halt the machine, return `size` bytes of its physical memory, let it go on."""
    with tempfile.TemporaryDirectory(prefix="cotenant-") as folder:
        file = Path(folder) / "memory"
        try:
            asyncio.run(_save(socket, address, size, file))
            data = file.read_bytes()
        except (QMPError, OSError) as error:
            raise RunError(f"QEMU did not give the machine's memory: {error}") from error
    if len(data) != size:
        raise RunError(f"QEMU gave {len(data)} bytes of the machine's memory instead of {size}")
    return data


async def _save(socket: Path, address: int, size: int, file: Path) -> None:
    client = QMPClient("cotenant")
    await client.connect(str(socket))
    try:
        await client.execute("stop")
        where = {"val": address, "size": size, "filename": str(file)}
        await client.execute("pmemsave", where)
        await client.execute("cont")
    finally:
        await client.disconnect()
