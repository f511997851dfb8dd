# SPDX-License-Identifier: BSD-2-Clause
"""What guests of a host cost: the same work in a Debian that hosts, and in its guest.

Instructions of all involved, under `-icount shift=0` on one hart. What the monitor does is measured
with small programs as host and guest (tenants/bench: bench-host, bench-guest, bench-sbi), to the
instruction; the kernels' services with the stock Debian kernel on both sides, its program
linux-bench. docs/performance/hosted.md tells how, and of the yardstick.
"""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from cotenant import images
from cotenant.bench import latency, samples
from cotenant.bench.guard import busy_ns
from cotenant.bench.linux import runs as linux_runs
from cotenant.bench.row import Row, row
from cotenant.bench.systems import Value, linux, payload, running, system
from cotenant.errors import BenchError
from cotenant.images.cpio import Archive
from cotenant.images.initramfs_images import append
from cotenant.run.session import Session

HOST = "linux"
HOST_INITRD = "debian-host-initramfs"

# What the issue of this feature asks for; the rows of a guest against its host are within if they
# take no more than this times the host's.
_LEND_AND_RETURN = 600
_DEVICE_ACCESS = 1200
_SBI_CALL = 250
_INTERRUPT = 250
_SAME = 1.01
_BOOT = 1.08
# Where things lie in a kernel's memory is random, and when its boot begins between two ticks: what
# is compared are medians of so many boots, and of so many runs of all works.
_BOOTS = 7
_RUNS = 3
# What linux-bench calls a work, what people call it, and the guest's budget against the host.
_SERVICES = {
    "cpu": ("CPU work", _SAME),
    "syscall": ("system call", _SAME),
    "page_fault": ("page fault, first touch of a page", _SAME),
    "pipe": ("pipe, a byte to self", _SAME),
    "switch": ("pipe, two context switches", _SAME),
    "fork_exec": ("fork, exec, wait", _SAME),
    "self_ipi": ("page fault with interrupt to self", _SAME),
    "timer_signal": ("timer interrupt with signal, at 10 kHz", _SAME),
    "wakeup": ("timer due to woken up, idle", 1.5),
}
# In the command that starts the guest: typing that is no part of its boot.
_TIME = "head -n 3 /proc/timer_list"
# Ticks of FreeRTOS are longer by so many of the time CSR, of 100 ns, which divides neither 1 ms nor
# 4 ms: in so many of them they meet each moment of a tick of Linux, and not always the same ones.
_DRIFT = 7
_RTOS_SAMPLES = 40_000
_IDLE_SECONDS = 20
_BOOT_SECONDS = 3
_IDLE = 0.05  # per cent
ARGUMENTS = f"{linux_runs.ARGUMENTS} reboot=panic_warm"
# In the host's initramfs: the guest's, and what of it is for the host itself.
GUEST_INITRD = "guest.cpio"
_PROGRAMS = "/tmp/bench"
_RUN = f"cohost run --memory {linux_runs.MEMORY_MIB}M --initrd /{GUEST_INITRD}"
# The device is the disk, behind the UART, without a driver.
_QUICKLY = "bench=quick device=0x10001000"
_BUSY = 'rdinit=/bin/busybox -- sh -c "while :; do :; done"'


def run(quick: bool) -> list[Row]:
    """Measure; `quick` leaves FreeRTOS out."""
    return [*_monitor_rows(), *_linux_rows(), *([] if quick else _rtos_rows())]


def measure(guest: str, *, sstc: bool, fp: bool = True) -> dict[str, int]:
    """Return what bench-host and its guest, another program, print."""
    host = payload(
        "host",
        "bench-host",
        memory="8M",
        initrd=guest,
        fp=fp,
        guests=1,
        arguments="shares=1",
    )
    with running(system(host), sstc=sstc) as session:
        session.wait_end()
        # Both print; the guest's end comes before the host's.
        output = session.output("host").replace("bench: end\n", "", 1)
        return samples.medians(output, f"{guest} as a guest")


def counts(*, sstc: bool) -> dict[str, int]:
    """Return the instructions of the hot paths, for bench/expected.toml."""
    found = measure("bench-guest", sstc=sstc)
    calls = measure("bench-sbi", sstc=sstc)
    return {
        "lend_and_return": found["lend_and_return"],
        "lend_and_return_sv57": found["lend_and_return_sv57"],
        "device_write": found["device_write"],
        "device_read_byte": found["device_read_byte"],
        "interrupt_to_handler": found["late_hosting"] - found["late_alone"],
        "interrupt_and_back": found["gap_hosting"] - found["gap_alone"],
        "get_spec_version": calls["get_spec_version"],
    }


