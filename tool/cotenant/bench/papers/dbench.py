# SPDX-License-Identifier: BSD-2-Clause
"""Cooperative Linux's table: dbench with 1, 3 and 10 clients in a guest, beside its host.

The same kernel, program and load on both sides, in one run: on a tmpfs, where nothing but the
kernel is measured, and on an ext4 in a file of the host's ext4, as in the paper. The file has no
holes, as that of a disk which was in use: where it has, the host's ext4 finds blocks for what the
guest writes, and commits that twice for each commit of the guest.

dbench repeats its load until its time is up, and the steps at the load's beginning move many more
bytes than the others: what it reports depends on how far it gets. So each client makes a whole
pass, after one that does not count, and what is told is the instructions of the whole machine,
without those in which the host's hart was idle. Time is counted, so one pass is enough.
"""

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cotenant import images
from cotenant.bench import hosted
from cotenant.bench.guard import busy_ns
from cotenant.bench.row import Row, row
from cotenant.bench.systems import NO_SELF_TESTS
from cotenant.errors import BenchError
from cotenant.images.cpio import Archive
from cotenant.images.kernel_images import DESK_MODULES, MODULE_SUFFIX
from cotenant.images.packaged_images import BENCH_PROGRAMS
from cotenant.run.session import Session

CLIENTS = (1, 3, 10)
# What the guest must reach of the host's throughput: KVM with the H extension, or better.
_TMPFS = {1: 0.99, 3: 0.98, 10: 0.95}
_EXT4 = dict.fromkeys(CLIENTS, 0.85)
# Of the load: a pass.
_LINES = 4000
# Ten clients have 240 MB of files.
_HOST_MEMORY = "1280M"
_MEMORY_MIB = 576
_DISK_MIB = 1024
_GUEST_DISK_MIB = 512
_GUEST_DISK = "guest.ext4"
# What was a hole has blocks of the host's then; and nothing of the file stays in its cache.
_FILL = (
    f"dd if=/disk/{_GUEST_DISK} of=/disk/{_GUEST_DISK} conv=notrunc bs=1M 2>/dev/null && sync"
    " && echo 3 >/proc/sys/vm/drop_caches"
)
_MODULES = "modules"
_SCRIPT = "dbench.sh"
_WATCH_SCRIPT = "watch.sh"
# A line of the load's first version ends the program, with an exit status of 1.
_COMMANDS = f"""#!/bin/busybox sh
# dbench.sh DIRECTORY CLIENTS. In a guest, where it is the first process, a directory of ext4
# is on the disk.
if [ $$ = 1 ]; then
    /bin/busybox mount -t proc proc /proc
    /bin/busybox mount -t sysfs sysfs /sys
    /bin/busybox mount -t devtmpfs devtmpfs /dev
    /bin/busybox --install -s /bin
    [ $1 = /tmpfs ] || {{
        for module in $(cat /{_MODULES}/order); do insmod /{_MODULES}/$module{MODULE_SUFFIX}; done
        mkdir -p $1
        mount -t ext4 /dev/vda $1
    }}
fi
[ $1 != /tmpfs ] || {{
    mkdir -p $1
    mount -t tmpfs -o size=80% tmpfs $1
}}
pass() {{
    head -n {_LINES} /share/dbench/client.txt >/load
    echo SMB end 0x0 >>/load
    for client in $(seq $2); do
        mkdir -p $1/$client
        dbench -t 100000 -c /load -D $1/$client 1 >/dbench.$client 2>&1 &
    done
    wait
    sync
    for client in $(seq $2); do
        grep -q 'dbench 1 load file' /dbench.$client && echo dbench: client over
    done
    echo dbench: now
    sleep 3
}}
pass $1 $2
pass $1 $2
rm -rf $1/[0-9]*
if [ $$ = 1 ] || [ $1 = /tmpfs ]; then umount $1; fi
[ $$ != 1 ] || poweroff -f
"""
# Tells the host's times whenever one of both has come to an end.
_WATCH = """#!/bin/busybox sh
while read line; do
    echo "$line"
    case "$line" in
    *"dbench: now"*)
        sync
        cat /proc/timer_list >/now
        grep -E '^now at|_sleeptime' /now
        ;;
    esac
done
"""
_DISK_OF_QEMU = """[qemu]
virtio = "modern"
[qemu.devices]
virtio0 = "virtio-blk-device,drive=disk"
"""


@dataclass(frozen=True)
class Place:
    """Where dbench works, and what the guest needs for it."""

    name: str
    directory: str
    options: str
    least: dict[int, float]


