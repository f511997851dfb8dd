# SPDX-License-Identifier: BSD-2-Clause
"""Which features a system needs of its monitor, and that a monitor can be built without each."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from made_images import LINUX, RTOS, Workshop, workshop

from cotenant import features, monitor_build, paths
from cotenant.errors import BuildError, ConfigError
from cotenant.system import load

__all__ = ["workshop"]

ALL = frozenset(features.WHAT)
LEAN = '\n[monitor]\nbuild = "lean"\n'
LEAST = "fp = false\nuart = false\n"
BARE = f'board = "qemu-virt"\n{RTOS}{LEAST}'


def chosen(workshop: Workshop, text: str, console_mode: str = "mux") -> set[str]:
    return set(features.chosen(load(workshop.system(text), console_mode=console_mode)))


def second(*lines: str) -> str:
    return "\n".join([RTOS.replace(".rtos]", ".second]"), LEAST, *lines, ""])


KEPT = {"commands", "terminal"}
PLIC = {"decode", "plic"}
SHARED = {"fast_switch"}
"""where tenants share a hart"""


def test_the_full_monitor_is_the_default(workshop: Workshop) -> None:
    assert chosen(workshop, LINUX + RTOS) == ALL
    assert chosen(workshop, BARE + '[monitor]\nbuild = "full"\n') == ALL


def test_a_lone_rtos_needs_next_to_nothing(workshop: Workshop) -> None:
    assert chosen(workshop, BARE + LEAN) == KEPT
    assert chosen(workshop, BARE + LEAN, "framed") == KEPT - {"terminal"} | {"frames"}


def test_linux_with_devices(workshop: Workshop) -> None:
    expected = KEPT | PLIC | SHARED | {"device_reset", "fp", "guard"}
    assert chosen(workshop, LINUX + RTOS + LEAN) == expected


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("harts = [1]\n" + second(), {"harts", "susp"}),
        (second().replace("uart = false", "uart = true"), PLIC | SHARED),
        (
            second() + '[channel.c]\nkind = "net"\nends = ["rtos", "second"]',
            PLIC | SHARED | {"virtio_net", "virtio"},
        ),
        (
            second() + '[channel.c]\nkind = "stream"\nends = ["rtos", "second"]',
            PLIC | SHARED | {"virtio_console", "virtio"},
        ),
        (
            second() + '[channel.c]\nkind = "memory"\nsize = "64K"\nends = ["rtos", "second"]',
            PLIC | SHARED | {"virtio_console", "virtio"},
        ),
        (
            second() + '[channel.c]\nkind = "socket"\nends = ["rtos", "second"]',
            PLIC | SHARED | {"virtio_socket", "virtio"},
        ),
        ("control = true\n", PLIC | {"control", "control_port", "virtio_console", "virtio"}),
        ('watch = { policy = "restart", within = "1s" }\n', PLIC | {"watch"}),
        (
            second() + '[group.g]\nmembers = ["rtos", "second"]',
            PLIC | SHARED | {"foreground", "susp", "virtio", "virtio_input"},
        ),
        ('devices = ["virtio0"]\n', PLIC | {"device_reset", "guard"}),
        ('devices = ["virtio0"]\ntrusted = true\n', PLIC | {"device_reset"}),
    ],
    ids=[
        "harts",
        "uart",
        "net",
        "stream",
        "memory",
        "socket",
        "control",
        "watch",
        "group",
        "devices",
        "trusted",
    ],
)
def test_what_a_description_asks_for(workshop: Workshop, text: str, needed: set[str]) -> None:
    assert chosen(workshop, BARE + text + LEAN) == KEPT | needed


def test_a_board_with_another_uart_needs_its_driver(workshop: Workshop) -> None:
    text = BARE.replace("qemu-virt", "sifive-unleashed") + "harts = [1]\n" + LEAN
    needed = KEPT | {"harts", "sifive_uart", "susp"}
    # Its harts trap on misaligned accesses.
    assert chosen(workshop, text) == needed | {"decode", "misaligned"}
    assert chosen(workshop, f'{text}without = ["misaligned"]\n') == needed


def test_a_uart_with_32_bit_registers_is_asked_for(workshop: Workshop) -> None:
    text = BARE.replace("qemu-virt", "microchip-icicle") + "harts = [1]\n" + LEAN
    assert "uart32" in chosen(workshop, text)


def test_a_trace_is_asked_for_on_the_command_line(workshop: Workshop) -> None:
    system = load(workshop.system(BARE), trace_ring=1 << 20, lean=True)
    assert features.chosen(system) == KEPT | PLIC | {"trace"}


def test_more_and_less_by_name(workshop: Workshop) -> None:
    text = f'{BARE}{LEAN}with = ["pmu", "check"]\nwithout = ["commands"]\n'
    assert chosen(workshop, text) == {"check", "pmu", "terminal"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[monitor]\nbuild = "small"', 'monitor.build: "small" is neither "full" nor "lean"'),
        (f'{LEAN}with = ["counters"]', 'monitor.with: there is no feature "counters"'),
        (f'{LEAN}without = ["terminal"]', 'monitor.without: the system needs "terminal"'),
        (
            f'{LEAN}with = ["control"]\nwithout = ["commands"]',
            'monitor.without: the system needs "commands"',
        ),
        ('[monitor]\nwith = ["pmu"]', "monitor.with: the full monitor has every feature"),
    ],
)
def test_mistakes(workshop: Workshop, text: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(workshop.system(BARE + text))
    assert words in str(caught.value)


def test_each_choice_has_a_directory_of_its_own() -> None:
    full = monitor_build.monitor_of(ALL)
    without_one = [monitor_build.monitor_of(ALL - {name}) for name in features.WHAT]
    assert full.image == paths.MONITOR_IMAGE and full.left_out == ()
    assert len({each.image for each in (full, *without_one)}) == len(features.WHAT) + 1
    assert without_one[0].left_out == (next(iter(features.WHAT)),)


def test_the_lists_of_features_are_the_same_everywhere() -> None:
    folders = {folder.name: folder for folder in (paths.MONITOR / "features").iterdir()}
    assert set(folders) == ALL
    for name, folder in folders.items():
        assert any(f"FEATURE({name});" in file.read_text() for file in folder.glob("*.c"))


def make(out: Path, without: str = "") -> subprocess.CompletedProcess[str]:
    command = ["make", "--silent", "-C", str(paths.MONITOR), f"OUT={out}", f"WITHOUT={without}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a full monitor."""
    out = tmp_path_factory.mktemp("monitor")
    assert make(out).returncode == 0
    return out