def _monitor_rows() -> list[Row]:
    rows = []
    for sstc in (True, False):
        suffix = "" if sstc else ", without Sstc"
        found = measure("bench-guest", sstc=sstc)
        calls = measure("bench-sbi", sstc=sstc)
        late = found["late_hosting"] - found["late_alone"]
        gap = found["gap_hosting"] - found["gap_alone"]
        rows += [
            _row(f"monitor: lend and return{suffix}", found["lend_and_return"], _LEND_AND_RETURN),
            _row(
                f"monitor: lend and return, guest with Sv57{suffix}",
                found["lend_and_return_sv57"],
                _LEND_AND_RETURN,
            ),
            _row(f"monitor: the same for a byte{suffix}", found["device_read_byte"]),
            _row(f"monitor: SBI call of a guest{suffix}", calls["get_spec_version"], _SBI_CALL),
            _row(f"monitor: set_timer of a guest{suffix}", calls["set_timer"]),
            _row(f"monitor: interrupt of the host, to its handler{suffix}", late, _INTERRUPT),
            _row(f"monitor: interrupt of the host, and back to the guest{suffix}", gap),
        ]
    return rows


def _row(name: str, value: float, budget: float | None = None) -> Row:
    return row(name, "instructions", value, None, budget)


def _linux_rows() -> list[Row]:
    # Without Debian's programs, which take many minutes in two kernels.
    ours = [linux_runs.alone(quick=True, sstc=True, seed=seed) for seed in range(1, _RUNS + 1)]
    with hosting() as session:
        idle, with_guest = _idle(session), _idle_with_guest(session)
        boots = _guests_boots(session)
        guests = [_services(session) for _ in range(_RUNS)]

    def middle(found: list[linux_runs.Samples], name: str) -> float:
        return median(each[name].each for each in found)

    console = [middle(found, "console") for found in (guests, ours)]
    return [
        _row(
            "guest: device access, served by its process", middle(guests, "device"), _DEVICE_ACCESS
        ),
        *(
            _compared(label, middle(guests, name), middle(ours, name), most)
            for name, (label, most) in _SERVICES.items()
            if name in ours[0] and name in guests[0]
        ),
        *_boot_rows(boots),
        _compared("console output, a byte", console[0], console[1], None),
        row("host: an idle guest", "% of the hart", with_guest - idle, None, _IDLE),
    ]


def _services(session: Session) -> linux_runs.Samples:
    """Have a guest measure its kernel's services and its console."""
    run = f"truncate -s 1M /tmp/disk; {_RUN} --disk /tmp/disk,readonly"
    status, said = session.command(HOST, f"{run} {_append(_QUICKLY)}")
    if status != 0:
        raise BenchError(f"the guest ended with {status}: {said[-300:]!r}")
    return linux_runs.parse(said, "Linux as a guest")


@dataclass(frozen=True)
class _Boots:
    """Medians of several boots, in instructions: of the host's idle time there is next to none."""

    kernel: float
    """from the start of the kernel's clock to init"""
    whole: float
    """from the reset or the start of the process to init"""


def _boot_rows(guest: _Boots) -> list[Row]:
    ours = linux_runs.boots(_BOOTS, sstc=True)
    host = _Boots(
        median(each["boot_kernel"].each for each in ours),
        median(each["boot"].each for each in ours),
    )
    with hosting(window=f"{linux_runs.MEMORY_MIB}M") as session:
        in_window = _guests_boots(session)
    return [
        _compared("boot, start of the kernel's clock to init", guest.kernel, host.kernel, _BOOT),
        _compared("boot, start of cohost to init", guest.whole, host.whole, None),
        _compared(
            "boot, start of cohost to init, memory of the window",
            in_window.whole,
            host.whole,
            _BOOT,
        ),
    ]


def _guests_boots(session: Session) -> _Boots:
    """Start guests that only boot, one after the other."""
    clock = _clock_started(session)
    found = []
    for _ in range(_BOOTS):
        append = _append(f"bench={linux_runs.NOTHING}")
        status, said = session.command(HOST, f"{_TIME}; {_RUN} {append}")
        if status != 0:
            raise BenchError(f"a guest that only boots ended with {status}: {said[-300:]!r}")
        guest = linux_runs.parse(said, "Linux as a guest")
        whole = guest["boot"].each - clock - _time_in(said)
        found.append(_Boots(guest["boot_kernel"].each, whole))
    return _Boots(median(each.kernel for each in found), median(each.whole for each in found))


def _compared(name: str, guest: float, host: float, most: float | None) -> Row:
    return row(f"guest: {name}", "instructions", guest, host, None if most is None else host * most)


def _append(more: str) -> str:
    return f"--append '{ARGUMENTS} {more}'"


