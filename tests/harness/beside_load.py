# SPDX-License-Identifier: BSD-2-Clause
"""Runs every check and test several times on a busy machine: `make test-loaded`.

    make test-loaded              five times
    make test-loaded TIMES=1      once

A program that computes runs for each processor meanwhile, and one that writes to the disk. What
fails then, or passes only when it runs once more, depends on the machine, and is to be mended. The
last lines tell of each run: its total, and the tests that needed a second one.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "build" / "load"
# What a quiet machine does in half an hour.
MINUTES = 180
SECOND_RUN = "needed a second run: "
_COMPUTE = "while True: pass"
_WRITE = """
import os, sys
piece = os.urandom(1 << 20)
while True:
    with open(sys.argv[1], "wb") as file:
        for _ in range(64):
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
"""


@dataclass(frozen=True)
class Run:
    """What became of one run: its last line, and the tests that needed a second run."""

    passed: bool
    total: str
    second_run: str


@contextmanager
def load() -> Iterator[None]:
    """Keep the processors and the disk busy."""
    FILE.parent.mkdir(parents=True, exist_ok=True)
    programs = [("-c", _COMPUTE)] * (os.cpu_count() or 1) + [("-c", _WRITE, str(FILE))]
    with ExitStack() as stack:
        stack.callback(FILE.unlink, missing_ok=True)
        for each in programs:
            process = stack.enter_context(subprocess.Popen([sys.executable, *each]))
            stack.callback(process.kill)
        yield


def run(command: Sequence[str]) -> Run:
    """Run a command that prints what `tests/run.py` does, which is shown as it comes."""
    second_run, last = "", ""
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, errors="replace"
    ) as process:
        for line in process.stdout or ():
            sys.stdout.write(line)
            sys.stdout.flush()
            last = line.strip() or last
            if line.startswith(SECOND_RUN):
                second_run = line.removeprefix(SECOND_RUN).strip()
    return Run(process.returncode == 0, last, second_run)


def main() -> int:
    """Run all of it so many times; 0 if nothing failed in any, and nothing ran a second time."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=5)
    times: int = parser.parse_args().times
    command = [sys.executable, str(ROOT / "tests" / "run.py"), f"--minutes={MINUTES}"]
    with load():
        runs = [run(command) for _ in range(times)]
    sys.stdout.write(f"\n=== {times} runs beside load\n")
    for number, each in enumerate(runs, 1):
        again = f"; {SECOND_RUN}{each.second_run}" if each.second_run else ""
        sys.stdout.write(f"run {number}: {each.total}{again}\n")
    return 0 if all(each.passed and not each.second_run for each in runs) else 1


if __name__ == "__main__":
    sys.exit(main())
