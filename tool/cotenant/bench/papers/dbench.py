# SPDX-License-Identifier: BSD-2-Clause
"""Cooperative Linux's table: dbench with 1, 3 and 10 clients in a guest, beside its host.

The same kernel, program and load on both sides, in one run, on a tmpfs: what a process of the host
serves as a disk is not in it.
"""

import re
from statistics import median

from cotenant import images
from cotenant.bench import hosted
from cotenant.bench.row import Row, row
from cotenant.errors import BenchError
from cotenant.images.cpio import Archive
from cotenant.images.packaged_images import BENCH_PROGRAMS
from cotenant.run.session import Session

CLIENTS = (1, 3, 10)
_RUNS = 3
# dbench looks once a second how much there was.
_SECONDS = 5
# Of the load, at whose end dbench begins anew after a rest. It also says when each step is to be
# done, which `-R` has dbench ignore.
_LINES = 8000
# An instruction takes 32 ns: at one a nanosecond the runs would take 32 times as long.
_ICOUNT = 5
_MEMORY_MIB = 384
_SCRIPT = "dbench.sh"
_THROUGHPUT = re.compile(r"^Throughput ([\d.]+) MB/sec +(\d+) clients", re.MULTILINE)
# In the guest it is the first process.
_COMMANDS = """#!/bin/busybox sh
if [ $$ = 1 ]; then
    /bin/busybox mount -t proc proc /proc
    /bin/busybox --install -s /bin
fi
mkdir -p /work
mount -t tmpfs tmpfs /work
head -n {lines} /share/dbench/client.txt >/work/load
for clients in {clients}; do
    for run in {runs}; do
        dbench -R 1000000 -t {seconds} -c /work/load -D /work $clients | grep ^Throughput
        rm -rf /work/clients
    done
done
umount /work
echo dbench: over
sleep 1
[ $$ != 1 ] || poweroff -f
"""


def rows(quick: bool) -> list[Row]:
    """Measure; the other figure is the host's. `quick` makes one run of each instead of three."""
    text = _COMMANDS.format(
        clients=" ".join(map(str, CLIENTS)),
        runs=" ".join(map(str, range(1 if quick else _RUNS))),
        seconds=_SECONDS,
        lines=_LINES,
    )
    archive = Archive()
    archive.add_file(_SCRIPT, text.encode(), 0o755)
    script = archive.to_bytes()
    programs = images.resolve(BENCH_PROGRAMS).read_bytes()
    with hosted.hosting(icount=_ICOUNT, for_host=programs + script, for_guest=script) as session:
        # The host's own runs leave its free memory in too many pieces for a guest.
        guest, host = _in_guest(session), _in_host(session)
    return [
        row(f"dbench in a guest, clients: {clients}", "MB/s", guest[clients], host[clients])
        for clients in CLIENTS
    ]


def _in_host(session: Session) -> dict[int, float]:
    return medians(session.command(hosted.HOST, f"sh /{_SCRIPT}")[1])


def _in_guest(session: Session) -> dict[int, float]:
    arguments = f"{hosted.ARGUMENTS} rdinit=/bin/busybox -- sh /{_SCRIPT}"
    initrd = f"--initrd /{hosted.GUEST_INITRD}"
    command = f"cohost run --memory {_MEMORY_MIB}M {initrd} --append '{arguments}'"
    return medians(session.command(hosted.HOST, command)[1])


def medians(output: str) -> dict[int, float]:
    """Return MB/s by the number of clients. Raises BenchError if not all came to their end."""
    found: dict[int, list[float]] = {}
    for throughput, clients in _THROUGHPUT.findall(output):
        found.setdefault(int(clients), []).append(float(throughput))
    if "dbench: over" not in output or set(found) != set(CLIENTS):
        raise BenchError(f"dbench did not come to its end: {output[-400:]!r}")
    return {clients: median(values) for clients, values in found.items()}