@contextmanager
def hosting(
    *others: str,
    memory: str = "768M",
    arguments: str = "",
    icount: int = 0,
    for_host: bytes = b"",
    for_guest: bytes = b"",
    devices: tuple[str, ...] = (),
    extra: tuple[str, ...] = (),
    window: str | None = None,
) -> Iterator[Session]:
    """Boot a Debian that hosts, in whose initramfs is the one that measures itself.

    `memory` is its own, `arguments` are more of its kernel's; `for_host` and `for_guest` are
    archives of more files, `devices` those of the host, and `extra` QEMU's arguments for them;
    `window` is memory that the host leaves to guests.
    """
    with tempfile.TemporaryDirectory(prefix="cotenant-bench.") as folder:
        archive = Archive()
        guest = images.resolve(linux_runs.INITRAMFS).read_bytes()
        archive.add_file(GUEST_INITRD, append(guest, for_guest))
        initrd = Path(folder) / "initramfs"
        more = append(archive.to_bytes(), for_host)
        initrd.write_bytes(append(images.resolve(HOST_INITRD).read_bytes(), more))
        keys: dict[str, Value] = {} if window is None else {"guest-window": window}
        host = linux(
            HOST,
            memory=memory,
            initrd=str(initrd),
            arguments=f"console=ttyS0 loglevel=4 {arguments}",
            guests=1,
            priority=1,
            devices=list(devices),
            **keys,
        )
        whole = system(host, *others)
        with running(whole, sstc=True, icount=icount, extra=extra) as session:
            session.wait_ready(HOST)
            unpack = f"mkdir {_PROGRAMS} && cd {_PROGRAMS} && cpio -idm </{GUEST_INITRD} && cd /"
            status, said = session.command(HOST, f"{unpack} && sleep 3")
            if status != 0:
                raise BenchError(f"the programs could not be unpacked: {said!r}")
            yield session


def _clock_started(session: Session) -> float:
    """Return the moment at which the clock of the host's kernel began, in ns of the machine's."""
    _, said = session.command(HOST, f"{_PROGRAMS}/bin/linux-bench boot")
    found = re.search(r"^bench: boot_firmware \d+ (\d+)", said, re.MULTILINE)
    if found is None:
        raise BenchError(f"the host does not tell how it booted: {said!r}")
    return float(found[1])


def _time_in(said: str) -> float:
    """Return what `_TIME` has printed, in ns of the clock of the host's kernel."""
    found = re.search(r"^now at (\d+) nsecs", said, re.MULTILINE)
    if found is None:
        raise BenchError(f"the host does not tell the time: {said!r}")
    return float(found[1])


def _idle(session: Session) -> float:
    """Return the per cent of its time in which the host is busy without anything to do."""
    command = (
        f"cat /proc/timer_list >/tmp/before; sleep {_IDLE_SECONDS};"
        " cat /proc/timer_list >/tmp/after;"
        " grep -hE '^now at|_sleeptime' /tmp/before /tmp/after"
    )
    _, said = session.command(HOST, command)
    return busy_ns(said) / (_IDLE_SECONDS * 1e7)


@contextmanager
def _guest(session: Session, what: str, seconds: int = _BOOT_SECONDS) -> Iterator[None]:
    """Have a guest in the background, which has booted after so many of the machine's seconds."""
    session.command(HOST, f"{_RUN} --name other {_append(what)} </dev/null >/tmp/out 2>&1 &")
    session.command(HOST, f"sleep {seconds}")
    listed = session.command(HOST, "cohost list")[1]
    if "other" not in listed:
        said = session.command(HOST, "cat /tmp/out")[1]
        raise BenchError(f"the guest did not run: {said[-300:]!r}")
    yield
    session.command(HOST, "cohost stop other; sleep 1")


def _idle_with_guest(session: Session) -> float:
    # Its init sleeps longer than it is looked at.
    with _guest(session, "rdinit=/bin/busybox -- sleep 1000"):
        return _idle(session)


def _rtos_rows() -> list[Row]:
    """Return what FreeRTOS above host and guest feels of them."""
    count = _RTOS_SAMPLES
    arguments = f"icount={latency.ICOUNT}"
    # Alone it meets nobody's moments. Single ones are late by what QEMU skips of idle time too much
    # (docs/performance/latency.md): hence what is below all but a thousandth.
    with running(system(latency.rtos(f"{arguments} samples={count}")), sstc=True, icount=5) as rtos:
        rtos.wait_end()
        alone = latency.parse(rtos.output(latency.RTOS), latency.ALONE)["handler"].figures()
    with hosting(latency.rtos(f"{arguments} drift={_DRIFT}"), icount=latency.ICOUNT) as session:
        session.expect(latency.RTOS, "^bench: ready$")
        with _guest(session, _BUSY, _BOOT_SECONDS << latency.ICOUNT):
            found = latency.take(session, count, "a busy guest")["handler"].figures()
    return [
        row(
            "FreeRTOS above both: latency, average",
            "instructions",
            found["average"],
            alone["average"],
            alone["average"] + 200,
        ),
        row(
            "FreeRTOS above both: latency, worst",
            "instructions",
            found["max"],
            alone["p99.9"],
            alone["p99.9"] + 400,
        ),
    ]
