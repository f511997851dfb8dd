# SPDX-License-Identifier: BSD-2-Clause
"""A stock guest is saved while it runs, and goes on in the same host."""

from systems import NO_SELF_TESTS, Boot, linux, system

from cotenant.run.session import Session

LONG = 90.0
MODULES = "modules=virtio_mmio,virtio_blk,virtio_net,virtio_rng addresses=eth0=10.1.0.2/24"
DEVICES = "--disk /tmp/disk --net tap0"
RUN = f"cohost run --name web --memory 96M --append 'quiet {NO_SELF_TESTS} {MODULES}' {DEVICES}"
RESTORE = f"cohost restore /tmp/saved {DEVICES}"
PREPARE = "modprobe tun; dd if=/dev/zero of=/tmp/disk bs=1M count=4 2>/dev/null"
ADDRESS = "ip addr add 10.1.0.1/24 dev tap0; ip link set tap0 up"
SAVED = 8


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


def test_a_guest_goes_on_with_memory_disk_and_network(boot: Boot) -> None:
    host = linux("linux", memory="768M", guests=1, initrd="debian-host-initramfs")
    session = boot(system(host), timeout=LONG)
    session.wait_ready("linux")
    answer(session, PREPARE)
    start(session, RUN)
    write = "echo hello >/tmp/word; echo up >/dev/shm/up; echo stored >/dev/vda; sync; echo ok"
    assert typed(session, write, "first") == "ok"
    save(session)
    goes_on(session, "second")
    assert answer(session, "cohost stop web") == "stop web: ok\n"
