# SPDX-License-Identifier: BSD-2-Clause
"""A pace that people can follow for a machine whose time is counted in instructions.

Counted time passes as fast as QEMU executes, and idle time in no time at all: an idle system would
run hours ahead of its user. A machine that is ahead of the host's clock is frozen, as a whole and
between two instructions, until that has caught up. Of this nothing shows in the machine's own time:
what it measures is what it measures unpaced. A host that is too slow makes the machine's time pass
more slowly; it does not run faster afterwards to make up for that.
"""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from qemu.qmp import QMPClient, QMPError

from cotenant.run import qmp

# Seconds. By more than this the machine's time does not leap when all harts wait, so that a key
# that is typed meanwhile is not taken late.
LONGEST_LEAP = 0.02
# How far ahead or behind the host's clock the machine may be.
_TOLERANCE = 0.02
_LONGEST_FREEZE = 0.1
_NAME = "pace"
# What QEMU remarks about the network below, twice.
REMARK = f" {_NAME} has no peer"


@dataclass(frozen=True)
class Pace:
    """How the time of a machine is asked for."""

    socket: Path
    """where QEMU is to listen for us"""
    mtime: int
    """physical address of the machine's clock"""
    timebase: int
    """its ticks in a second"""

    def arguments(self) -> list[str]:
        """Return QEMU's arguments.

        The network is connected to nothing: its filter has a timer in the machine's time, which
        bounds the leaps. The machine waits for the pacer: until that looks, idle hours could pass.
        """
        interval = int(LONGEST_LEAP * 1e6)
        return [
            "-S",
            *qmp.arguments(self.socket),
            *("-netdev", f"hubport,id={_NAME},hubid=9999"),
            *("-object", f"filter-buffer,id={_NAME}-timer,netdev={_NAME},interval={interval}"),
        ]


class Pacer:
    """Keeps a QEMU process at the pace of the host's clock while the context lasts."""

    def __init__(self, pid: int, pace: Pace) -> None:
        self._pid = pid
        self._pace = pace
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        # A machine that ends, or never listens, is for others to report.
        with suppress(QMPError, OSError, EOFError):
            asyncio.run(self._keep())

    async def _keep(self) -> None:
        client = QMPClient("cotenant-pace")
        await self._connect(client)
        try:
            start = time.monotonic() - await self._machine_time(client)
            await client.execute("cont")
            while not self._over.is_set():
                start = keep_step(
                    await self._machine_time(client), start, time.monotonic, self._freeze
                )
                await asyncio.sleep(_TOLERANCE / 4)
        finally:
            await client.disconnect()

    async def _connect(self, client: QMPClient) -> None:
        while not self._pace.socket.exists() and not self._over.is_set():
            await asyncio.sleep(_TOLERANCE)
        await client.connect(str(self._pace.socket))

    async def _machine_time(self, client: QMPClient) -> float:
        """Return the machine's time in seconds: its clock is read as a hart would read it."""
        command = {"command-line": f"xp /1gx {self._pace.mtime:#x}"}
        answer = await client.execute("human-monitor-command", command)
        return int(str(answer).split(":")[1], 16) / self._pace.timebase

    def _freeze(self, seconds: float) -> None:
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGSTOP)
            try:
                self._over.wait(seconds)
            finally:
                os.kill(self._pid, signal.SIGCONT)


def keep_step(
    machine_time: float,
    start: float,
    clock: Callable[[], float],
    freeze: Callable[[float], None],
) -> float:
    """Freeze a machine that is ahead; return the moment of the host's at which its time was 0.

    `start` is what the step before returned. For a machine that is behind it is a later moment.
    """
    ahead = start + machine_time - clock()
    if ahead > _TOLERANCE:
        freeze(min(ahead, _LONGEST_FREEZE))
    elif ahead < -_TOLERANCE:
        return start - ahead
    return start
