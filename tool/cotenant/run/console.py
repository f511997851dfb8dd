# SPDX-License-Identifier: BSD-2-Clause
"""The console line of a running machine: what came from every channel, and waiting for more."""

import re
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from cotenant.config import MONITOR_NAME
from cotenant.control.exchange import Exchange
from cotenant.errors import MachineEndedError, TenantEndedError, WaitTimeoutError
from cotenant.run.framing import (
    CHANNEL_CONTROL,
    CHANNEL_FIRST_TENANT,
    CHANNEL_MONITOR,
    Frame,
)
from cotenant.run.line import FramedLine
from cotenant.run.qemu import QemuProcess
from cotenant.run.transcript import Transcript

POLL_INTERVAL = 0.5
"""Wall-clock seconds between two looks at something that is not announced."""

# Output that a tenant made before its end may still be on its way when the monitor tells of it.
_LAST_OUTPUT_GRACE = 2.0
_SHOWN_OUTPUT = 400
_SHOWN_LINES = 4

Found = TypeVar("Found")


class Console:
    """Collects the output of the monitor and the tenants, and types into their consoles.

    A wait returns as soon as its answer is there, and raises as soon as none can come any more.
    `follow` gets the name and text of whatever comes, on the reader's thread.
    """

    def __init__(
        self,
        process: QemuProcess,
        tenants: Sequence[str],
        log_dir: Path | None = None,
        follow: Callable[[str, str], None] | None = None,
    ) -> None:
        self._process = process
        self._changed = threading.Condition()
        self._ended = False
        self._channels = {name: CHANNEL_FIRST_TENANT + index for index, name in enumerate(tenants)}
        self._follow = follow
        self._names = {CHANNEL_MONITOR: MONITOR_NAME} | {
            c: name for name, c in self._channels.items()
        }
        self._transcripts = {
            channel: Transcript(log_dir / f"{name}.log" if log_dir else None)
            for channel, name in self._names.items()
        }
        self.control = Exchange(lambda data: self._line.send(CHANNEL_CONTROL, data))
        """what programs ask of the monitor"""
        self._line = FramedLine(
            process.input.fileno(), process.output.fileno(), self._receive, self._end
        )
        self._line.start()

    # Typing and reading

    def send(self, tenant: str, data: bytes) -> None:
        """Type bytes into a tenant's UART; returns before they have arrived."""
        self._line.send(self._channels[tenant], data)

    def tell_monitor(self, command: str) -> None:
        """Give the monitor a one-line command."""
        self._line.send(CHANNEL_MONITOR, f"{command}\n".encode())

    def output(self, tenant: str) -> str:
        """Return all that a tenant has printed, without carriage returns."""
        with self._changed:
            return self._transcripts[self._channels[tenant]].text

    def skip_output(self, tenant: str) -> None:
        """Let the next `expect` look only at what comes from now on."""
        with self._changed:
            self._transcripts[self._channels[tenant]].skip()

    @property
    def monitor_log(self) -> str:
        """All that the monitor has said."""
        with self._changed:
            return self._transcripts[CHANNEL_MONITOR].text

    @property
    def noise(self) -> str:
        """Bytes on the line that belonged to no frame."""
        return self._line.decoder.noise.decode(errors="replace")

    @property
    def ended(self) -> bool:
        """Whether the machine has closed the line."""
        with self._changed:
            return self._ended

    def last_event(self, tenant: str) -> str:
        """Return what the monitor told last about a tenant: `shutdown`, `crashed: ...`, or ''."""
        pattern = rf"^monitor: tenant {re.escape(tenant)}: (.*)\n"
        events = re.findall(pattern, self.monitor_log, re.MULTILINE)
        return str(events[-1]) if events else ""

    def has_ended(self, tenant: str) -> bool:
        """Whether the monitor told that a tenant will not go on by itself."""
        event = self.last_event(tenant)
        return event.startswith(("shutdown", "stopped", "crashed")) or event.endswith("; stopped")

    # Waiting

    def expect(self, tenant: str, pattern: str, timeout: float) -> re.Match[str]:
        """Wait for a regular expression (MULTILINE) behind what was expected before."""
        compiled = re.compile(pattern, re.MULTILINE)
        transcript = self._transcripts[self._channels[tenant]]
        return self._wait_output(tenant, lambda: transcript.find(compiled), pattern, timeout)

    def expect_first(self, tenant: str, pattern: str, timeout: float) -> re.Match[str]:
        """Wait for the first place of a regular expression (MULTILINE) in all of the output."""
        compiled = re.compile(pattern, re.MULTILINE)
        transcript = self._transcripts[self._channels[tenant]]
        return self._wait_output(tenant, lambda: transcript.find_first(compiled), pattern, timeout)

    def ask_monitor(self, command: str, end: str, timeout: float) -> str:
        """Give the monitor a command and return its answer, up to the line `end`."""
        start = len(self.monitor_log)
        self.tell_monitor(command)
        pattern = re.compile(rf"^{re.escape(end)}\n", re.MULTILINE)
        try:
            found = self.wait(lambda: pattern.search(self.monitor_log, start), timeout)
        except MachineEndedError as error:
            raise MachineEndedError(f"the monitor could tell no counters: {error}") from None
        except WaitTimeoutError as error:
            raise WaitTimeoutError(f"the monitor told no counters {error}") from None
        return found.string[start : found.start()]

    def expect_monitor(self, pattern: str, timeout: float) -> re.Match[str]:
        """Wait for a regular expression (MULTILINE) anywhere in what the monitor says."""
        compiled = re.compile(pattern, re.MULTILINE)
        try:
            return self.wait(lambda: compiled.search(self.monitor_log), timeout)
        except MachineEndedError as error:
            raise MachineEndedError(f"the monitor did not say {pattern!r}: {error}") from None
        except WaitTimeoutError as error:
            said = self.monitor_log[-_SHOWN_OUTPUT:]
            raise WaitTimeoutError(
                f"the monitor did not say {pattern!r} {error}, but {said!r}"
            ) from None

    def wait(self, find: Callable[[], Found | None], timeout: float) -> Found:
        """Wait up to `timeout` wall-clock seconds until `find` finds something."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while True:
                ended = self._ended
                found = find()
                if found is not None:
                    return found
                if ended:
                    raise MachineEndedError(self._why_machine_ended())
                left = deadline - time.monotonic()
                if left <= 0:
                    raise WaitTimeoutError(f"within {timeout:g} s")
                self._changed.wait(min(left, POLL_INTERVAL))

    def _wait_output(
        self, tenant: str, find: Callable[[], Found | None], pattern: str, timeout: float
    ) -> Found:
        ended_at: float | None = None

        def look() -> Found | None:
            nonlocal ended_at
            found = find()
            if found is None and self.has_ended(tenant):
                ended_at = ended_at or time.monotonic()
                if time.monotonic() - ended_at >= _LAST_OUTPUT_GRACE:
                    raise TenantEndedError(self.last_event(tenant))
            return found

        try:
            return self.wait(look, timeout)
        except (MachineEndedError, TenantEndedError, WaitTimeoutError) as error:
            shown = self.output(tenant)[-_SHOWN_OUTPUT:]
            raise type(error)(
                f"tenant {tenant} did not print {pattern!r}: {error}; its last output is {shown!r}"
            ) from None

    def _why_machine_ended(self) -> str:
        told = [line for line in self.monitor_log.splitlines() if line.startswith("monitor: ")]
        said = "; ".join(told[-_SHOWN_LINES:]) or self.noise[-_SHOWN_OUTPUT:].strip()
        reasons = [part for part in (self._process.last_words(), said) if part]
        return "the machine ended; " + ("; ".join(reasons) or "it said nothing")

    # The reader's thread

    def _receive(self, frames: list[Frame]) -> None:
        for frame in frames:
            if frame.channel == CHANNEL_CONTROL:
                self.control.feed(frame.payload)
        with self._changed:
            for frame in frames:
                if transcript := self._transcripts.get(frame.channel):
                    text = transcript.append(frame.payload)
                    if self._follow:
                        self._follow(self._names[frame.channel], text)
            self._changed.notify_all()

    def _end(self) -> None:
        self.control.close()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def join(self) -> None:
        """Wait until all output has been read. The process must be gone."""
        self._line.join()

    def close(self) -> None:
        """Close the log files."""
        for transcript in self._transcripts.values():
            transcript.close()
