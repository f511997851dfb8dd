# SPDX-License-Identifier: BSD-2-Clause
"""Disks and networks that processes serve: those of a guest, and those of a served tenant.

Beside each figure is what the owner of the hardware takes for the same, at its own disk and over
its loopback. Instructions of the whole machine at one a nanosecond, without those in which it was
idle; each work is done with few and with many rounds, as in `guard`, and the difference counts.
Single runs of a stream differ by several per cent: the least of several counts.

The disk answers at once, from nowhere. A guest's file is the owner's disk: nothing of it is in the
owner's cache, and nothing is read ahead.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count as numbers

from cotenant import images
from cotenant.bench.guard import busy_ns
from cotenant.bench.row import Row, row
from cotenant.bench.systems import NO_SELF_TESTS, Value, linux, payload, running, system
from cotenant.errors import BenchError
from cotenant.run.session import Session

OWNER, OTHER = "linux", "second"
_MOST_OF_A_READ = 2.5
_SEGMENT = 1460
_RUNS = 6
_RUNS_QUICK = 2
_OWN_ADDRESS, _OTHER_ADDRESS = "10.1.0.1", "10.1.0.2"
_QEMU_DEVICES = """[qemu]
virtio = "modern"
[qemu.devices]
virtio0 = "virtio-blk-device,drive=disk"
"""
_QEMU_DISK = ("-drive", "if=none,id=disk,driver=null-co,read-zeroes=on,size=1G")
# What nc is to send has no end, or it would end too early.
_LISTEN = "mkfifo /tmp/open; while :; do nc -l -p 7 <>/tmp/open >/dev/null; done"
_OTHERS = (
    f"loglevel=4 {NO_SELF_TESTS} modules=virtio_mmio,virtio_blk,virtio_net"
    f' addresses=eth0={_OTHER_ADDRESS}/24 start="{_LISTEN}"'
)
_NETWORK = f"ip addr add {_OWN_ADDRESS}/24 dev tap0; ip link set tap0 up; ip link set lo up"
_REACH = f"until ping -c 1 -W 1 {_OTHER_ADDRESS} >/dev/null; do usleep 100000; done"
_FORGET = "blockdev --setra 0 /dev/vda; echo 3 >/proc/sys/vm/drop_caches"


@dataclass(frozen=True)
class Work:
    """A command with `{count}` rounds, which is `{size}` bytes of TCP to `{peer}`."""

    name: str
    command: str
    few: int
    many: int
    by_other: bool = False
    """whether a guest or client carries it out, or the owner with them"""

    def typed(self, count: int, peer: str) -> str:
        """Return what to type."""
        return self.command.format(count=count, size=count * _SEGMENT, peer=peer)


READ = Work(
    "disk, a read of 4 KiB",
    "dd if=/dev/vda of=/dev/null iflag=direct bs=4k count={count} 2>/tmp/got",
    *(100, 600),
    by_other=True,
)
_WORKS = (
    READ,
    Work("network, a ping and its answer", "ping -q -A -c {count} {peer} >/tmp/got", 50, 200),
    Work("network, a segment of TCP to it", "head -c {size} /dev/zero | nc {peer} 7", 500, 1500),
    Work(
        "network, a segment of TCP from it",
        "head -c {size} /dev/zero | nc {peer} 7",
        *(500, 1500),
        by_other=True,
    ),
)
Busy = Callable[[str], float]
"""carries a command out, and returns the nanoseconds in which the machine was busy meanwhile"""


def run(quick: bool) -> list[Row]:
    """Measure; `quick` takes fewer runs and leaves the served tenant out."""
    runs = _RUNS_QUICK if quick else _RUNS
    images.resolve("debian-host-initramfs")  # before both machines start, and make it at once
    with ThreadPoolExecutor(2) as pool:
        found = [
            pool.submit(each, runs) for each in (_guest_rows, _served_rows)[: 1 if quick else 2]
        ]
        return [row for each in found for row in each.result()]


def _guest_rows(runs: int) -> list[Row]:
    with running(
        system(_QEMU_DEVICES, _owner(priority=1, guests=1)), sstc=True, extra=_QEMU_DISK
    ) as session:
        session.wait_ready(OWNER)
        found: list[Row] = []
        for option, works in (("", _WORKS), (",cached", (READ,))):
            guest = _Guest(session, option)
            label = f"guest{option.replace(',', ', ')}"
            found += _compare(label, works, runs, guest.owner_busy, guest.busy, session)
            guest.end()
        return found


def _served_rows(runs: int) -> list[Row]:
    """Measure a served tenant below its owner, on the same hart.

    A third tenant takes all the time that both leave, so that the monitor's accounts say how much
    that is: the idle time that a kernel counts has what the other one does in it.
    """
    served: dict[str, Value] = {"served-by": OWNER, "served": ["disk", "net"]}
    client = linux(OTHER, priority=2, arguments=f"console=ttyS0 {_OTHERS}", **served)
    rest = payload("rest", "spin", priority=1, start="manual")
    description = system(_QEMU_DEVICES, _owner(priority=3), client, rest)
    with running(description, sstc=True, extra=_QEMU_DISK) as session:
        session.wait_ready(OWNER)
        serve = f"cohost serve {OTHER} --disk /dev/vda,readonly --net tap0"
        _must(session, OWNER, f"tunctl -t tap0 && {_NETWORK}")
        _must(session, OWNER, f"({_LISTEN}) >/dev/null 2>&1 &")
        _must(session, OWNER, f"{serve} </dev/null >/tmp/log 2>&1 &")
        session.wait_ready(OTHER)
        _must(session, OWNER, _REACH)
        session.control("start rest")

        def busy(tenant: str) -> Busy:
            return lambda command: _cpu_ns(session, tenant, command)

        return _compare("served tenant", _WORKS, runs, busy(OWNER), busy(OTHER), session)


def _owner(**keys: Value) -> str:
    return linux(
        OWNER,
        memory="512M",
        initrd="debian-host-initramfs",
        arguments=f"console=ttyS0 loglevel=4 {NO_SELF_TESTS} modules=virtio_mmio,virtio_blk,tun",
        devices=["virtio0"],
        trusted=True,
        **keys,
    )


class _Guest:
    """A guest that has the owner's disk and is its peer; commands are typed at its console."""

    def __init__(self, session: Session, option: str) -> None:
        self._session = session
        self._marks = numbers()
        _must(session, OWNER, _FORGET)
        run = f"cohost run --name {OTHER} --memory 128M --append 'quiet {_OTHERS}'"
        devices = f"--disk /dev/vda,readonly{option} --net tap0"
        up = "until ip link show tap0 >/dev/null 2>&1; do usleep 10000; done"
        _must(session, OWNER, f"{run} {devices} </dev/null >/tmp/log 2>&1 & {up}; {_NETWORK}")
        listen = f"rm -f /tmp/open; ({_LISTEN}) >/dev/null 2>&1 & echo $! >/tmp/listener"
        _must(session, OWNER, f"{_REACH}; {listen}")

    def owner_busy(self, command: str) -> float:
        """Carry out a command of the owner."""
        return _busy_ns(self._session, command)

    def busy(self, command: str) -> float:
        """Carry out a command of the guest."""
        # The console shows what was printed before, and what is typed: neither has this mark.
        number = next(self._marks)
        keys = f"echo '{command}; echo en''d{number}=$?' >/tmp/keys"
        typed = f"{keys}; cohost console {OTHER} </tmp/keys | grep -q -m 1 '^end{number}=0'"
        return _busy_ns(self._session, typed)

    def end(self) -> None:
        """End the guest; its tap device goes with it, and the owner's listener."""
        stop = f"cohost stop {OTHER}; kill $(cat /tmp/listener); killall nc; sleep 1"
        _must(self._session, OWNER, stop)


