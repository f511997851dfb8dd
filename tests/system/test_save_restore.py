# SPDX-License-Identifier: BSD-2-Clause
"""A dormant tenant goes to a file and comes back, in the same machine and in another one."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from systems import Boot, freertos, is_long, linux, payload, system

from cotenant.run.results import parse_latency
from cotenant.run.session import Session

KEY = b"s"
SUSPEND = b"echo mem > /sys/power/state; echo back $((40 + 2))\n"
BACK = "^back 42$"
FILE = "/mnt/one.saved"
KEEPER_READY = "^memory-keeper: ready$"
KEEPER_KEPT = "^memory-keeper: round=1 kept$"
# A byte takes some fifty instructions to be saved: a whole Linux some minutes of a busy host.
MEMORY_MIB = 160
# All instructions of the machine for a byte of a payload's memory, half of which is zeros: 8.3.
SAVE_MOST = 10
NS_PER_INSTRUCTION = 16
PAYLOAD_BYTES = 4 << 20
MOUNT = "mkdir -p /mnt; mount -t ext2 /dev/vda /mnt"
# Memory with a checksum, a counter, FP registers and a file on an ext4 file system of its own.
CHECKED = (
    b"mkdir /mnt; mount /dev/vda /mnt; fpcheck 100000 & suspendcheck 2 /mnt; kill %1; wait; "
    b"umount /mnt && echo over $((40 + 2))\n"
)
MODULES = "modules=virtio_mmio,virtio_blk,crc32c_generic,ext4"
# Where a byte of a copy is changed (None: nowhere, it is only truncated), and what is said of it.
SPOILED = {
    None: "it ends too early",
    300000: "was damaged",
    8: "was written by a program for version 255 of such files, not 2",
    40: "its beginning does not add up",
}


def desk(*members: str) -> str:
    """Return two members that take turns, a Debian that keeps them, and an RTOS."""
    keeper = linux(
        "keeper",
        memory="256M",
        initrd="debian-control-initramfs",
        arguments=f"console=ttyS0 loglevel=4 {MODULES}",
        devices=["virtio0"],
        control=True,
        slice="2ms",
    )
    return system(
        '[qemu.devices]\nvirtio0 = "virtio-blk-device,drive=disk"\n'
        'virtio1 = "virtio-blk-device,drive=own"\n',
        '[group.desk]\nmembers = ["one", "two"]\ndevices = ["rtc"]\n',
        *members,
        keeper,
        freertos(),
    )


def debian_desk() -> str:
    """Return a desk of two Debian; the first one has a disk of its own."""
    one = linux(
        "one",
        memory=f"{MEMORY_MIB}M",
        initrd="debian-desk-initramfs",
        arguments=f"console=ttyS0 loglevel=4 {MODULES}",
        devices=["virtio1"],
    )
    return desk(one, linux("two", memory="192M"))


def payload_desk() -> str:
    """Return a desk of two payloads that suspend when a key is typed."""
    one = payload("memory-keeper", "one", priority=1, ready=KEEPER_READY, devices=["virtio1"])
    return desk(one, payload("memory-keeper", "two", priority=1, ready=KEEPER_READY))


def run(session: Session, command: str) -> str:
    """Run a command of the keeper that has to succeed; return what it printed."""
    exit_code, output = session.command("keeper", f"{command} 2>&1 </dev/null")
    assert exit_code == 0, output
    return output


def start(boot: Boot, description: str, disk: Path, own: Path) -> Session:
    """Boot the machine with the keeper's disk and that of `one`."""
    extra: tuple[str, ...] = ()
    for name, file in (("disk", disk), ("own", own)):
        extra += ("-drive", f"if=none,id={name},file={file},format=raw")
    session = boot(description, icount=4, extra=extra)
    session.wait_ready("keeper")
    return session


def is_taken_away_while_it_is_saved(session: Session, command: str, state: str) -> None:
    """Stop a dormant tenant while its memory is being saved: nothing is written."""
    save = f"(cotenantctl save one {FILE}.2; echo status=$?) >/tmp/out 2>&1 </dev/null &"
    assert session.command("keeper", save)[0] == 0
    run(session, "until ls /mnt/one.saved.2.*; do usleep 10000; done")
    assert session.control(f"{command} one").exit_code == 0
    said = run(session, "until grep status= /tmp/out; do usleep 100000; done; cat /tmp/out")
    assert "status=1" in said
    assert "did not stay dormant" in said or "refused, it is" in said
    assert run(session, "ls /mnt").split() == ["lost+found", "one.saved"]
    session.wait_state("one", state)


def is_refused(session: Session, tenant: str, file: str) -> str:
    """Return what is said of a file that cannot be restored."""
    exit_code, said = session.command("keeper", f"cotenantctl restore {tenant} {file} 2>&1")
    assert exit_code == 1, said
    return said


def is_saved_soon(session: Session) -> None:
    """Save into memory first, where no disk is waited for: the time is that of instructions."""
    uptime = "read now rest </proc/uptime; echo at=$now"
    said = run(session, f"{{ {uptime}; cotenantctl save one /tmp/saved && {uptime}; }}")
    began, ended = (float(moment) for moment in re.findall(r"at=([\d.]+)", said))
    run(session, f"mv /tmp/saved {FILE}")
    assert (ended - began) * 1e9 / NS_PER_INSTRUCTION <= SAVE_MOST * PAYLOAD_BYTES


