# SPDX-License-Identifier: BSD-2-Clause
"""A malformed bundle is refused by name: no tenant starts, and the machine is powered off."""

import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from systems import Boot, Build, freertos, payload, system

from cotenant import paths
from cotenant.bundle_struct import Bundle
from cotenant.run.launch import Launch
from cotenant.run.session import Session
from cotenant.units import align_up

PAGE = 4096
HUGE = 0xFFFFFFFFFFFFF000
SYSTEM = system(payload("hello"), freertos())

Change = Callable[[Bundle], None]


def header_offset() -> int:
    """Return where struct bundle is in the file."""
    return align_up(paths.MONITOR_IMAGE.stat().st_size, PAGE)


def set_field(path: str, value: int | bytes) -> Change:
    """Return a change of one field, named as in C, such as `tenants[1].entry`."""

    def change(header: Bundle) -> None:
        target: Any = header
        *outer, last = path.replace("]", "").replace("[", ".").split(".")
        for part in outer:
            target = target[int(part)] if part.isdigit() else getattr(target, part)
        if last.isdigit():
            target[int(last)] = value
        else:
            setattr(target, last, value)

    return change


# The field to spoil, the value, and what the monitor says: one for each structure. Every rule of
# the check has its lines in tests/unit/c/test_check.c.
SPOILT: list[tuple[str, int | bytes, str]] = [
    ("version", 0xFFFF, "version"),
    ("total_size", HUGE, "board.monitor_size"),
    ("board.plic_sources", 0xFFFFFFFF, "board.plic_sources"),
    ("console.focus", 2, "console.focus"),
    ("tenants[1].entry", HUGE, "tenant.entry"),
    ("tenants[0].memory[0].size", HUGE, "tenant"),
    ("tenants[1].parts[0].store_offset", HUGE, "tenant.parts"),
    ("vharts[0].pmp_config[0]", 0x9F, "vhart.pmp_config"),
]


def spoil(launch: Launch, change: Change, *, new_checksum: bool = True) -> Launch:
    """Change the header of a built bundle in place."""
    offset = header_offset()
    data = bytearray(launch.built.bundle.read_bytes())
    header = Bundle.from_buffer(data, offset)
    change(header)
    if new_checksum:
        header.crc32 = 0
        header.crc32 = zlib.crc32(bytes(header))
    del header
    launch.built.bundle.write_bytes(data)
    return replace(launch, one_piece=True)


def refusal(session: Session) -> str:
    """Return the monitor's words after it has refused a bundle and powered the machine off."""
    assert session.wait_end(timeout=60) == 0
    text = session.console.noise + session.monitor_log
    assert "starting" not in text
    assert session.output("hello") == ""
    return text


@pytest.mark.parametrize(("path", "value", "name"), SPOILT, ids=lambda each: str(each))
def test_each_spoilt_field_is_named(
    build: Build, boot: Boot, path: str, value: int | bytes, name: str
) -> None:
    session = boot(spoil(build(SYSTEM), set_field(path, value)))
    assert f"refused the bundle: {name}" in refusal(session)


def test_the_bundle_that_is_spoilt_here_is_good_otherwise(build: Build, boot: Boot) -> None:
    session = boot(spoil(build(SYSTEM), lambda _: None))
    session.expect("hello", "^PASS hello$")
    session.wait_ready("freertos")


def test_wrong_magic(build: Build, boot: Boot) -> None:
    assert "magic" in refusal(boot(spoil(build(SYSTEM), set_field("magic", 1))))


def test_wrong_checksum(build: Build, boot: Boot) -> None:
    change = set_field("vharts[0].priority", 77)
    assert "crc32" in refusal(boot(spoil(build(SYSTEM), change, new_checksum=False)))


def test_bundle_without_anything_behind_the_monitor(build: Build, boot: Boot) -> None:
    launch = replace(build(SYSTEM), one_piece=True)
    data = launch.built.bundle.read_bytes()
    launch.built.bundle.write_bytes(data[: header_offset()])
    assert "magic" in refusal(boot(launch))


def test_bundle_that_ends_in_its_header(build: Build, boot: Boot) -> None:
    launch = replace(build(SYSTEM), one_piece=True)
    data = launch.built.bundle.read_bytes()
    launch.built.bundle.write_bytes(data[: header_offset() + 600])
    assert "crc32" in refusal(boot(launch))


def test_tenants_that_overlap(build: Build, boot: Boot) -> None:
    def change(header: Bundle) -> None:
        header.tenants[0].memory[1].base = header.tenants[1].memory[0].base
        header.tenants[0].memory[1].size = PAGE

    assert "tenant.memory: overlaps another" in refusal(boot(spoil(build(SYSTEM), change)))


def test_tenant_that_overlaps_the_monitor(build: Build, boot: Boot) -> None:
    def change(header: Bundle) -> None:
        header.tenants[0].memory[1].base = header.board.monitor_base
        header.tenants[0].memory[1].size = PAGE

    assert "tenant.memory: overlaps the monitor" in refusal(boot(spoil(build(SYSTEM), change)))


def test_protection_that_opens_the_monitor(build: Build, boot: Boot) -> None:
    def change(header: Bundle) -> None:
        header.vharts[0].pmp_address[0] = header.board.monitor_base >> 2
        header.vharts[0].pmp_config[0] = 0x11  # NA4, read only

    assert "vhart.pmp_address" in refusal(boot(spoil(build(SYSTEM), change)))
