# SPDX-License-Identifier: BSD-2-Clause
"""SPUMONE's build: how much longer a compiler takes in Debian while an RTOS runs above it.

The build is that of some files of linux/bench, by the compiler of Debian's GCC: each of them,
preprocessed before, to assembly. Idle time does not count.
"""

import tempfile
from pathlib import Path

from cotenant import images, paths
from cotenant.bench import samples
from cotenant.bench.linux import runs as linux_runs
from cotenant.bench.row import Row, row
from cotenant.bench.systems import linux, running, system, tenant
from cotenant.errors import BenchError
from cotenant.images import linux_bench, programs
from cotenant.images.compiler import PROGRAM
from cotenant.images.cpio import Archive
from cotenant.images.initramfs_images import append
from cotenant.images.packaged_images import COMPILER

_FILES = 4
_MEMORY = "512M"
_NAME = "build"
_INIT = "build-init"
_BUILD = "build"
_FOLDER = "sources"
_RTOS = tenant("rtos", priority=10, memory="4M", image="freertos-latency", fp=False)
# What the kernel still does after a boot in the background has to end first; the kernel does not
# wait for the console before it powers off.
_INIT_TEXT = f"""#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox --install -s /bin
mount -t devtmpfs devtmpfs /dev
mkdir -p /tmp
mount -t tmpfs tmpfs /tmp
sleep 3
linux-bench run {_NAME} /{_BUILD} && echo bench: end
sleep 1
poweroff -f
"""
_BUILD_TEXT = f"""#!/bin/busybox sh
for source in /{_FOLDER}/*.i; do
    /{PROGRAM} -fpreprocessed -quiet -O2 $source -o /tmp/out.s || exit 1
done
"""


def rows(quick: bool) -> list[Row]:
    """Measure alone and beside FreeRTOS at 1 kHz; `quick` compiles one file."""
    with tempfile.TemporaryDirectory(prefix="cotenant-bench.") as folder:
        initrd = Path(folder) / "initramfs"
        initrd.write_bytes(_initramfs(quick))
        alone, beside = _measure(initrd), _measure(initrd, _RTOS)
    return [
        row("a build with a compiler, beside an RTOS at 1 kHz", "instructions", beside, alone),
        row("a build beside an RTOS at 1 kHz", "% added", (beside / alone - 1) * 100),
    ]


def _initramfs(quick: bool) -> bytes:
    """Return that of the benchmarked Linux with the compiler and the sources."""
    sources = linux_bench.sources(paths.ROOT)
    archive = Archive()
    archive.add_file(_INIT, _INIT_TEXT.encode(), 0o755)
    archive.add_file(_BUILD, _BUILD_TEXT.encode(), 0o755)
    for source in sources[: 1 if quick else _FILES]:
        text = programs.preprocess(source)
        archive.add_file(f"{_FOLDER}/{source.stem}.i", text, 0o644)
    compiler = images.resolve(COMPILER).read_bytes()
    found = append(images.resolve(linux_runs.INITRAMFS).read_bytes(), compiler)
    return append(found, archive.to_bytes())


def _measure(initrd: Path, *others: str) -> int:
    """Return the instructions of a build."""
    description = linux(
        memory=_MEMORY,
        initrd=str(initrd),
        arguments=f"{linux_runs.ARGUMENTS} rdinit=/{_INIT}",
        ready="^bench: end$|Kernel panic",
    )
    with running(system(description, *others), sstc=True) as session:
        session.wait_ready("linux")
        output = session.output("linux")
    found = dict(samples.parse(output, "a build in Linux"))
    if _NAME not in found:
        raise BenchError(f"the build in Linux did not come to its end: {output[-400:]!r}")
    return found[_NAME][1]