def spoiled_files_are_refused(session: Session, state: str) -> None:
    """Nothing of a file arrives in a tenant at rest that is not as it was written."""
    for place, expected in SPOILED.items():
        run(session, f"dd if={FILE} of=/tmp/bad bs=1k count=500 2>/dev/null")
        if place is not None:
            change = f"dd of=/tmp/bad bs=1 seek={place} conv=notrunc 2>/dev/null"
            run(session, f"{{ printf '\\377' | {change}; }}")
        assert expected in is_refused(session, "one", "/tmp/bad")
    assert "of a system with another layout" in is_refused(session, "two", FILE)
    run(session, f"{{ cp {FILE} /mnt/bad && echo >>/mnt/bad; }}")
    assert "something follows its end" in is_refused(session, "one", "/mnt/bad")
    run(session, "rm /mnt/bad")
    states = {name: each.state for name, each in session.stats().tenants.items()}
    assert (states["one"], states["two"]) == (state, "running")


def restore_one(session: Session) -> None:
    assert "it is dormant" in run(session, f"cotenantctl restore one {FILE}")


def resume_one(session: Session) -> None:
    """Let `one` have its turn: everything in it has to be as it was when it was saved."""
    session.send("two", SUSPEND)
    session.expect("one", r"suspendcheck: round=1 .*\n")  # behind the prompt of another life
    session.expect("two", BACK)
    session.send("two", SUSPEND)
    session.expect("one", "^over 42$")
    assert "suspendcheck: round=2" in session.output("one")
    assert "fpcheck:" not in session.output("one")


def no_deadline_was_missed(session: Session) -> None:
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


def empty_disk(file: Path, mebibytes: int) -> Path:
    with file.open("wb") as disk:
        disk.truncate(mebibytes << 20)
    return file


def test_a_dormant_tenant_goes_on_here_and_on_another_machine(boot: Boot, tmp_path: Path) -> None:
    disk, own = empty_disk(tmp_path / "disk", 256), empty_disk(tmp_path / "own", 1)
    session = start(boot, payload_desk(), disk, own)
    session.wait_ready("one")
    session.send("one", KEY)
    session.wait_ready("two")
    session.wait_state("one", "dormant")
    run(session, f"mke2fs /dev/vda >/dev/null && {MOUNT}")
    is_saved_soon(session)

    is_taken_away_while_it_is_saved(session, "destroy", "empty")
    spoiled_files_are_refused(session, "empty")
    restore_one(session)
    is_taken_away_while_it_is_saved(session, "stop", "stopped")
    restore_one(session)
    session.send("two", KEY)
    session.expect("one", KEEPER_KEPT)
    no_deadline_was_missed(session)
    run(session, "umount /mnt; sync")
    assert session.quit() == 0

    session = start(boot, payload_desk(), disk, own)
    run(session, f"{MOUNT}; cotenantctl stop one")
    session.wait_ready("two")
    restore_one(session)
    session.send("two", KEY)
    session.expect("one", KEEPER_KEPT)
    no_deadline_was_missed(session)
    assert session.quit() == 0


@pytest.mark.long_form
@pytest.mark.skipif(not is_long(), reason="saves and restores all memory of a Debian")
def test_a_dormant_linux_goes_on_here_and_on_another_machine(boot: Boot, tmp_path: Path) -> None:
    disk = empty_disk(tmp_path / "disk", 256)
    own = tmp_path / "own"
    subprocess.run(["/sbin/mkfs.ext4", "-q", "-F", own, "16M"], check=True, timeout=60)
    session = start(boot, debian_desk(), disk, own)
    session.wait_ready("one")
    session.send("one", CHECKED)
    session.wait_ready("two")
    session.wait_state("one", "dormant")
    run(session, f"mke2fs /dev/vda >/dev/null && {MOUNT}")
    assert f"{MEMORY_MIB << 20} bytes" in run(session, f"cotenantctl save one {FILE}")

    shutil.copyfile(own, tmp_path / "own.saved")

    is_taken_away_while_it_is_saved(session, "destroy", "empty")
    spoiled_files_are_refused(session, "empty")
    restore_one(session)
    is_taken_away_while_it_is_saved(session, "stop", "stopped")
    restore_one(session)
    run(session, "umount /mnt")
    resume_one(session)
    no_deadline_was_missed(session)
    run(session, "umount /mnt 2>/dev/null; sync")
    assert session.quit() == 0

    session = start(boot, debian_desk(), disk, tmp_path / "own.saved")
    run(session, f"{MOUNT}; cotenantctl stop one")
    session.wait_ready("two")
    restore_one(session)
    resume_one(session)
    no_deadline_was_missed(session)
    assert session.quit() == 0
    check = ["/sbin/fsck.ext4", "-n", "-f", str(tmp_path / "own.saved")]
    assert subprocess.run(check, timeout=60, check=False).returncode == 0
