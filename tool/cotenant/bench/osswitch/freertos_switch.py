# SPDX-License-Identifier: BSD-2-Clause
"""OS switching between Linux and FreeRTOS, each way.

Linux' suspendcheck says in the machine's time when it asked for the suspend and when it was back;
FreeRTOS says when it left and when it came.
"""

import re
import tempfile
from pathlib import Path
from statistics import median

from cotenant import paths
from cotenant.bench.row import Row, row
from cotenant.bench.systems import running
from cotenant.errors import BenchError
from cotenant.run.session import Session

_EXAMPLE = paths.ROOT / "examples" / "switch-linux-freertos.toml"
_SOCKET = "../build/uart0.socket"
# One switch differs from another by about a tick of Linux' kernel (4 ms).
_ROUNDS = 16
_MS_PER_TICK = 1e-4
_LINUX = re.compile(r"^suspendcheck: round=\d+ \S+ began=(\d+) ended=(\d+)$", re.MULTILINE)
_FREERTOS = re.compile(r"^desk: turn=\d+ left=(\d+) came=(\d+)$", re.MULTILINE)


def rows() -> list[Row]:
    """Measure, and return both ways."""
    with tempfile.TemporaryDirectory(prefix="cotenant-bench.") as folder:
        description = _EXAMPLE.read_text(encoding="utf-8")
        description = description.replace(_SOCKET, str(Path(folder) / "uart"))
        with running(description, sstc=True) as session:
            session.wait_ready("linux")
            _switch(session)
            there, back = ways(session.output("linux"), session.output("freertos"))
    return [
        row("switch, Linux to FreeRTOS", "ms", there),
        row("switch, FreeRTOS to Linux", "ms", back),
    ]


def _switch(session: Session) -> None:
    session.send("linux", f"suspendcheck {_ROUNDS}; echo over $((40 + 2))\n".encode())
    for turn in range(1, _ROUNDS + 1):
        session.expect("freertos", rf"^desk: turn={turn} requests=\d+ errors=0$")
        session.control("switch linux")
    session.expect("linux", "^over 42$")


def ways(linux: str, freertos: str) -> tuple[float, float]:
    """Return how long it took from Linux to FreeRTOS, and back, in ms; medians.

    FreeRTOS begins its life at Linux' first suspend, and says at each turn after that when it left
    and when it came. Raises BenchError if not all switches were seen.
    """
    suspends = [tuple(map(int, found)) for found in _LINUX.findall(linux)]
    absences = [tuple(map(int, found)) for found in _FREERTOS.findall(freertos)]
    if len(suspends) < 2 or len(absences) != len(suspends) - 1:
        raise BenchError(f"not all switches were seen: {linux[-300:]!r} {freertos[-300:]!r}")
    there = [came - began for (began, _), (_, came) in zip(suspends[1:], absences, strict=True)]
    back = [ended - left for (_, ended), (left, _) in zip(suspends[:-1], absences, strict=True)]
    return median(there) * _MS_PER_TICK, median(back) * _MS_PER_TICK
