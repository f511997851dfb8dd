# SPDX-License-Identifier: BSD-2-Clause
"""dbench in a host and in its guest: their disks, and what it says of its clients."""

import re
import subprocess
from pathlib import Path

import pytest

from cotenant.bench.papers import dbench
from cotenant.errors import BenchError


def _moment(now: int, idle: int) -> str:
    times = f"now at {now} nsecs\n .idle_sleeptime : {idle} nsecs\n .iowait_sleeptime : 0 nsecs\n"
    return f"dbench: now\n{times}"


def test_what_dbench_takes_is_between_its_two_ends() -> None:
    over = "dbench: client over\n" * 3
    said = f"{over}{_moment(1000, 100)}{over}{_moment(5000, 1100)}"
    assert dbench.busy(said, 3) == 3000
    with pytest.raises(BenchError, match="6 times, of 8"):
        dbench.busy(said, 4)


def test_no_kernel_completes_its_file_system_while_dbench_runs(tmp_path: Path) -> None:
    disk = dbench._disk(tmp_path)
    for file in (disk, disk.with_name("inside") / "guest.ext4"):
        command: list[str | Path] = ["/sbin/dumpe2fs", file]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        groups = re.findall(r"^Group \d+: .*", said, re.MULTILINE)
        assert len(groups) >= 4
        assert all("ITABLE_ZEROED" in group for group in groups)
