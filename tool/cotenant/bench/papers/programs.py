# SPDX-License-Identifier: BSD-2-Clause
"""Programs of Debian that two of the papers measured: dbench in a guest, a build beside an RTOS."""

from concurrent.futures import ThreadPoolExecutor

from cotenant import images
from cotenant.bench.linux import runs as linux_runs
from cotenant.bench.papers import compiling, dbench
from cotenant.bench.row import Row


def run(quick: bool) -> list[Row]:
    """Measure; `quick` compiles fewer files."""
    for image in (linux_runs.KERNEL, linux_runs.INITRAMFS):
        images.resolve(image)  # before the machines start, which would make it at the same time
    with ThreadPoolExecutor(2) as pool:
        found = [pool.submit(dbench.rows), pool.submit(compiling.rows, quick)]
        return [row for each in found for row in each.result()]
