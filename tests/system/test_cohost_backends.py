# SPDX-License-Identifier: BSD-2-Clause
"""Devices of a guest that programs of Debian serve: virtiofsd, qemu-storage-daemon and passt."""

from systems import NO_SELF_TESTS, Boot, linux, system

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


def answer(session: Session, command: str) -> str:
    """Return what a command of the host prints; it succeeds."""
    code, output = session.command("linux", command)
    assert code == 0, output
    return output


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
    send = f"until [ -e /tmp/code ]; do {NUMBERS} | nc 127.0.0.1 2222; usleep 200000; done"
    answer(session, f"{send} 2>/dev/null")
    digest = answer(session, f"{NUMBERS} | md5sum")
    said = answer(session, "cat /tmp/code /tmp/out /tmp/err")
    assert said.startswith(f"0\nhello\n{digest}"), said
    answer(session, f"seq 1000 | cmp - {DIRECTORY}/there")
    answer(session, f"qemu-img convert -O raw {DISK} /tmp/raw")
    assert answer(session, f"head -c {SIZE} /tmp/raw | md5sum") == digest

    # None of them outlives the process that they serve.
    answer(session, f"{COHOST} run {options} </dev/null >/dev/null 2>&1 & echo $! >/tmp/pid")
    for name in BACK_ENDS:
        answer(session, f"until pidof {name}; do usleep 100000; done")
    answer(session, "kill -9 $(cat /tmp/pid)")
    answer(session, f"while pidof {' '.join(BACK_ENDS)}; do usleep 100000; done")
