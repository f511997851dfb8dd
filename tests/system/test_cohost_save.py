# SPDX-License-Identifier: BSD-2-Clause
"""A stock guest is saved while it runs, and goes on: there, after a reboot, on another machine."""

from pathlib import Path

import pytest
from systems import NO_SELF_TESTS, Boot, is_long, linux, system

from cotenant.run.session import Session

LONG = 90.0
MINUTE = "takes half a minute, and another test goes the same way"
MODULES = "modules=virtio_mmio,virtio_blk,virtio_net,virtio_rng addresses=eth0=10.1.0.2/24"
DEVICES = "--disk /tmp/disk --net tap0"
RUN = f"cohost run --name web --memory 96M --append 'quiet {NO_SELF_TESTS} {MODULES}' {DEVICES}"
RESTORE = f"cohost restore /tmp/saved {DEVICES}"
PREPARE = "modprobe tun; dd if=/dev/zero of=/tmp/disk bs=1M count=4 2>/dev/null"
ADDRESS = "ip addr add 10.1.0.1/24 dev tap0; ip link set tap0 up"
SAVED = 8
DISK_PLACE_MIB = 128


def answer(session: Session, command: str) -> str:
    """Return what a command of the host prints; it succeeds."""
    code, output = session.command("linux", command)
    assert code == 0, output
    return output


def start(session: Session, command: str) -> None:
    """Start a guest; its exit code will be in a file."""
    answer(session, f"rm -f /tmp/code; ({command}; echo $? >/tmp/code) </dev/null >/tmp/out 2>&1 &")
    up = "until ip link show tap0 || [ -e /tmp/code ]; do usleep 100000; done >/dev/null 2>&1"
    code, said = session.command("linux", f"{up}; {ADDRESS} || cat /tmp/out /proc/buddyinfo")
    assert "cohost:" not in said, said
    assert code == 0


def typed(session: Session, command: str, mark: str) -> str:
    """Return the rest of the line with which the guest's shell answers a command."""
    answer(session, f"echo 'echo {mark}=$({command})' >/tmp/keys")
    see = f"cohost console web </tmp/keys | grep -a -m 1 '^{mark}='"
    return answer(session, f"until {see}; do usleep 200000; done").strip().removeprefix(f"{mark}=")


def save(session: Session) -> None:
    answer(session, "cohost save web /tmp/saved; until [ -e /tmp/code ]; do usleep 100000; done")
    assert answer(session, "cat /tmp/code") == f"{SAVED}\n"


def goes_on(session: Session, mark: str) -> None:
    """Check that a restored guest is the one that was saved, and that its devices work."""
    start(session, RESTORE)
    assert (
        typed(session, "cat /tmp/word /dev/shm/up; head -c 6 /dev/vda", mark) == "hello up stored"
    )
    answer(session, "until ping -c 1 -W 1 10.1.0.2; do sleep 0.2; done >/dev/null")


def started(session: Session) -> None:
    """Start a guest, and leave something in its memory and on its disk."""
    answer(session, PREPARE)
    start(session, RUN)
    write = "echo hello >/tmp/word; echo up >/dev/shm/up; echo stored >/dev/vda; sync; echo ok"
    assert typed(session, write, "first") == "ok"


@pytest.mark.long_form
@pytest.mark.skipif(not is_long(), reason=MINUTE)
def test_a_guest_goes_on_with_memory_disk_and_network(boot: Boot) -> None:
    """In the same host, whose free huge pages are searched for those that it had."""
    host = linux("linux", memory="768M", guests=1, initrd="debian-host-initramfs")
    session = boot(system(host), timeout=LONG)
    session.wait_ready("linux")
    started(session)
    save(session)
    goes_on(session, "second")
    assert answer(session, "cohost stop web") == "stop web: ok\n"


def boot_with_disk(boot: Boot, disk: Path) -> Session:
    """Boot a host with memory for guests that it does not use itself."""
    host = linux(
        "linux",
        memory="512M",
        guests=1,
        initrd="debian-host-initramfs",
        devices=["virtio0"],
        **{"guest-window": "96M"},
    )
    slots = '[qemu.devices]\nvirtio0 = "virtio-blk-device,drive=own"\n'
    drive = ("-drive", f"if=none,id=own,file={disk},format=raw")
    session = boot(system(slots, host), extra=drive, timeout=LONG)
    session.wait_ready("linux")
    return session


def find_disk(session: Session) -> None:
    answer(session, "modprobe virtio_mmio; modprobe virtio_blk; until [ -b /dev/vda ]; do :; done")


def keep(session: Session) -> int:
    """Write what was saved, and the guest's disk, to the host's; return the size of the first."""
    find_disk(session)
    answer(session, "dd if=/tmp/saved of=/dev/vda bs=1M && sync")
    answer(session, f"dd if=/tmp/disk of=/dev/vda bs=1M seek={DISK_PLACE_MIB} && sync")
    return int(answer(session, "stat -c %s /tmp/saved"))


def bring_back(session: Session, size: int) -> None:
    find_disk(session)
    answer(session, f"head -c {size} /dev/vda >/tmp/saved; modprobe tun")
    answer(session, f"dd if=/dev/vda of=/tmp/disk bs=1M skip={DISK_PLACE_MIB} count=4")


@pytest.mark.parametrize(
    "elsewhere",
    [
        True,
        pytest.param(
            False, marks=[pytest.mark.long_form, pytest.mark.skipif(not is_long(), reason=MINUTE)]
        ),
    ],
    ids=["machine", "reboot"],
)
def test_a_guest_goes_on_after_a_reboot_or_on_another_machine(
    boot: Boot, tmp_path: Path, elsewhere: bool
) -> None:
    """Its memory is where it was: in the window that the configuration keeps for guests."""
    disk = tmp_path / "disk"
    with disk.open("wb") as file:
        file.truncate((DISK_PLACE_MIB + 4) << 20)
    session = boot_with_disk(boot, disk)
    started(session)
    save(session)
    size = keep(session)
    if elsewhere:
        session.close()
        session = boot_with_disk(boot, disk)
    else:
        session.send("linux", b"reboot -f\n")
        session.expect("linux", "^cotenant: ready")
    bring_back(session, size)
    goes_on(session, "second")
