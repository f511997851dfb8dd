# SPDX-License-Identifier: BSD-2-Clause
"""A dormant Linux goes to a file and comes back, in the same machine and in another one."""

from pathlib import Path

from systems import Boot, freertos, is_long, linux, system

from cotenant.run.results import parse_latency
from cotenant.run.session import Session

SUSPEND = b"echo mem > /sys/power/state; echo back $((40 + 2))\n"
BACK = "^back 42$"
FILE = "/mnt/one.saved"
MEMORY = 96 << 20
MOUNT = "mkdir -p /mnt; mount -t ext2 /dev/vda /mnt"
CHECKED = b"fpcheck 100000 & suspendcheck 2; kill %1; wait; echo over $((40 + 2))\n"


def desk() -> str:
    """Return two Debian that take turns, a third one that keeps them, and an RTOS."""
    member = {"memory": "96M", "arguments": "console=ttyS0 loglevel=4"}
    keeper = linux(
        "keeper",
        memory="256M",
        initrd="debian-control-initramfs",
        arguments="console=ttyS0 loglevel=4 modules=virtio_mmio,virtio_blk,crc32c_generic,ext4",
        devices=["virtio0"],
        control=True,
        slice="2ms",
    )
    return system(
        '[qemu.devices]\nvirtio0 = "virtio-blk-device,drive=disk"\n',
        '[group.desk]\nmembers = ["one", "two"]\ndevices = ["rtc"]\n',
        linux("one", **member),
        linux("two", **member),
        keeper,
        freertos(),
    )


def run(session: Session, command: str) -> str:
    """Run a command of the keeper that has to succeed; return what it printed."""
    exit_code, output = session.command("keeper", f"{command} 2>&1 </dev/null")
    assert exit_code == 0, output
    return output


def start(boot: Boot, disk: Path) -> Session:
    """Boot the machine with its disk."""
    drive = f"if=none,id=disk,file={disk},format=raw"
    session = boot(desk(), icount=4, extra=("-drive", drive))
    session.wait_ready("keeper")
    return session


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


def test_a_dormant_linux_goes_on_here_and_on_another_machine(boot: Boot, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    with disk.open("wb") as file:
        file.truncate(256 << 20)
    session = start(boot, disk)
    session.wait_ready("one")
    session.send("one", CHECKED)
    session.wait_ready("two")
    session.wait_state("one", "dormant")
    run(session, f"mke2fs /dev/vda >/dev/null && {MOUNT}")
    assert f"{MEMORY} bytes" in run(session, f"cotenantctl save one {FILE}")

    # It is taken away while it is being saved: nothing is written.
    save = f"(cotenantctl save one {FILE}.2; echo status=$?) >/tmp/out 2>&1 </dev/null &"
    assert session.command("keeper", save)[0] == 0
    run(session, "until ls /mnt/one.saved.2.*; do usleep 10000; done")
    assert session.control("destroy one").exit_code == 0
    said = run(session, "until grep status= /tmp/out; do usleep 100000; done; cat /tmp/out")
    assert "status=1" in said
    assert "did not stay dormant" in said or "refused, it is" in said
    assert run(session, "ls /mnt").split() == ["lost+found", "one.saved"]
    session.wait_state("one", "empty")

    # A spoiled copy is refused, and nothing of it arrives.
    run(session, f"dd if={FILE} of=/tmp/short bs=1k count=500 2>/dev/null")
    exit_code, output = session.command("keeper", "cotenantctl restore one /tmp/short 2>&1")
    assert exit_code == 1 and "it ends too early" in output
    assert session.stats().tenants["one"].state == "empty"

    if is_long():
        assert "it is dormant" in run(session, f"cotenantctl restore one {FILE}")
        run(session, "umount /mnt")
        resume_one(session)
    no_deadline_was_missed(session)
    run(session, "umount /mnt 2>/dev/null; sync")
    assert session.quit() == 0

    session = start(boot, disk)
    run(session, f"{MOUNT}; cotenantctl stop one")
    session.wait_ready("two")
    assert "it is dormant" in run(session, f"cotenantctl restore one {FILE}")
    resume_one(session)
    no_deadline_was_missed(session)
