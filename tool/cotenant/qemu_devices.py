# SPDX-License-Identifier: BSD-2-Clause
"""What QEMU plugs into the board's slots: checked against the board and the owners."""

import re

from cotenant.board import Board
from cotenant.config import SystemConfig
from cotenant.devices import Ownership
from cotenant.errors import Mistakes
from cotenant.reader import suggestion

_BUS = re.compile(r",\s*bus\s*=")


def check(config: SystemConfig, board: Board, owned: Ownership, mistakes: Mistakes) -> None:
    """Note every entry of [qemu.devices] that cannot be, or that nobody would see."""
    owners = {device.name for devices in owned.values() for device in devices}
    slots = [device.name for device in board.devices.values() if device.qemu_bus is not None]
    for name, model in config.qemu_devices.items():
        key = f"qemu.devices.{name}"
        if board.qemu is None:
            mistakes.add(key, f"QEMU does not know the board {board.id}", "remove [qemu.devices]")
        elif name not in board.devices:
            mistakes.add(key, f'unknown device "{name}"', suggestion(name, slots))
        elif name not in slots:
            mistakes.add(key, f'"{name}" is no slot: QEMU\'s machine has it always', "remove it")
        elif name not in owners:
            mistakes.add(
                key, f'"{name}" belongs to no tenant', "add it to the devices of the one to use it"
            )
        elif _BUS.search(model):
            mistakes.add(key, f'"{model}" names a bus', f'leave "bus=" out: {name} is the place')


def arguments(config: SystemConfig, board: Board) -> tuple[str, ...]:
    """Return the values of QEMU's -device options, in the file's order; all have been checked."""
    return tuple(
        f"{model},bus={board.devices[name].qemu_bus}" for name, model in config.qemu_devices.items()
    )
