# SPDX-License-Identifier: BSD-2-Clause
"""Two Debian that take turns on one display and keyboard: what the user sees and types."""

import itertools
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from pictures import Picture, learn, read, read_ppm
from systems import Boot, is_long, linux, system

from cotenant import paths
from cotenant.cli import main
from cotenant.run import qmp
from cotenant.run.qemu import qmp_socket
from cotenant.run.session import Session

EXAMPLE = paths.ROOT / "examples" / "switch-display.toml"
# All that is to be read on a picture; `echo ` in front of it brings the rest.
ALPHABET = "the quick brown fox jumps over a lazy dog 1234567890"
KEYS = {" ": "spc", "\n": "ret"}
# Tells on the serial console, as nothing else does, that a Linux is back for the Nth time.
TELL_RESUMES = (
    "(n=0; while sleep 0.1; do m=$(cat /sys/power/suspend_stats/success); "
    "[ $m = $n ] || echo resumed $m; n=$m; done) &"
)
HIDE_CURSOR = r"printf '\033[?25l' >/dev/tty1"

Take = Callable[[], Picture]


@pytest.fixture
def socket(tmp_path: Path) -> Path:
    """Return where the control socket would be, beside which QEMU listens."""
    return tmp_path / "control.sock"


@pytest.fixture
def take(tmp_path: Path, socket: Path) -> Take:
    """Return what takes a picture, as a user does it."""
    numbers = itertools.count()

    def screenshot() -> Picture:
        file = tmp_path / f"picture{next(numbers)}.ppm"
        result = CliRunner().invoke(main, ["screenshot", "--socket", str(socket), str(file)])
        assert result.exit_code == 0, result.output
        return read_ppm(file)

    return screenshot


def press(socket: Path, *keys: str) -> None:
    """Press and release keys one after the other, by QEMU's names for them."""
    for key in keys:
        pressed = [{"type": "qcode", "data": key}]
        qmp.execute(qmp_socket(socket), ("send-key", {"keys": pressed}))


def type_keys(socket: Path, text: str) -> None:
    """Type letters, digits, spaces and line ends."""
    press(socket, *(KEYS.get(each, each) for each in text))


def wait_shown(session: Session, name: str, text: str) -> None:
    """Wait until the text console on the display of a Linux has a text, and no cursor."""
    awaited = f"until grep -q '{text}' /dev/vcs1; do sleep 0.1; done; {HIDE_CURSOR}; sleep 1"
    assert session.command(name, awaited)[0] == 0


def wait_resumed(session: Session, name: str, times: int) -> None:
    """Wait until a Linux is back for the given time, and has drawn what it shows."""
    session.expect(name, f"resumed {times}\n")
    session.send(name, b"\n")  # for another prompt
    assert session.command(name, "sleep 1")[0] == 0


def test_each_finds_its_picture_again(boot: Boot, socket: Path, take: Take) -> None:
    session = boot(EXAMPLE, icount=4, extra=qmp.arguments(qmp_socket(socket)))
    session.wait_ready("one")
    session.command("one", TELL_RESUMES)
    wait_shown(session, "one", "one# ")
    type_keys(socket, f"echo {ALPHABET}\n")
    wait_shown(session, "one", f"{ALPHABET} .*{ALPHABET}")
    first = take()
    text = session.command("one", f"fold -w {first.columns} /dev/vcs1")[1]
    glyphs = learn(first, text)
    assert f"one# echo {ALPHABET}\n{ALPHABET}\none#" in read(first, glyphs)

    press(socket, "sleep")
    session.wait_ready("two")
    session.command("two", TELL_RESUMES)
    assert session.stats().tenants["one"].state == "dormant"
    wait_shown(session, "two", "two# ")
    second = take()
    assert second != first
    assert read(second, glyphs).endswith("\ntwo#")

    for times in (1, 2):
        for name, picture in (("one", first), ("two", second)):
            assert session.control(f"switch {name}").output == "ok"
            wait_resumed(session, name, times)
            assert take() == picture
    type_keys(socket, "pwd\n")
    wait_shown(session, "two", "/root")
    assert take() != second
    assert session.quit() == 0


def whole_debian(name: str, disk: str) -> str:
    """Return a Debian with systemd, from a disk of its own."""
    return linux(
        name,
        memory="512M",
        image="debian-disk-kernel",
        initrd="debian-disk-initrd",
        arguments=f"root=/dev/vda2 console=tty0 console=ttyS0 loglevel=4 systemd.hostname={name}",
        devices=[disk],
        ready="login: ",
        login="root",
    )


