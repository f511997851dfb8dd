# SPDX-License-Identifier: BSD-2-Clause
"""Systems on a board with 8 PMP entries: they fit, and a switch changes permissions only."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from made_boards import use_board_with_pmp
from made_images import Workshop, workshop

from cotenant import explain, paths
from cotenant.errors import ConfigError
from cotenant.pmp.encode import encode
from cotenant.pmp.segments import segments_of
from cotenant.system import System, load

__all__ = ["workshop"]

# What the examples name, and small things that stand for it.
STAND_INS = (
    (r'^image = "debian-kernel"', 'image = "kernel"'),
    (r'^image = "u-boot"', 'image = "kernel"'),
    (r'"debian-kernel"', '"kernel"'),
    (r'"debian-disk"', '"initrd"'),
    (r'^image = "(?!kernel")[^"]+"', 'image = "rtos"'),
    (r'^initrd = "[^"]+"', 'initrd = "initrd"'),
    (r'"qemu-virt"', '"tested"'),
)

LINUX = """
board = "tested"
[tenant.linux]
priority = 1
memory = "{memory}"
image = "kernel"
devices = {devices}
trusted = true
"""

RTOS = """
[tenant.{name}]
priority = {priority}
memory = "4M"
image = "rtos"
devices = {devices}
trusted = true
"""

EXAMPLES = sorted(
    path for path in (paths.ROOT / "examples").glob("*.toml") if '"qemu-virt"' in path.read_text()
)
VIRTIO = [f"virtio{number}" for number in range(8)]


@pytest.fixture(autouse=True)
def eight(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    use_board_with_pmp(workshop.folder, 8, 4, monkeypatch)


def linux(memory: str = "64M", devices: Sequence[str] = ("rtc", "virtio*")) -> str:
    return LINUX.format(memory=memory, devices=list(devices))


def rtos(priority: int, devices: Sequence[str] = ()) -> str:
    return RTOS.format(name=f"rtos{priority}", priority=priority, devices=list(devices))


def without_overlaps(system: System, hart: int) -> int:
    """Return how many entries a hart would need if all of them only allowed."""
    maps = [vhart.access for _, vhart in system.sharing(hart)]
    return len(encode(segments_of(maps)))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_fit(workshop: Workshop, file: Path) -> None:
    text = file.read_text()
    for pattern, made in STAND_INS:
        text = re.sub(pattern, made, text, flags=re.MULTILINE)
    system = load(workshop.system(text))
    # Two are kept for guests on the harts of their host.
    assert {result.available for result in system.pmp.values()} <= (
        {6, 8} if "guests" in text else {8}
    )
    assert all(result.shared for result in system.pmp.values())


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        # Memory that is no power of two, with the others' in the rest of one.
        (linux("504M") + rtos(10) + rtos(20), 9),
        # A device in the middle of those of another.
        (linux(devices=["rtc", *VIRTIO[:3], *VIRTIO[4:]]) + rtos(10, ["virtio3"]), 9),
        # Both.
        (linux("508M", ["rtc", *VIRTIO[:3], *VIRTIO[4:]]) + rtos(10, ["virtio3"]), 10),
        # Two that own each second device.
        (linux(devices=VIRTIO[0:5:2]) + rtos(10, VIRTIO[1:4:2]), 9),
    ],
)
def test_entries_that_overlap_make_room(workshop: Workshop, text: str, needed: int) -> None:
    system = load(workshop.system(text))
    assert without_overlaps(system, 0) == needed
    result = system.pmp[0]
    assert result.used <= 8
    assert result.shared
    assert not any("rewrites addresses" in each for each in system.warnings)


def test_check_tells_the_form_of_each_entry(workshop: Workshop) -> None:
    system = load(workshop.system(linux("60M", VIRTIO[0:5:2]) + rtos(10, VIRTIO[1:4:2])))
    assert without_overlaps(system, 0) == 10
    data = explain.as_dict(system)["pmp"]
    assert isinstance(data, dict)
    entries = data["0"]["entries"]
    told = [(each["form"], each["mode"], *each["rights"].values()) for each in entries]
    assert told == [
        ("allow", "NAPOT", "r--", "---"),
        ("allow", "NA4", "r--", "---"),
        ("allow+deny", "NAPOT", "deny", "rw-"),
        ("allow+deny", "NAPOT", "deny", "rw-"),
        ("allow+deny", "NAPOT", "deny", "rwx"),
        ("bound", "OFF", "-", "-"),
        ("allow", "TOR", "rw-", "---"),
        ("allow", "NAPOT", "rwx", "---"),
    ]
    hole, cover = entries[4], entries[7]
    assert (hole["base"], hole["size"]) == (0x83C0_0000, 4 << 20)
    assert (cover["base"], cover["size"]) == (0x8000_0000, 64 << 20)


def test_what_does_not_fit_is_refused_with_what_would_help(workshop: Workshop) -> None:
    text = linux("63M", ["rtc", *VIRTIO[::2]]) + rtos(10)
    with pytest.raises(ConfigError) as caught:
        load(workshop.system(text))
    [mistake] = caught.value.mistakes
    assert "PMP entries, but a hart has 8" in mistake.problem
    assert "merge virtio0 with virtio2" in mistake.remedy