_PLACES = (
    Place("tmpfs", "/tmpfs", "", _TMPFS),
    Place("ext4 in a file", "/disk", f" --disk /disk/{_GUEST_DISK}", _EXT4),
)


def rows() -> list[Row]:
    """Measure; the other figure is the host's."""
    programs = images.resolve(BENCH_PROGRAMS).read_bytes()
    common = _archive()
    with tempfile.TemporaryDirectory(prefix="cotenant-bench.") as folder:
        disk = _disk(Path(folder))
        with hosted.hosting(
            _DISK_OF_QEMU,
            memory=_HOST_MEMORY,
            arguments=NO_SELF_TESTS,
            for_host=programs + bytes(-len(programs) % 4) + common,
            for_guest=common,
            devices=("virtio0",),
            extra=("-drive", f"if=none,id=disk,format=raw,cache=unsafe,file={disk}"),
            window=f"{_MEMORY_MIB}M",  # the host's free memory is in too many pieces for so much
        ) as session:
            size = _prepare(session)
            return [_row(session, place, clients, size) for place in _PLACES for clients in CLIENTS]


def _row(session: Session, place: Place, clients: int, size: int) -> Row:
    def each(command: str) -> float:
        """Return the instructions for a kilobyte."""
        _, said = session.command(hosted.HOST, f"{command} 2>&1 | sh /{_WATCH_SCRIPT}")
        return busy(said, clients) * 1000 / (size * clients)

    script = f"sh /{_SCRIPT} {place.directory} {clients}"
    guest = (
        f"cohost run --memory {_MEMORY_MIB}M --initrd /{hosted.GUEST_INITRD}{place.options}"
        f" --append '{hosted.ARGUMENTS} {NO_SELF_TESTS} rdinit=/bin/busybox -- {script}'"
    )
    ours, other = each(guest), each(script)
    name = f"dbench in a guest, {place.name}, clients: {clients}"
    return row(name, "instructions for a KB", ours, other, other / place.least[clients])


def busy(said: str, clients: int) -> int:
    """Return for how long the machine was busy between two moments, in ns of its clock.

    Raises BenchError unless as many clients as there are came to the end of their load both times.
    """
    over = said.count("dbench: client over")
    if over != 2 * clients:
        raise BenchError(f"dbench came to its end {over} times, of {2 * clients}: {said[-400:]!r}")
    return busy_ns(said)


def _archive() -> bytes:
    """Return what host and guest need besides: the script, and modules of the kernel."""
    archive = Archive()
    archive.add_file(_SCRIPT, _COMMANDS.encode(), 0o755)
    archive.add_file(_WATCH_SCRIPT, _WATCH.encode(), 0o755)
    order = []
    for image in ("debian-kernel", DESK_MODULES):
        images.resolve(image)
        directory = images.open_store().path(image, "modules")
        for name in (directory / "order").read_text().split():
            order.append(name)
            file = f"{name}{MODULE_SUFFIX}"
            archive.add_file(f"{_MODULES}/{file}", (directory / file).read_bytes())
    archive.add_file(f"{_MODULES}/order", "\n".join(order).encode())
    return archive.to_bytes()


def _disk(folder: Path) -> Path:
    """Make the host's disk: an ext4 in which there is a file with the guest's ext4."""
    inside = folder / "inside"
    inside.mkdir()
    disk = folder / "disk"
    # Otherwise the kernels clear the tables of inodes at some time after both were mounted.
    at_once = ("-E", "lazy_itable_init=0,lazy_journal_init=0")
    make = ["/sbin/mke2fs", "-q", "-F", "-t", "ext4", *at_once]
    subprocess.run([*make, inside / _GUEST_DISK, f"{_GUEST_DISK_MIB}M"], check=True)
    subprocess.run([*make, "-d", inside, disk, f"{_DISK_MIB}M"], check=True)
    return disk


def _prepare(session: Session) -> int:
    """Mount the host's disk, fill the guest's. Returns how many bytes a pass moves."""
    load = f"for module in $(cat /{_MODULES}/order); do insmod /{_MODULES}/$module{MODULE_SUFFIX}"
    status, said = session.command(
        hosted.HOST,
        f"{load}; done 2>/dev/null; mkdir /disk && mount -t ext4 /dev/vda /disk && {_FILL} && "
        f"head -n {_LINES} /share/dbench/client.txt | grep -E '^(Read|Write)X' | "
        "awk '{n += $4} END {print \"moves\", n}'",
    )
    found = re.search(r"^moves (\d+)", said, re.MULTILINE)
    if status != 0 or found is None:
        raise BenchError(f"the host's disk could not be mounted: {said!r}")
    return int(found[1])
