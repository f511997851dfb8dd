# SPDX-License-Identifier: BSD-2-Clause
"""Guests of a Debian: their input and network, what pauses and kills leave behind."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from systems import NO_SELF_TESTS, Boot, freertos, is_long, keep_ticking, linux, system, times

from cotenant.run.results import parse_latency
from cotenant.run.session import Session

LONG = 600.0
# The RTOS reports every 500 ticks.
REPORT = 500
MAC = "02:00:00:00:00:42"
MEMORY = "--memory 96M"
APPEND = f"--append 'quiet {NO_SELF_TESTS}"
MODULES = "modules=virtio_mmio,virtio_net,virtio_rng,virtio_blk addresses=eth0=10.1.0.2/24"
RUN = f"cohost run --name web {MEMORY} {APPEND} {MODULES}"
TAP = "until ip link show tap0 >/dev/null 2>&1; do usleep 10000; done;"
TAP += "ip addr add 10.1.0.1/24 dev tap0; ip link set tap0 up"


def answer(session: Session, command: str) -> str:
    """Return what a command of the host prints; it succeeds."""
    code, output = session.command("linux", command)
    assert code == 0, output
    return output


def memory_in_huge_pages(session: Session) -> str:
    return answer(session, "grep HugePages_Total /proc/meminfo").split()[-1]


def command(number: int, name: str = "") -> str:
    """Return what fails unless all bytes of a command's input arrive, and its errors come apart."""
    bytes_in, out, err = (f"/tmp/{each}{name}" for each in ("bytes", "out", "err"))
    make = f"dd if=/dev/urandom of={bytes_in} bs=1000 count={3 + number % 8} 2>/dev/null"
    run = f"cohost exec {MEMORY} {APPEND}' -- sh -c 'tee /dev/stderr | md5sum'"
    compare = f"cmp {bytes_in} {err} && md5sum <{bytes_in} | cmp - {out}"
    return f"{make}; {run} <{bytes_in} >{out} 2>{err}; {compare}"


def try_network(session: Session) -> None:
    """The guest is a peer of the host: ping, and a stream."""
    # What nc is to send has no end, or it would end too early.
    start = 'start="mkfifo /tmp/open; nc -l -p 7 <>/tmp/open >/tmp/got; md5sum </tmp/got;'
    start += "cat /sys/class/net/eth0/address;"
    start += 'hexdump -n 16 /dev/hwrng | wc -l"'
    run = f"{RUN} {start}' --net tap0,mac={MAC} --net tap1 </dev/null >/tmp/web &"
    answer(session, f"{run} {TAP}")
    up = "until ping -c 1 -W 1 10.1.0.2; do sleep 0.2; done >/dev/null"
    answer(session, f"{up}; ping -c 3 10.1.0.2")
    make = "dd if=/dev/urandom of=/tmp/bytes bs=100k count=10 2>/dev/null"
    send = "until nc 10.1.0.2 7 </tmp/bytes; do sleep 0.2; done"
    wait = "until grep -q '^2' /tmp/web; do sleep 0.2; done; md5sum </tmp/bytes"
    digest = answer(session, f"{make}; {send}; {wait}").split()[0]
    shown = answer(session, "cat /tmp/web")
    assert digest in shown and MAC in shown


def uptimes(session: Session, mark: str) -> tuple[float, float, float]:
    """Return the clocks of the host, of its guest, and of the host again; by its console."""
    clock = 'cut -d" " -f 1 /proc/uptime'
    answer(session, f"echo 'echo {mark}=$({clock})' >/tmp/keys")
    see = f"cohost console web </tmp/keys | grep -m 1 '^{mark}='"
    before, guest, after = answer(session, f"{clock}; {see}; {clock}").split()
    return float(before), float(guest.removeprefix(f"{mark}=")), float(after)


def type_in(session: Session, command: str) -> None:
    """Have the guest carry out a command, by its console."""
    typed = f"{command}; echo do''ne"
    answer(session, f"echo '{typed}' >/tmp/keys; cohost console web </tmp/keys | grep -m 1 ^done")