def _busy_ns(session: Session, command: str) -> int:
    measured = (
        f"cat /proc/timer_list >/tmp/before; {command}; status=$?; "
        "cat /proc/timer_list >/tmp/after; "
        "grep -hE '^now at|_sleeptime' /tmp/before /tmp/after; [ $status = 0 ]"
    )
    return busy_ns(_must(session, OWNER, measured))


def _cpu_ns(session: Session, tenant: str, command: str) -> int:
    """Carry out a tenant's command; return the time that owner and client had meanwhile."""
    before = session.stats()
    _must(session, tenant, command)
    after = session.stats()
    return sum(after.tenants[name].cpu_ns - before.tenants[name].cpu_ns for name in (OWNER, OTHER))


def _must(session: Session, tenant: str, command: str) -> str:
    status, said = session.command(tenant, command)
    if status != 0:
        raise BenchError(f"{command!r} failed in {tenant}: {said[-300:]!r}")
    return said


def _compare(
    label: str, works: tuple[Work, ...], runs: int, own: Busy, other: Busy, session: Session
) -> list[Row]:
    """Return rows; the other figure is the owner's own."""

    def least(busy: Busy, command: str) -> float:
        found = []
        for _ in range(runs):
            _must(session, OWNER, _FORGET)
            found.append(busy(command))
        return min(found)

    def each(work: Work, busy: Busy, peer: str) -> float:
        busy(work.typed(work.few, peer))  # a warm-up
        few, many = (least(busy, work.typed(count, peer)) for count in (work.few, work.many))
        return (many - few) / (work.many - work.few)

    found = []
    for work in works:
        alone = each(work, own, "127.0.0.1")
        if work.by_other:
            shared = each(work, other, _OWN_ADDRESS)
        else:
            shared = each(work, own, _OTHER_ADDRESS)
        most = alone * _MOST_OF_A_READ if work is READ else None
        found.append(row(f"{label}: {work.name}", "instructions", shared, alone, most))
    return found
