# SPDX-License-Identifier: BSD-2-Clause
"""The keyboard with which a guest is asked to power off, by a driver that is a script."""

import signal
import struct
import subprocess

from test_cohost_disk import (
    AVAILABLE,
    DATA,
    DESCRIPTORS,
    DEVICE_WRITES,
    DISK,
    SOURCE,
    at,
    set_up,
    show,
)
from test_cohost_program import (
    DONE,
    MIB,
    POWEROFF,
    REFUSED,
    STOPPED,
    UART,
    Host,
    host,
    kernel,
    program,
)

__all__ = ["host", "program"]  # fixtures

# Behind the random numbers, where a disk would be.
KEYS, KEYS_SOURCE = DISK + 0x1000, SOURCE + 1
UART_SOURCE = 1
EVENT = struct.Struct("<HHI")
KEY, SYNCHRONIZE = 1, 0
POWER = 116
EVENTS = 4
READY = b"ready"
PLACE_OF_READY = 0x9000


def image(script: str) -> bytes:
    """Return a kernel whose driver has room for the events of a key."""
    memory = bytearray(kernel(script).ljust(0x10000, b"\0"))
    for number in range(EVENTS):
        place = at(DATA) + EVENT.size * number
        struct.pack_into(
            "<QIHH", memory, DESCRIPTORS + 16 * number, place, EVENT.size, DEVICE_WRITES, 0
        )
    struct.pack_into("<HH4H", memory, AVAILABLE, 0, EVENTS, *range(EVENTS))
    memory[PLACE_OF_READY : PLACE_OF_READY + len(READY)] = READY
    return bytes(memory)


def start(host: Host, script: str) -> subprocess.Popen[bytes]:
    """Start a guest whose driver is ready when this returns, and goes on with `script`."""
    begin = f"{set_up(device=KEYS)}store {UART + 4:x} 1 1\n{show(PLACE_OF_READY, len(READY))}"
    file = host.folder / "Image"
    file.write_bytes(image(begin + script))
    process = host.start("run", "--memory", "8M", "--name", "web", "--kernel", file)
    assert process.stdout is not None
    assert process.stdout.read(len(READY)) == READY
    return process


def test_a_guest_is_asked_to_power_off(host: Host) -> None:
    process = start(host, f"wait {KEYS_SOURCE}\n{POWEROFF}")
    assert host.call("shutdown", "web").stdout == "shutdown web: ok\n"
    process.communicate(timeout=30)
    assert process.returncode == DONE


def test_its_power_key_is_pressed_and_released(host: Host) -> None:
    """What is typed after the signal comes to the guest when the key has been released."""
    waits = f"wait {KEYS_SOURCE}\nwait {UART_SOURCE}\n"
    process = start(host, f"{waits}{show(DATA, EVENT.size * EVENTS)}{POWEROFF}")
    process.send_signal(signal.SIGPWR)
    output, _ = process.communicate(b"x", timeout=30)
    assert process.returncode == DONE
    events = [EVENT.unpack_from(output, EVENT.size * number) for number in range(EVENTS)]
    synchronized = (SYNCHRONIZE, 0, 0)
    assert events == [(KEY, POWER, 1), synchronized, (KEY, POWER, 0), synchronized]


def test_a_guest_without_a_driver_goes_on(host: Host) -> None:
    file = host.kernel("spin\n", 2 * MIB)
    process = host.start("run", "--memory", "8M", "--name", "web", "--kernel", file)
    while "start" not in host.log:
        assert process.poll() is None
    process.send_signal(signal.SIGPWR)
    assert "web" in host.call("list").stdout
    assert host.call("stop", "web").returncode == DONE
    process.communicate(timeout=30)
    assert process.returncode == STOPPED
    assert host.call("shutdown", "web").returncode == REFUSED
