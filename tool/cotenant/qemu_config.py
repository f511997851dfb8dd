# SPDX-License-Identifier: BSD-2-Clause
"""The [qemu] table of a system file: what QEMU plugs into the board's slots."""

import re
from dataclasses import dataclass

from cotenant.reader import TableReader, kind_of

_MODEL = re.compile(r"[a-zA-Z0-9_.-]+(,[a-zA-Z0-9_.-]+=[^,\s]+)*")
_FORWARD = re.compile(r"(\d{1,5}):(\d{1,5})")
_PORT_HIGH = 65535


@dataclass(frozen=True)
class Disk:
    """A block device whose content is an image."""

    image: str
    """a name of the catalogue, or a path relative to the system file"""
    keep: bool = False
    """what is written goes to the image; otherwise it is gone when QEMU ends"""


@dataclass(frozen=True)
class Network:
    """A network device on QEMU's user network."""

    forward: tuple[tuple[int, int], ...] = ()
    """TCP ports of the host's loopback address, each with the tenant's port it leads to"""


@dataclass(frozen=True)
class Serial:
    """A serial line."""

    socket: str
    """a UNIX socket that QEMU makes and listens on, relative to the system file"""


QemuDevice = str | tuple[str, ...] | Disk | Network | Serial
"""A string is the value of QEMU's -device, without the bus; several are cards on one bus."""


def read(reader: TableReader | None) -> dict[str, QemuDevice]:
    """Read the [qemu] table, noting every mistake; return the devices by slot."""
    slots = reader.table("devices") if reader is not None else None
    if reader is not None:
        reader.finish()
    if slots is None:
        return {}
    found = {name: _read_device(slots, name) for name in slots.data}
    return {name: device for name, device in found.items() if device is not None}


def _read_device(slots: TableReader, name: str) -> QemuDevice | None:
    raw = slots.data[name]
    if isinstance(raw, str):
        return slots.parsed(name, _parse_model, "virtio-rng-device")
    if isinstance(raw, list):
        return _read_cards(slots, name)
    if not isinstance(raw, dict):
        slots.wrong(name, f"is {kind_of(raw)}", 'write for example: { disk = "debian-disk" }')
        return None
    reader = slots.table(name)
    assert reader is not None
    device: QemuDevice | None
    if "serial" in raw:
        device = _read_serial(reader)
    else:
        device = _read_disk(reader) if "disk" in raw else _read_network(reader)
    reader.finish()
    return device


def _read_cards(slots: TableReader, name: str) -> tuple[str, ...] | None:
    models = slots.strings(name, '["bochs-display"]')
    try:
        return None if models is None else tuple(_parse_model(each) for each in models)
    except ValueError as error:
        slots.wrong(name, str(error), 'write for example: ["bochs-display"]')
        return None


def _read_disk(reader: TableReader) -> Disk | None:
    image = reader.string("disk", "debian-disk", required=True)
    keep = reader.boolean("keep")
    return None if image is None else Disk(image, keep is True)


def _read_serial(reader: TableReader) -> Serial | None:
    socket = reader.string("serial", "./uart0.socket", required=True)
    return None if socket is None else Serial(socket)


def _read_network(reader: TableReader) -> Network | None:
    kind = reader.string("network", "user")
    if kind != "user":
        reader.wrong(
            "network",
            "neither a disk nor a network is described",
            'write { disk = "debian-disk" }, or { network = "user", forward = ["8022:22"] }',
        )
    forward = reader.strings("forward", '["8022:22"]') or ()
    ports = []
    for text in forward:
        try:
            ports.append(_parse_forward(text))
        except ValueError as error:
            reader.wrong("forward", str(error), 'write for example: ["8022:22"]')
    return Network(tuple(ports))


def _parse_forward(text: str) -> tuple[int, int]:
    found = _FORWARD.fullmatch(text)
    ports = (int(found[1]), int(found[2])) if found else (0, 0)
    if not all(1 <= port <= _PORT_HIGH for port in ports):
        raise ValueError(f'"{text}" is not of the form HOST_PORT:TENANT_PORT')
    return ports


def _parse_model(text: str) -> str:
    if not _MODEL.fullmatch(text):
        raise ValueError(f'"{text}" is not of the form MODEL or MODEL,KEY=VALUE')
    return text