@pytest.mark.long_form
@pytest.mark.skipif(not is_long(), reason="takes two boots of a whole Debian")
def test_a_whole_debian_is_found_again(boot: Boot, socket: Path, take: Take) -> None:
    """Nothing in it is configured: getty, keyboard, display and sleep key are systemd's matter."""
    text = system(
        "[qemu.devices]",
        'virtio0 = { disk = "debian-disk" }',
        'virtio1 = { disk = "debian-disk" }',
        'pcie = ["bochs-display", "virtio-keyboard-pci"]',
        '[group.desk]\nmembers = ["one", "two"]\ndevices = ["rtc", "pcie"]',
        whole_debian("one", "virtio0"),
        whole_debian("two", "virtio1"),
    )
    session = boot(text, extra=qmp.arguments(qmp_socket(socket)))
    pictures = {}
    for name in ("one", "two"):
        session.wait_ready(name)
        session.command(name, TELL_RESUMES)
        wait_shown(session, name, f"{name} login: ")
        type_keys(socket, "root\n")
        wait_shown(session, name, f"root@{name}:~# ")
        pictures[name] = take()
        press(socket, "sleep")
    assert pictures["one"] != pictures["two"]
    for name in ("one", "two"):
        wait_resumed(session, name, 1)
        assert take() == pictures[name]
        press(socket, "sleep")
    assert session.quit() == 0


def saved_desk() -> str:
    """Return two Linux with a display, and a third one that saves and restores them."""
    modules = "virtio_mmio,evdev,virtio_input,bochs"
    members = [
        linux(
            name,
            memory="192M",
            initrd="debian-desk-initramfs",
            arguments=f"console=tty0 console=ttyS0 loglevel=4 hostname={name} modules={modules}",
        )
        for name in ("one", "two")
    ]
    keeper = linux(
        "keeper",
        initrd="debian-control-initramfs",
        arguments="console=ttyS0 loglevel=4 modules=virtio_mmio,virtio_blk,crc32c_generic,ext4",
        devices=["virtio0"],
        control=True,
        slice="2ms",
    )
    return system(
        '[qemu.devices]\nvirtio0 = "virtio-blk-device,drive=disk"',
        'pcie = ["bochs-display,xres=640,yres=480", "virtio-keyboard-pci"]',
        '[group.desk]\nmembers = ["one", "two"]\ndevices = ["rtc", "pcie"]',
        *members,
        keeper,
    )


def keep(session: Session, *steps: str) -> None:
    """Run commands of the keeper that have to succeed, with its disk at /mnt."""
    steps = ("mkdir /mnt", "mount -t ext2 /dev/vda /mnt", *steps, "umount /mnt", "sync")
    for step in steps:
        assert session.command("keeper", f"{step} >/dev/null 2>&1 </dev/null")[0] == 0, step


@pytest.mark.long_form
@pytest.mark.skipif(not is_long(), reason="saves, ends, boots and restores for a minute")
def test_a_saved_picture_comes_back_on_another_machine(
    boot: Boot, tmp_path: Path, socket: Path, take: Take
) -> None:
    disk = tmp_path / "disk"
    with disk.open("wb") as file:
        file.truncate(256 << 20)
    subprocess.run(["/sbin/mkfs.ext2", "-q", "-F", disk], check=True, timeout=60)
    drive = ("-drive", f"if=none,id=disk,file={disk},format=raw")
    extra = (*drive, *qmp.arguments(qmp_socket(socket)))
    session = boot(saved_desk(), icount=4, extra=extra)
    session.wait_ready("one")
    session.command("one", TELL_RESUMES)
    wait_shown(session, "one", "one# ")
    type_keys(socket, "echo before\n")
    wait_shown(session, "one", "before .*before")
    picture = take()
    press(socket, "sleep")
    session.wait_ready("two")
    session.wait_ready("keeper")
    session.wait_state("one", "dormant")
    keep(session, "cotenantctl save one /mnt/one.saved")
    assert session.quit() == 0

    session = boot(saved_desk(), icount=4, extra=extra)
    session.wait_ready("keeper")
    assert session.control("stop one").output == "ok"
    session.wait_ready("two")
    keep(session, "cotenantctl restore one /mnt/one.saved")
    assert session.control("switch one").output == "ok"
    wait_resumed(session, "one", 1)
    assert take() == picture
    type_keys(socket, "echo after\n")
    wait_shown(session, "one", "after .*after")
