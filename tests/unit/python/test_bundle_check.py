# SPDX-License-Identifier: BSD-2-Clause
"""The check that a lean monitor leaves out is made when its bundle is, by the monitor's code."""

import zlib
from collections.abc import Callable
from ctypes import sizeof
from pathlib import Path

import pytest
from made_images import LINUX, RTOS, Workshop, workshop

from cotenant import abi, bundle, bundle_check, features, monitor_build, paths
from cotenant.bundle_struct import Bundle
from cotenant.errors import BuildError
from cotenant.monitor_build import Monitor
from cotenant.system import load

__all__ = ["workshop"]

Change = Callable[[Bundle], None]
MEMORY_ALSO_OF_LINUX = "tenant.memory: overlaps another range"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the checks are compiled, once for each choice of features."""
    return tmp_path_factory.mktemp("build")


@pytest.fixture
def file(workshop: Workshop) -> bytes:
    """Return a monitor with the bundle of a Linux and an RTOS."""
    system = load(workshop.system(f"{LINUX}{RTOS}"), lean=True)
    return bundle.encode(system, paths.MONITOR_IMAGE.read_bytes())


def monitor(folder: Path, monkeypatch: pytest.MonkeyPatch, *without: str) -> Monitor:
    image = paths.MONITOR_IMAGE
    monkeypatch.setattr(paths, "MADE", folder)
    made = monitor_build.monitor_of(frozenset(features.WHAT) - {*without})
    made.image.parent.mkdir(exist_ok=True)
    made.image.write_bytes(image.read_bytes())
    return made


def spoilt(file: bytes, change: Change) -> bytes:
    """Return the file with a field changed, and the checksum made right again."""
    start = file.index(abi.bundle("BUNDLE_MAGIC").to_bytes(8, "little"))
    header = Bundle.from_buffer_copy(file, start)
    change(header)
    header.crc32 = 0
    header.crc32 = zlib.crc32(bytes(header))
    return file[:start] + bytes(header) + file[start + sizeof(header) :]


def take_memory(header: Bundle) -> None:
    header.tenants[1].memory[1] = header.tenants[0].memory[0]


def damage(header: Bundle) -> None:
    header.tenant_count = 100


def test_what_the_tool_makes_is_accepted(
    folder: Path, file: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle_check.check(monitor(folder, monkeypatch, "check"), file)


def test_every_virtual_device_is_known(
    folder: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = 'served-by = "linux"\nserved = ["disk", "net", "rng"]\n'
    kinds = ("stream", "net", "socket")
    joined = [f'[channel.{kind}]\nkind = "{kind}"\nends = ["linux", "rtos"]\n' for kind in kinds]
    system = load(workshop.system("".join([LINUX, RTOS, served, *joined])), lean=True)
    file = bundle.encode(system, paths.MONITOR_IMAGE.read_bytes())
    bundle_check.check(monitor(folder, monkeypatch, "check"), file)


@pytest.mark.parametrize(
    ("without", "change", "words"),
    [
        (["check"], take_memory, MEMORY_ALSO_OF_LINUX),
        (["check"], damage, "tenant_count: out of range"),
        (["check", "fp"], lambda _: None, "features: this monitor is built without fp"),
    ],
    ids=["field", "header", "feature"],
)
def test_a_defect_of_the_tool_is_found(
    folder: Path,
    file: bytes,
    monkeypatch: pytest.MonkeyPatch,
    without: list[str],
    change: Change,
    words: str,
) -> None:
    with pytest.raises(BuildError, match="defect of this tool") as caught:
        bundle_check.check(monitor(folder, monkeypatch, *without), spoilt(file, change))
    assert words in str(caught.value)


def test_a_monitor_that_checks_at_boot_is_left_to_it(
    folder: Path, file: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle_check.check(monitor(folder, monkeypatch, "fp"), spoilt(file, take_memory))
