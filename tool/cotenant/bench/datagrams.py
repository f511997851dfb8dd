# SPDX-License-Identifier: BSD-2-Clause
"""A datagram from the interrupt to its delivery: four ways, in one run of linux/tests/udpstamps.c.

The datagrams come from outside the machine, one at a time, to a network device of Linux and one of
the component OS.
"""

import re
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager

from cotenant.bench.systems import NO_SELF_TESTS, linux, payload, running, system
from cotenant.errors import BenchError
from cotenant.run.session import Session

WAYS = ("socket", "tun", "components", "relay")
"""As udpstamps takes them one after the other."""

_PAUSE = 0.05  # between two datagrams, seconds
_IN_A_ROW = 8
_OUTPUT = "/tmp/stamps"
_PATIENCE = 60.0
_PORT = 9
_SIZE = 16
_SENDER = "10.0.0.9"
_LINUX, _BEHIND_LINUX, _COMPONENTS = "10.0.0.1", "10.1.0.2", "10.0.0.2"
_MACS = {"linux": bytes.fromhex("525400000001"), "components": bytes.fromhex("525400000002")}
_ARGUMENTS = (
    "console=ttyS0 loglevel=4 modules=virtio_mmio,virtio_net,tun addresses=eth0=10.0.0.1/24 "
    f"{NO_SELF_TESTS}"
)


class _Wire:
    """The other end of a network device: each frame is a datagram between QEMU and this process."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            self._machine = free.getsockname()

    @property
    def netdev(self) -> str:
        here = self._socket.getsockname()[1]
        there = self._machine[1]
        return f"socket,id={self.name},udp=127.0.0.1:{here},localaddr=127.0.0.1:{there}"

    def send(self, address: str) -> None:
        self._socket.sendto(_frame(_MACS[self.name], address), self._machine)

    def close(self) -> None:
        self._socket.close()


def _frame(mac: bytes, address: str) -> bytes:
    """Return an Ethernet frame with a datagram of 16 bytes; its checksum may be left out."""
    data = struct.pack(">HHHH", _PORT, _PORT, 8 + _SIZE, 0) + bytes(range(_SIZE))
    header = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(data), 0, 0, 64, socket.IPPROTO_UDP, 0)
    header += socket.inet_aton(_SENDER) + socket.inet_aton(address)
    total = sum(struct.unpack(">10H", header))
    total = (total & 0xFFFF) + (total >> 16)
    checksum = struct.pack(">H", ~(total + (total >> 16)) & 0xFFFF)
    return mac + bytes.fromhex("5254000000090800") + header[:10] + checksum + header[12:] + data


@contextmanager
def _wires() -> Iterator[dict[str, _Wire]]:
    wires = {name: _Wire(name) for name in _MACS}
    try:
        yield wires
    finally:
        for wire in wires.values():
            wire.close()


def measure(count: int) -> dict[str, int]:
    """Return the nanoseconds of each way, which are instructions: medians of `count` datagrams.

    Raises BenchError or RunError.
    """
    devices = [
        f'virtio{number} = "virtio-net-device,netdev={name},mac={_MACS[name].hex(":")}"'
        for number, name in enumerate(_MACS)
    ]
    text = system(
        "\n".join(["[qemu.devices]", *devices]),
        linux(arguments=_ARGUMENTS, initrd="debian-host-initramfs", devices=["virtio0"]),
        payload(
            "components",
            "components-datagrams",
            priority=10,
            memory="8M",
            fp=False,
            arguments=f"address={_COMPONENTS}/24",
            devices=["virtio1"],
        ),
        '[channel.components]\nkind = "memory"\nends = ["linux", "components"]\nsize = "8K"\n',
    )
    with _wires() as wires:
        extra = [word for wire in wires.values() for word in ("-netdev", wire.netdev)]
        with running(text, sstc=True, extra=tuple(extra)) as session:
            session.wait_ready("linux")
            session.command("linux", f"udpstamps {count} >{_OUTPUT} 2>&1 &")
            return {way: _send(session, way, wires) for way in WAYS}


def _send(session: Session, way: str, wires: dict[str, _Wire]) -> int:
    """Send until the program says how long they took; one may be lost."""
    wire = wires["components" if way == "components" else "linux"]
    address = {"tun": _BEHIND_LINUX, "components": _COMPONENTS}.get(way, _LINUX)
    output, end = "", time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        for _ in range(_IN_A_ROW if f"udpstamps: {way}\n" in output else 0):
            wire.send(address)
            time.sleep(_PAUSE)
        output = session.command("linux", f"cat {_OUTPUT}")[1]
        found = re.search(rf"^udpstamps: {way}=(\d+)", output, re.MULTILINE)
        if found:
            return int(found[1])
    raise BenchError(f"udpstamps got no datagrams for {way}: {output!r}")
