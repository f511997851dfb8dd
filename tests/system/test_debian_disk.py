# SPDX-License-Identifier: BSD-2-Clause
"""Debian boots from its own disk through its own boot loaders, beside an RTOS, and ends cleanly."""

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from systems import Boot, is_long, keep_ticking

from cotenant import images, paths
from cotenant.images.debian_disk import ROOT_START
from cotenant.images.store import copy_whole
from cotenant.run.results import parse_latency

SECTOR = 512
EXAMPLE = paths.ROOT / "examples" / "debian-disk.toml"

# Each stage says something that only it says.
CHAIN = r"U-Boot 20(?s:.*)GNU GRUB (?s:.*)Loading Linux 6(?s:.*)Debian GNU/Linux 13 debian ttyS0"


@pytest.fixture(autouse=True)
def made_disk() -> Path:
    """Return the disk of the catalogue, which is made at the first use."""
    return images.resolve("debian-disk")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def ask(port: int, question: bytes) -> bytes:
    """Send bytes to a port of this machine and return all that comes back."""
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.sendall(question)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(4096), b""))


def packaged(folder: Path) -> tuple[Path, int]:
    """Return the Debian package of cotenantctl as a disk has it, and its bytes."""
    make = ["make", "--no-print-directory", "deb"]
    made = subprocess.run(make, cwd=paths.ROOT, capture_output=True, text=True, check=True)
    line = next(line for line in made.stdout.splitlines() if "/cotenantctl_" in line)
    package = (paths.ROOT / line).read_bytes()
    disk = folder / "package.img"
    disk.write_bytes(package + bytes(-len(package) % SECTOR))
    return disk, len(package)


def fault_of(disk: Path) -> str | None:
    """Return what e2fsck finds wrong with the root file system of a disk."""
    checked = subprocess.run(
        ["e2fsck", "-f", "-n", f"{disk}?offset={ROOT_START}"],
        env={"PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"},
        capture_output=True,
        text=True,
        check=False,
    )
    return None if checked.returncode == 0 else checked.stdout


def test_debian_boots_works_and_reboots(boot: Boot, tmp_path: Path, made_disk: Path) -> None:
    disk = tmp_path / "own.img"
    copy_whole(made_disk, disk)
    port = free_port()
    description = EXAMPLE.read_text()
    own = description.replace('"debian-disk"', f'"{disk}", keep = true')
    own = own.replace('"user"', f'"user", forward = ["{port}:7"]')
    assert own.count("keep") == own.count("forward") == 1
    package, size = packaged(tmp_path)
    own = own.replace("login =", 'control = { control = ["freertos"] }\nlogin =')
    session = boot(f'{own}\nvirtio3 = {{ disk = "{package}" }}\n', icount=2)
    session.wait_ready("debian")
    assert re.search(CHAIN, session.output("debian"))

    assert session.command("debian", "systemctl is-system-running --wait") == (0, "running\n")
    assert session.command("debian", "ping -c 2 -w 60 10.0.2.2")[0] == 0
    status, said = session.command("debian", "networkctl --no-pager status")
    assert status == 0 and "routable" in said and "10.0.2.15" in said
    echo = "systemd-run --quiet systemd-socket-activate --listen 7 --accept --inetd cat"
    listening = "until ss -ltn | grep -q ':7 '; do sleep 0.2; done"
    assert session.command("debian", f"{echo} && {listening}")[0] == 0
    assert ask(port, b"over the network\n") == b"over the network\n"
    keep_ticking(session, ["freertos"])
    assert session.command("debian", "echo kept >/root/note")[0] == 0
    install = f"head -c {size} /dev/vdb >/tmp/ctl.deb && dpkg -i /tmp/ctl.deb"
    assert session.command("debian", install)[0] == 0
    status, said = session.command("debian", "cotenantctl restart freertos")
    assert (status, said) == (0, "restart freertos: ok\n")
    keep_ticking(session, ["freertos"])

    session.send("debian", b"systemctl reboot\n")
    session.expect("debian", "U-Boot 20")
    session.expect("debian", "Hit any key to stop autoboot")
    session.send("debian", b" ")
    session.expect("debian", "=> ")
    session.send("debian", b"poweroff\n")
    session.wait_state("debian", "stopped")
    keep_ticking(session, ["freertos"])
    latency = parse_latency(session.output("freertos"))
    assert latency is not None and latency.missed == 0
    session.quit()
    assert fault_of(disk) is None
    assert images.open_store().faults("debian-disk") == [], "others start from what was made"


def run_by_one_command(description: Path, *commands: str) -> dict[str, Any]:
    """Run a system as a user does, with commands for Debian; return what is told of its tenants."""
    sends = [argument for command in commands for argument in ("--send", "debian", command)]
    # Without either it would wait for the end of the RTOS.
    sends = sends or ["--for", "100ms"]
    run = subprocess.run(
        [
            *(sys.executable, "-m", "cotenant", "run", str(description)),
            *("--batch", "--json", "--icount", "2", "--timeout", "1200s", *sends),
        ],
        cwd=paths.ROOT,
        env=os.environ | {"PYTHONPATH": str(paths.ROOT / "tool")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    result = json.loads(run.stdout)
    assert result["ok"] is True
    tenants: dict[str, Any] = result["tenants"]
    assert tenants["debian"]["ready"]
    assert tenants["freertos"]["state"] == "running" and tenants["freertos"]["app"]["missed"] == 0
    return tenants


@pytest.mark.long_form
def test_the_example_runs_by_one_command_and_powers_off(tmp_path: Path) -> None:
    """In the short form it ends when the boot loader on the disk has loaded Linux."""
    if not is_long():
        text, lines = re.subn(
            r'^ready = "login:"\nlogin = .*$',
            'ready = "Loading Linux 6"',
            EXAMPLE.read_text(),
            flags=re.M,
        )
        assert lines == 1
        description = tmp_path / "debian-disk.toml"
        description.write_text(text)
        assert run_by_one_command(description)["debian"]["state"] == "running"
        return
    running, power_off = "systemctl is-system-running --wait", "systemctl poweroff && sleep 1000"
    debian = run_by_one_command(EXAMPLE, running, power_off)["debian"]
    assert debian["state"] == "stopped"
    assert [each["exit_code"] for each in debian["commands"]] == [0, None]
    assert debian["commands"][0]["output"] == "running\n"


def test_its_kernel_and_initrd_boot_from_the_disk_without_u_boot(boot: Boot) -> None:
    other = (
        'board = "qemu-virt"\n[tenant.other]\npriority = 1\nmemory = "512M"\n'
        'image = "debian-disk-kernel"\ninitrd = "debian-disk-initrd"\n'
        'arguments = "root=/dev/vda2 console=ttyS0 quiet init=/bin/bash"\nready = "# $"\n'
        'devices = ["rtc", "virtio*"]\n[qemu.devices]\nvirtio0 = { disk = "debian-disk" }\n'
    )
    session = boot(other, icount=2)
    status, said = session.command("other", "findmnt -n -o SOURCE,FSTYPE /")
    assert status == 0 and said.split() == ["/dev/vda2", "ext4"]
    assert session.command("other", "test -e /boot/vmlinux-$(uname -r)")[0] == 0
