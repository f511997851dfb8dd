# SPDX-License-Identifier: BSD-2-Clause
"""What QEMU plugs into the board's slots: checked against the board and the owners."""

import re
from collections.abc import Mapping
from pathlib import Path

from cotenant import inputs
from cotenant.board import Board
from cotenant.config import SystemConfig
from cotenant.devices import Ownership, is_guarded
from cotenant.errors import Mistakes
from cotenant.images import ImageError
from cotenant.qemu_config import Disk, Network, QemuDevice, Serial
from cotenant.reader import suggestion

# Of the types that features/guard/types.c of the monitor has.
_GUARDED_MODELS = frozenset(
    {
        "virtio-9p-device",
        "virtio-blk-device",
        "virtio-input-host-device",
        "virtio-keyboard-device",
        "virtio-mouse-device",
        "virtio-net-device",
        "virtio-rng-device",
        "virtio-scsi-device",
        "virtio-serial-device",
        "virtio-tablet-device",
    }
)
_BUS = re.compile(r",\s*bus\s*=")
_QCOW2_MAGIC = b"QFI\xfb"


def check(config: SystemConfig, board: Board, owned: Ownership, mistakes: Mistakes) -> None:
    """Note every entry of [qemu.devices] that cannot be, or that no tenant would see."""
    owners = {device.name for devices in owned.values() for device in devices}
    lines = [name for name, device in board.devices.items() if device.qemu_serial is not None]
    slots = [name for name, device in board.devices.items() if device.qemu_bus is not None]
    for name, model in config.qemu_devices.items():
        key = f"qemu.devices.{name}"
        if board.qemu is None:
            mistakes.add(key, f"QEMU does not know the board {board.id}", "remove [qemu.devices]")
        elif name not in board.devices:
            mistakes.add(key, f'unknown device "{name}"', suggestion(name, [*slots, *lines]))
        elif isinstance(model, Serial) != (name in lines) and name in (*slots, *lines):
            what = "a serial line" if name in lines else "a slot"
            remedy = f'{{ serial = "./{name}.socket" }}' if name in lines else '"virtio-rng-device"'
            mistakes.add(key, f'"{name}" is {what}', f"write for example: {name} = {remedy}")
        elif name not in slots and name not in lines:
            mistakes.add(key, f'"{name}" is no slot: QEMU\'s machine has it always', "remove it")
        elif name not in owners:
            mistakes.add(
                key, f'"{name}" belongs to no tenant', "add it to the devices of the one to use it"
            )
        elif not isinstance(model, (str, tuple)) and board.devices[name].pci is not None:
            mistakes.add(
                key, "takes PCI cards", "plug disks and networks into slots for virtio devices"
            )
        elif isinstance(model, tuple) and board.devices[name].pci is None:
            mistakes.add(key, "has room for one device", "give one, without [ ]")
        else:
            _check_guarded(config, owned, name, model, mistakes)
            for each in _models(model):
                if _BUS.search(each):
                    remedy = f'leave "bus=" out: {name} is the place'
                    mistakes.add(key, f'"{each}" names a bus', remedy)


def _check_guarded(
    config: SystemConfig, owned: Ownership, name: str, model: QemuDevice, mistakes: Mistakes
) -> None:
    """Note a device that its owner would not see, because the monitor cannot guard it."""
    for tenant in config.tenants:
        devices_here = [device for device in owned[tenant.name] if device.name == name]
        if not any(is_guarded(tenant, device) for device in devices_here):
            continue
        trust = f'write "trusted = true" in {tenant.key} if it may reach all memory by its devices'
        if not config.qemu_modern:
            problem = f"{name} of {tenant.name} is guarded, and the legacy transport cannot be"
            mistakes.add("qemu.virtio", problem, f'write "modern", or {trust}')
        for each in _models(model):
            kind = each.partition(",")[0]
            if kind not in _GUARDED_MODELS:
                mistakes.add(f"qemu.devices.{name}", f'"{kind}" cannot be guarded', trust)


def find_disks(config: SystemConfig, mistakes: Mistakes) -> dict[str, Path]:
    """Return the files of the disks by slot; those of the catalogue are made if missing."""
    found = {}
    for name, device in config.qemu_devices.items():
        if not isinstance(device, Disk):
            continue
        key = f"qemu.devices.{name}"
        if device.keep and inputs.is_name(device.image):
            mistakes.add(
                f"{key}.keep",
                f'"{device.image}" is the image that all copies are made from',
                f"write to a copy: 'cotenant images copy {device.image} my.img', and here "
                'disk = "my.img"',
            )
            continue
        try:
            found[name] = inputs.locate(device.image, config.path.parent)
        except ImageError as error:
            mistakes.add(f"{key}.disk", str(error))
    return found


def arguments(
    config: SystemConfig, board: Board, disks: Mapping[str, Path]
) -> tuple[tuple[str, str], ...]:
    """Return QEMU's options with their values, in the file's order; all have been checked."""
    options = _serial_lines(config, board)
    for name, device in config.qemu_devices.items():
        if isinstance(device, Serial):
            continue
        models = _models(device)
        if isinstance(device, Disk):
            options.append(("-drive", _drive(name, device, disks[name])))
            models = (f"virtio-blk-device,drive={name}",)
        elif isinstance(device, Network):
            options.append(("-netdev", _user_network(name, device)))
            models = (f"virtio-net-device,netdev={name}",)
        place = f"bus={board.devices[name].qemu_bus}"
        if board.devices[name].pci is not None:
            place += ",romfile="  # a program for the firmware of a PC, which is not installed
        options += [("-device", f"{model},{place}") for model in models]
    return tuple(options)


def _models(device: QemuDevice) -> tuple[str, ...]:
    """Return the values of -device that the file itself gives."""
    if isinstance(device, str):
        return (device,)
    return device if isinstance(device, tuple) else ()


def _serial_lines(config: SystemConfig, board: Board) -> list[tuple[str, str]]:
    """Return QEMU's lines in their order, but for the board's UART if it is the first one."""
    lines = {
        device.qemu_serial: config.qemu_devices.get(name)
        for name, device in board.devices.items()
        if device.qemu_serial is not None
    }
    if not lines:
        return []
    first = 1 if board.qemu is not None and board.qemu.console is None else 0
    found = []
    for number in range(first, max(lines) + 1):
        line = lines.get(number)
        found.append(("-serial", _socket(config, line) if isinstance(line, Serial) else "null"))
    return found


def _socket(config: SystemConfig, line: Serial) -> str:
    path = str((config.path.parent / line.socket).resolve()).replace(",", ",,")
    return f"unix:{path},server=on,wait=off"


def _drive(name: str, disk: Disk, file: Path) -> str:
    """Return a drive; without `keep` QEMU puts what is written into a temporary file."""
    path = str(file.resolve()).replace(",", ",,")
    with file.open("rb") as stream:
        kind = "qcow2" if stream.read(len(_QCOW2_MAGIC)) == _QCOW2_MAGIC else "raw"
    snapshot = "off" if disk.keep else "on"
    return f"if=none,id={name},format={kind},snapshot={snapshot},file={path}"


def _user_network(name: str, network: Network) -> str:
    ports = [f"hostfwd=tcp:127.0.0.1:{host}-:{tenant}" for host, tenant in network.forward]
    return ",".join(["user", f"id={name}", *ports])