def try_firewall(session: Session) -> None:
    """All that the host sends elsewhere passes through the guest, which lets through what it wants.

    Elsewhere is another network namespace of the host.
    """
    answer(session, "unshare -n sleep 10000 </dev/null >/dev/null 2>&1 & echo $! >/tmp/elsewhere")
    other = "[ $(readlink /proc/$(cat /tmp/elsewhere)/ns/net) != $(readlink /proc/self/ns/net) ]"
    move = "ip link set tap1 netns $(cat /tmp/elsewhere)"
    answer(session, f"until {other}; do usleep 10000; done; until {move}; do usleep 10000; done")
    there = "nsenter -n -t $(cat /tmp/elsewhere)"
    up = "ip addr add 10.2.0.1/16 dev tap1; ip link set tap1 up; ip route add default via 10.2.0.2"
    answer(session, f"{there} sh -c '{up}'; ip route add default via 10.1.0.2")
    type_in(session, "ip addr add 10.2.0.2/16 dev eth1; ip link set eth1 up")
    type_in(session, "ip route add blackhole 10.2.6.0/24; echo 1 >/proc/sys/net/ipv4/ip_forward")
    reach = "until ping -c 1 -W 1 10.2.0.1 >/dev/null; do usleep 10000; done"
    refused = "! ping -c 1 -W 1 10.2.6.1 >/dev/null"
    answer(session, f"{there} ip addr add 10.2.6.1/32 dev tap1; {reach}; {refused}")

    listen = "mkfifo /tmp/end; nc -l -p 8 <>/tmp/end >/tmp/came"
    answer(session, f"{there} sh -c '{listen}' >/dev/null 2>&1 &")
    send = "until nc 10.2.0.1 8 </tmp/bytes; do usleep 100000; done"
    answer(session, f"{send}; until cmp /tmp/bytes /tmp/came; do usleep 100000; done")
    stops = "cohost pause web; ! ping -c 1 -W 1 10.2.0.1 >/dev/null; code=$?; cohost resume web"
    answer(session, f"{stops}; {reach}; [ $code = 0 ]")
    answer(session, "kill $(cat /tmp/elsewhere); ip route del default")


def try_pause(session: Session) -> None:
    """A guest that was stopped goes on with a clock that is right."""
    first = uptimes(session, "first")
    pause = 60 if is_long() else 3
    answer(session, f"cohost pause web; sleep {pause}; cohost resume web")
    second = uptimes(session, "second")
    assert pause <= second[1] - first[1] <= second[2] - first[0]
    assert session.command("linux", "cohost stop web")[0] == 0


def try_kills(session: Session, count: int) -> None:
    """A process that is killed, whatever its guest does, leaves nothing behind."""
    answer(session, "dd if=/dev/zero of=/tmp/disk bs=1M count=4 2>/dev/null")
    work = 'start="while :; do dd if=/dev/zero of=/dev/vda bs=64k count=64; done >/dev/null 2>&1 & '
    work += 'while :; do ping -A -q -c 1000 10.1.0.1; done >/dev/null"'
    run = f"{RUN} {work}' --disk /tmp/disk --net tap0 </dev/null >/dev/null 2>&1 & pid=$!;"
    moments = random.Random(count)
    for number in range(count):
        # Every other one while the process still looks for memory, lends it, fills it.
        lending = number % 2 == 1
        pause = moments.uniform(0, 0.4 if lending else 15 if is_long() else 1.5)
        wait = "" if lending else f"{TAP} 2>/dev/null;"
        kill = f"{run} {wait} usleep {int(pause * 1e6)}; kill -9 $pid; wait $pid"
        assert session.command("linux", kill)[0] == 137
    assert memory_in_huge_pages(session) == "0"


def ticks_lost(session: Session) -> int:
    """Return how many ticks of the machine's time the RTOS did not wake up for, even late."""
    latency = parse_latency(session.output("freertos"))
    assert latency
    return session.stats().time_ns // 1_000_000 - latency.samples


@contextmanager
def hosting(boot: Boot) -> Iterator[Session]:
    """Boot a host of two guests below an RTOS; nothing is left of guests, and no tick is lost."""
    host = linux("linux", memory="768M", guests=2, initrd="debian-host-initramfs", harts=[0, 1])
    session = boot(system(host, freertos()), timeout=LONG)
    session.wait_ready("freertos")
    session.wait_ready("linux")
    lost = ticks_lost(session)
    answer(session, "modprobe tun")
    free = int(answer(session, "grep MemAvailable /proc/meminfo").split()[1])
    yield session
    assert answer(session, "cohost list").count("\n") == 1
    assert memory_in_huge_pages(session) == "0"
    assert int(answer(session, "grep MemAvailable /proc/meminfo").split()[1]) > free - 20000
    keep_ticking(session, ["freertos"])
    # What it has not yet reported is not lost.
    assert ticks_lost(session) - lost <= 2 * REPORT


@pytest.mark.long_form
def test_devices_pauses_and_kills(boot: Boot) -> None:
    with hosting(boot) as session:
        try_kills(session, times(5, 100))
        answer(session, command(0))
        try_network(session)
        try_firewall(session)
        try_pause(session)


@pytest.mark.long_form
@pytest.mark.skipif(not is_long(), reason="takes most of an hour")
def test_a_thousand_commands(boot: Boot) -> None:
    """Two at a time."""
    with hosting(boot) as session:
        for number in range(0, times(1000, 1000), 2):
            both = f"({command(number, 'a')}) & ({command(number + 1, 'b')}) && wait $!"
            answer(session, both)
