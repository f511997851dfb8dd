# SPDX-License-Identifier: BSD-2-Clause
"""The systems that benchmarks boot: texts of descriptions, and how they are built and started."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cotenant.run.launch import Launch, prepare
from cotenant.run.session import Session

Value = str | int | bool | list[str]

NO_SELF_TESTS = "cryptomgr.notests initcall_blacklist=jent_mod_init"
"""Arguments of a Linux that is measured soon after its start.

The self-tests of its cryptography go on in the background for about as long as it took to boot.
"""

TIMEOUT = 600.0
"""Wall-clock seconds after which a run hangs; no result depends on it."""


def tenant(name: str, **keys: Value) -> str:
    """Return the table of a tenant."""
    lines = [f"[tenant.{name}]", *(f"{key} = {_literal(value)}" for key, value in keys.items())]
    return "\n".join([*lines, ""])


def payload(name: str, image: str, **keys: Value) -> str:
    """Return the table of a bare-metal program; `keys` change or add keys."""
    standard: dict[str, Value] = {"priority": 5, "memory": "1M", "image": image}
    return tenant(name, **(standard | keys))


def linux(name: str = "linux", **keys: Value) -> str:
    """Return the table of a Debian Linux with the test programs; `keys` change or add keys."""
    standard: dict[str, Value] = {
        "priority": 1,
        "memory": "256M",
        "image": "debian-kernel",
        "initrd": "debian-test-initramfs",
        "arguments": "console=ttyS0 loglevel=4",
        "ready": "^cotenant: ready$",
    }
    return tenant(name, **(standard | keys))


def system(*tenants: str, seed: int = 1, board: str = "qemu-virt") -> str:
    """Return a whole system on a QEMU board; with the same `seed` every run is the same."""
    return "\n".join([f'board = "{board}"', f"seed = {seed}", *tenants])


@contextmanager
def built(description: str, *, sstc: bool, trace_ring: int = 0) -> Iterator[Launch]:
    """Build a system that keeps `trace_ring` bytes of records per hart; its bundle goes again."""
    with tempfile.TemporaryDirectory(prefix="cotenant-bench.") as folder:
        file = Path(folder) / "system.toml"
        file.write_text(description, encoding="utf-8")
        yield prepare(
            file,
            console_mode="framed",
            sstc=sstc,
            output=Path(folder) / "bundle.bin",
            trace_ring=trace_ring,
        )


@contextmanager
def running(
    description: str, *, sstc: bool, icount: int = 0, extra: tuple[str, ...] = ()
) -> Iterator[Session]:
    """Boot a system; the machine is gone afterwards. Time is counted in instructions."""
    with (
        built(description, sstc=sstc) as launch,
        Session(launch.machine(icount, extra), launch.ports, timeout=TIMEOUT) as session,
    ):
        yield session


def _literal(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | list) else f"'{value}'"