def test_it_compiles_without_all(full: Path, tmp_path: Path) -> None:
    """Only what looks at the features is compiled anew: the rest would come out the same.

    tests/system/test_deleted_features.py leaves out a few at a time.
    """
    out = tmp_path / "monitor"
    shutil.copytree(full, out, copy_function=os.link)
    for dependencies in out.rglob("*.d"):
        if "built_with.h" in dependencies.read_text():
            dependencies.with_suffix(".o").unlink(missing_ok=True)  # offsets.d has none
            dependencies.unlink()
    (out / "monitor.elf").unlink()
    done = make(out, " ".join(ALL))
    assert done.returncode == 0, done.stderr
    assert "LD" in done.stdout


def test_what_the_core_leaves_to_a_feature_is_the_feature_s(full: Path) -> None:
    """No call goes to the weak function that a feature replaces."""
    weak = re.compile(r"^__attribute__\(\(weak\)\) [^(]*?(\w+)\(", re.M)
    names = {
        name for file in monitor_build.source_files() for name in weak.findall(file.read_text())
    }
    placed = re.findall(r" [Tt] (\w+)\t\S*/monitor/(\w+)/", (full / "monitor.symbols").read_text())
    assert len(names) >= 5
    assert {name: folder for name, folder in placed if name in names} == dict.fromkeys(
        names, "features"
    )


def test_what_does_not_compile_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(paths, "MADE", tmp_path)
    monkeypatch.setenv("CROSS_COMPILE", "missing-")
    with pytest.raises(BuildError, match="the monitor cannot be compiled"):
        monitor_build.build(ALL - {"trace"})


def test_sizes(full: Path) -> None:
    monitor = monitor_build.Monitor(full / "monitor.bin", full / "monitor.elf", ())
    assert 10_000 < monitor.lines < 25_000
    assert 50_000 < monitor.text_bytes < 160_000
