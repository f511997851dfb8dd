# SPDX-License-Identifier: BSD-2-Clause
"""Devices of a guest that programs of Debian serve: virtiofsd, qemu-storage-daemon and passt."""

import pytest
from systems import NO_SELF_TESTS, Boot, linux, system, times

from cotenant.run.session import Session

LONG = 300.0
DIRECTORY, DISK = "/tmp/srv", "/tmp/disk"
BACK_ENDS = ("virtiofsd", "qemu-storage-daemon", "passt")
DEVICES = f"--share {DIRECTORY}=srv --disk {DISK} --net user,forward=2222:7"
# In an initramfs the root is none that a process can leave for another one, as virtiofsd and passt
# do: they get one above it.
ROOT = f"mkdir -p /tmp/root {DIRECTORY}; echo 'mount --rbind / /tmp/root; cd /tmp/root;"
ROOT += ' mount --move . /; exec chroot . "$@"\' >/tmp/enter'
COHOST = "unshare -m sh /tmp/enter cohost"
NUMBERS, SIZE = "seq 10000", 48894
IN_GUEST = (
    "mkdir -p /mnt; mount -t virtiofs srv /mnt; cat /mnt/here; seq 1000 >/mnt/there;"
    f"{NUMBERS} >/dev/vda; sync;"
    "ip addr add 169.254.2.1/16 dev eth0; ip link set eth0 up;"
    "mkfifo /open; nc -l -p 7 <>/open | md5sum"
)
SEND = f"until [ -e /tmp/code ]; do {NUMBERS} | timeout 10 nc 127.0.0.1 2222; usleep 200000; done"
SEND = f"({SEND}) 2>/dev/null; {NUMBERS} | md5sum"
# Writes a disk, sends and mounts until it is told, by a share of a new back end, that they live.
THROUGH_KILLS = (
    "dd if=/dev/urandom of=/bytes bs=64k count=32; cd /; mkdir -p /mnt;"
    "ip addr add 169.254.2.1/16 dev eth0; ip link set eth0 up;"
    "(while :; do ping -A -q -c 100 169.254.2.2; done) >/dev/null 2>&1 &"
    "until [ -e /mnt/done ]; do"
    "  dd if=/bytes of=/dev/vda bs=64k conv=fsync || exit 9; umount /mnt;"
    "  mount -t virtiofs srv /mnt; echo >/mnt/lives;"
    "done >/dev/null 2>&1;"
    "echo 3 >/proc/sys/vm/drop_caches;"
    "head -c 2097152 /dev/vda | cmp - /bytes; echo $?; md5sum </bytes;"
    "mkfifo /open; nc -l -p 7 <>/open | md5sum"
)


def answer(session: Session, command: str) -> str:
    """Return what a command of the host prints; it succeeds."""
    code, output = session.command("linux", command)
    assert code == 0, output
    return output


def try_kills(session: Session, options: str, count: int) -> None:
    """Each of them is killed while the guest uses it; the next one goes on, and nothing is lost."""
    answer(session, f"rm /tmp/code {DIRECTORY}/*")
    run = f"{COHOST} exec {options} -- sh -c '{THROUGH_KILLS}' >/tmp/out 2>/tmp/err"
    answer(session, f"({run}; echo $? >/tmp/code) </dev/null >/dev/null 2>&1 &")
    lives = f"until [ -e {DIRECTORY}/lives ]; do [ ! -e /tmp/code ] && usleep 50000 || exit 1; done"
    for _ in range(count):
        answer(session, f"({lives}); rm {DIRECTORY}/lives")
        for name in BACK_ENDS:
            other = f'until now=$(pidof {name}) && [ "$now" != "$was" ]; do usleep 50000; done'
            answer(session, f'was="$(pidof {name})"; kill -9 $was; {other}')
    answer(session, f"({lives}); touch {DIRECTORY}/done")
    digest = answer(session, SEND)
    said = answer(session, "cat /tmp/code /tmp/out").split()
    assert said[:2] == ["0", "0"] and said[-2] == digest.split()[0], said
    answer(session, f"qemu-img check -q {DISK}; [ $? = 0 -o $? = 3 ]")
    answer(session, f"qemu-img convert -O raw {DISK} /tmp/raw")
    assert answer(session, "head -c 2097152 /tmp/raw | md5sum").split()[0] == said[2]
    again = answer(session, "grep -c 'serves the guest.s device again' /tmp/err")
    assert int(again) == count * len(BACK_ENDS)


@pytest.mark.long_form
def test_a_share_a_disk_and_a_network(boot: Boot) -> None:
    host = linux("linux", memory="768M", guests=1, initrd="debian-backends-initramfs")
    session = boot(system(host), timeout=LONG)
    session.wait_ready("linux")
    answer(session, f"modprobe tun; ip link set lo up; {ROOT}; echo hello >{DIRECTORY}/here")
    answer(session, f"qemu-img create -q -f qcow2 {DISK} 16M")
    options = f"--memory 128M --append '{NO_SELF_TESTS}' {DEVICES}"

    run = f"{COHOST} exec {options} -- sh -c '{IN_GUEST}' >/tmp/out 2>/tmp/err; echo $? >/tmp/code"
    answer(session, f"({run}) </dev/null >/dev/null 2>&1 &")
    # The host is the network's other end; until the guest listens, nobody answers.
    digest = answer(session, SEND)
    said = answer(session, "cat /tmp/code /tmp/out /tmp/err")
    assert said.startswith(f"0\nhello\n{digest}"), said
    answer(session, f"seq 1000 | cmp - {DIRECTORY}/there")
    answer(session, f"qemu-img convert -O raw {DISK} /tmp/raw")
    assert answer(session, f"head -c {SIZE} /tmp/raw | md5sum") == digest

    try_kills(session, options, times(1, 30))
    # None of them outlives the process that they serve.
    answer(session, f"{COHOST} run {options} </dev/null >/dev/null 2>&1 & echo $! >/tmp/pid")
    for name in BACK_ENDS:
        answer(session, f"until pidof {name}; do usleep 100000; done")
    answer(session, "kill -9 $(cat /tmp/pid)")
    answer(session, f"while pidof {' '.join(BACK_ENDS)}; do usleep 100000; done")
