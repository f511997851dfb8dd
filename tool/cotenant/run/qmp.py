# SPDX-License-Identifier: BSD-2-Clause
"""Asking QEMU itself, by its own protocol (QMP), at a socket where it listens."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from qemu.qmp import ConnectError, QMPClient, QMPError

from cotenant.errors import RunError

Command = tuple[str, Mapping[str, object]]
"""A command's name and its arguments: see QEMU's QMP reference manual."""

_TIMEOUT = 60.0


def arguments(socket: Path) -> tuple[str, ...]:
    """Return the arguments that let QEMU listen at a socket, for one client at a time."""
    return ("-qmp", f"unix:{str(socket).replace(',', ',,')},server=on,wait=off")


def execute(socket: Path, *commands: Command) -> list[object]:
    """Return the answers of commands, one after the other; RunError with the first one refused."""
    try:
        return asyncio.run(asyncio.wait_for(_execute(socket, commands), _TIMEOUT))
    except TimeoutError as error:
        raise RunError(f"QEMU did not answer within {_TIMEOUT:g} s") from error
    except ConnectError as error:
        raise RunError(f"no QEMU listens at {socket}: the system does not run") from error
    except (QMPError, OSError) as error:
        raise RunError(f"QEMU did not obey: {error}") from error


async def _execute(socket: Path, commands: tuple[Command, ...]) -> list[object]:
    client = QMPClient("cotenant")
    await client.connect(str(socket))
    try:
        return [await client.execute(name, dict(values)) for name, values in commands]
    finally:
        await client.disconnect()
