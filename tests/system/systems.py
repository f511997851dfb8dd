# SPDX-License-Identifier: BSD-2-Clause
"""What the tests share: the texts of the systems that they boot, and types of the fixtures."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from ctypes import sizeof
from pathlib import Path
from typing import TypeAlias

from cotenant import paths
from cotenant.bundle import PAGE
from cotenant.bundle_struct import MonitorHeader
from cotenant.run.launch import Launch
from cotenant.run.results import Latency, Stats, parse_latency
from cotenant.run.session import Session
from cotenant.units import align_up

Build: TypeAlias = Callable[..., Launch]
Boot: TypeAlias = Callable[..., Session]

# Seconds of the host for one wait of a test in its long form.
LONG_WAIT = 3600.0

Scalar: TypeAlias = str | int | bool
Value: TypeAlias = Scalar | Mapping[str, Scalar | list[str]] | list[str] | list[int]

LINUX_READY = "^cotenant: ready$"
# More than half of the instructions of a boot are Debian's kernel testing its own cryptography. The
# examples boot with all of it, in the long form.
NO_SELF_TESTS = "cryptomgr.notests initcall_blacklist=jent_mod_init"
LATENCY_READY = "^latency: samples="
VERDICT = r"^((?:PASS|FAIL) .*)\n"


def is_long() -> bool:
    """Return whether tests that loop are to loop long: COTENANT_LONG_TESTS=1."""
    return os.environ.get("COTENANT_LONG_TESTS", "") not in ("", "0")


def is_endured() -> bool:
    """Return whether a test is a part of `make endurance`, which has a time limit of its own."""
    return "COTENANT_TIMES" in os.environ


def times(short: int, long: int) -> int:
    """Return how often a test repeats what it does; COTENANT_TIMES says it for one that is endured.

    See tests/harness/endurance.py.
    """
    wanted = os.environ.get("COTENANT_TIMES")
    return int(wanted) if wanted else long if is_long() else short


def _first_report(session: Session, name: str) -> Latency:
    """Return what an RTOS reported last, waiting for the first line."""
    found = parse_latency(session.output(name))
    while found is None:
        session.expect(name, r"^latency: samples=.*\n")
        found = parse_latency(session.output(name))
    return found


def keep_ticking(session: Session, names: Iterable[str], wake_ups: int = 1000) -> None:
    """Check that each of these RTOS is woken so many times more by its timer, however late."""
    before = {name: _first_report(session, name) for name in names}
    for name, first in before.items():
        while int(session.expect(name, r"^latency: samples=(\d+) ")[1]) < first.samples + wake_ups:
            pass


def run_without_a_miss(session: Session, seconds: int) -> tuple[Stats, Latency]:
    """Let the 1 kHz RTOS "freertos" run for seconds of the machine: it misses nothing, ever."""
    before = parse_latency(session.output("freertos"))
    stats = session.run_for(seconds)
    after = parse_latency(session.output("freertos"))
    assert before and after
    assert after.samples - before.samples >= 900 * seconds
    assert after.missed == 0
    return stats, after


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_value(each)}" for key, each in value.items()) + " }"
    return str(value) if isinstance(value, int | list) else f"'{value}'"


def tenant(name: str, keys: Mapping[str, Value]) -> str:
    """Return the table of a tenant."""
    return "\n".join([f"[tenant.{name}]", *(f"{key} = {_value(keys[key])}" for key in keys), ""])


def linux(name: str = "linux", **keys: Value) -> str:
    """Return the table of a Debian Linux with the test programs; `keys` change or add keys.

    It does not test its cryptography, whatever the arguments.
    """
    standard: dict[str, Value] = {
        "priority": 1,
        "memory": "256M",
        "image": "debian-kernel",
        "initrd": "debian-test-initramfs",
        "arguments": "console=ttyS0 loglevel=4",
        "ready": LINUX_READY,
    }
    merged = standard | keys
    merged["arguments"] = f"{merged['arguments']} {NO_SELF_TESTS}"
    return tenant(name, merged)


def freertos(name: str = "freertos", **keys: Value) -> str:
    """Return the table of the 1 kHz latency application; `keys` change or add keys."""
    standard: dict[str, Value] = {
        "priority": 10,
        "memory": "4M",
        "image": "freertos-latency",
        "arguments": "report=500ms",
        "ready": LATENCY_READY,
    }
    return tenant(name, standard | keys)


def payload(image: str, name: str | None = None, **keys: Value) -> str:
    """Return the table of a one-purpose payload; `keys` change or add keys."""
    standard: dict[str, Value] = {"priority": 5, "memory": "4M", "image": image}
    return tenant(name or image, standard | keys)


def mortal(image: str, name: str | None = None, **keys: Value) -> str:
    """Return the table of a tenant that ends in some way; it leaves half of the hart to others."""
    standard: dict[str, Value] = {
        "priority": 2,
        "memory": "256K",
        "image": image,
        "budget": "500us/1ms",
    }
    return tenant(name or image, standard | keys)


def vector_board(folder: Path, vlen: int) -> str:
    """Return a board whose harts have vector registers of so many bits."""
    text = (paths.BOARDS / "qemu-virt-vector.toml").read_text()
    board = folder / "board.toml"
    board.write_text(text.replace("vlen = 256", f"vlen = {vlen}").replace("=256", f"={vlen}"))
    return str(board)


def type_and_count(session: Session, data: bytes) -> tuple[int, int]:
    """Type bytes into Linux, which is at its prompt; return how many it got, and their CRC-32."""
    session.send("linux", f"ttycount {len(data)}\n".encode())
    session.expect("linux", "^ttycount: go$")
    session.send("linux", data)
    # A Linux that is slow to read says so with XOFF, and XON, which may come before its line.
    found = session.expect("linux", r"^[\x11\x13]*ttycount: bytes=(\d+) crc32=(\w+)\n")
    return int(found[1]), int(found[2], 16)


def hostile_memory_is_refused(session: Session, places: int) -> None:
    """Check that the payload hostile-memory tried the places in every way, and got nowhere."""
    assert session.expect("hostile-memory", VERDICT)[1] == "PASS hostile-memory"
    attempts = re.search(r"attempts=(\d+)", session.output("hostile-memory"))
    assert attempts and int(attempts[1]) > 40 * places
    stats = session.stats()
    assert stats.tenants["hostile-memory"].faults >= int(attempts[1])
    assert stats.tenants["freertos"].faults == 0


def system(*tenants: str, sstc: bool = True, board: str = "qemu-virt") -> str:
    """Return a whole system, on the QEMU board if not said otherwise."""
    head = f'board = "{board}"\nsstc = {_value(sstc)}\n'
    return "\n".join([head, *tenants])


def put_monitor(launch: Launch, image: Path) -> Launch:
    """Put another monitor in the place of a built bundle's own; it speaks on the same UART."""
    file = launch.built.bundle
    bundle = file.read_bytes()
    monitor = bytearray(image.read_bytes())
    console = slice(MonitorHeader.uart_base.offset, sizeof(MonitorHeader))
    monitor[console] = bundle[console]
    monitor += bytes(-len(monitor) % PAGE)
    file.write_bytes(monitor + bundle[align_up(launch.built.monitor.image.stat().st_size, PAGE) :])
    return launch
