# SPDX-License-Identifier: BSD-2-Clause
"""A running system that a program talks to.

    with Session(machine, [Port("linux", ready="cotenant: ready")]) as session:
        session.wait_ready("linux")
        exit_code, output = session.command("linux", "uname -m")

Every wait ends early, with an exception that says why, when what it waits for cannot come any
more. The wall-clock limit is the last resort against a machine that hangs: a slow or busy host
needs more time for the same result, never gives another result.
"""

import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from cotenant.control.server import ControlServer
from cotenant.errors import MachineEndedError, RunError, TenantEndedError, WaitTimeoutError
from cotenant.run.console import POLL_INTERVAL, Console
from cotenant.run.crash import Crash, crashes, last_words, symptoms
from cotenant.run.qemu import QEMU, Machine, QemuProcess
from cotenant.run.results import CommandResult, Stats, TenantStats, parse_stats
from cotenant.run.shell import LOGIN, PROMPT, ShellCommand, readable

DEFAULT_TIMEOUT = 600.0

_QUIT_TIMEOUT = 20.0
_SHOWN_OUTPUT = 400
_STARTED_STATES = frozenset({"running", "dormant", "stopped"})


@dataclass(frozen=True)
class Port:
    """A tenant as the session sees it; the order of ports is that of the bundle's tenants."""

    name: str
    ready: str | None = None
    """regular expression in its output that tells it is ready; None: when it was started"""
    autostart: bool = True
    """whether the monitor starts it at boot"""
    symbol: Callable[[int], str | None] = lambda _address: None
    """names an address in its image"""
    login: str | None = None
    """the user to log in, without a password; None: it has a shell at once"""
    prompt: str | None = None
    """what it prints when it takes a command; None: it has a shell"""


class Session:
    """Starts a machine on entry, kills it on exit whatever happened in between.

    A `timeout` argument is in wall-clock seconds; without it the session's own holds.
    """

    def __init__(
        self,
        machine: Machine,
        ports: Sequence[Port],
        *,
        log_dir: Path | None = None,
        follow: Callable[[str, str], None] | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        program: Sequence[str] = (QEMU,),
        socket: Path | None = None,
    ) -> None:
        """`socket`: where programs can ask the monitor, see `cotenant ctl`."""
        self.machine = machine
        self.timeout = timeout
        self._ports = {port.name: port for port in ports}
        self._log_dir = log_dir
        self._follow = follow
        self._program = program
        self._socket = socket
        self._server: ControlServer | None = None
        self._process: QemuProcess | None = None
        self._console: Console | None = None
        self._asking = threading.Lock()
        self._commands = 0
        self._logged_in: set[str] = set()
        self._at_prompt: set[str] = set()
        """tenants whose own prompt was seen, and nothing typed at it since"""

    # Starting and ending

    def start(self) -> Self:
        """Start QEMU. Raises RunError if that is not possible."""
        if self._log_dir:
            self._log_dir.mkdir(parents=True, exist_ok=True)
        self._process = QemuProcess(self.machine, self._program)
        self._console = Console(self._process, self.tenants, self._log_dir, self._follow)
        if self._socket:
            self._server = ControlServer(self._socket, self._console.control).start()
        return self

    def quit(self) -> int | None:
        """Ask the monitor to power the machine off; return QEMU's exit code, None if killed.

        A machine that cannot power itself off is killed at once.
        """
        if not self.machine.powers_off:
            self.kill()
            return None
        self.console.tell_monitor("quit")
        exit_code = self.process.wait(_QUIT_TIMEOUT)
        self.kill()
        return exit_code

    def wait_end(self, timeout: float | None = None) -> int:
        """Wait for the machine to power itself off; return QEMU's exit code."""
        limit = self._limit(timeout)
        exit_code = self.process.wait(limit)
        if exit_code is None:
            raise WaitTimeoutError(f"the machine did not power itself off within {limit:g} s")
        self.kill()
        return exit_code

    def kill(self) -> None:
        """End QEMU at once; what it wrote before is kept. Safe to call again."""
        self.process.kill()
        self.console.join()

    def close(self) -> None:
        """Kill QEMU and close the logs."""
        if self._server:
            self._server.close()
        self.kill()
        if self._log_dir:
            words = f"{' '.join(self.process.command)}\n{self.process.last_words()}\n"
            (self._log_dir / "qemu.log").write_text(words)
        self.process.close()
        self.console.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def process(self) -> QemuProcess:
        """QEMU's process. Raises RunError before `start`."""
        if self._process is None:
            raise RunError("the session has not been started")
        return self._process

    @property
    def console(self) -> Console:
        """The console line. Raises RunError before `start`."""
        if self._console is None:
            raise RunError("the session has not been started")
        return self._console

    # Tenants

    @property
    def tenants(self) -> list[str]:
        """The tenants' names, in the order of the bundle."""
        return list(self._ports)

    def starts_at_boot(self, tenant: str) -> bool:
        """Whether a tenant runs without being asked to."""
        return self._ports[tenant].autostart

    def send(self, tenant: str, data: bytes) -> None:
        """Type bytes into a tenant's UART; returns before they have arrived."""
        self.console.send(tenant, data)

    def output(self, tenant: str) -> str:
        """Return all that a tenant has printed, without carriage returns."""
        return self.console.output(tenant)

    def tells_ready(self, tenant: str) -> bool:
        """Whether a tenant prints something when it is ready."""
        return self._ports[tenant].ready is not None

    def wait_ready(self, tenant: str, timeout: float | None = None) -> None:
        """Wait until a tenant's output has its `ready` expression; without one: until it runs."""
        ready = self._ports[tenant].ready
        if ready is None:
            self._wait_started(tenant, self._limit(timeout))
        else:
            self.console.expect_first(tenant, ready, self._limit(timeout))

    def is_ready(self, tenant: str, stats: TenantStats) -> bool:
        """Tell whether a tenant was ready at any time so far, without waiting."""
        ready = self._ports[tenant].ready
        if ready is None:  # one that restarts may be stopping just now
            restarts = stats.starts > 0 and stats.state != "crashed"
            return restarts or stats.state in _STARTED_STATES
        return re.search(ready, self.output(tenant), re.MULTILINE) is not None

    def expect(self, tenant: str, pattern: str, timeout: float | None = None) -> re.Match[str]:
        """Wait for a regular expression (MULTILINE) behind what was expected before.

        It is tried whenever output comes: one that ends in a variable part has to name what
        follows, such as the line feed, or it may match half a number.
        """
        return self.console.expect(tenant, pattern, self._limit(timeout))

    def skip_output(self, tenant: str) -> None:
        """Let the next `expect` look only at what comes from now on."""
        self.console.skip_output(tenant)

    def command(self, tenant: str, command: str, timeout: float | None = None) -> tuple[int, str]:
        """Run a command in a tenant's shell; return its exit code and what it printed.

        Raises TenantEndedError when the tenant shut down instead.
        """
        result = self.run_command(tenant, command, timeout)
        if result.exit_code is None:
            raise TenantEndedError(
                f"tenant {tenant} ended in command {command!r}: {result.output!r}"
            )
        return result.exit_code, result.output

    def run_command(self, tenant: str, command: str, timeout: float | None = None) -> CommandResult:
        """As `command`; a command that ends the tenant has a result without an exit code.

        So has one of a tenant that has a prompt of its own.
        """
        prompt = self._ports[tenant].prompt
        if prompt is not None:
            return self._run_at_prompt(tenant, command, re.escape(prompt), timeout)
        self._commands += 1
        shell = ShellCommand(self._commands, command)
        self._wait_prompt(tenant, timeout)
        start = len(self.output(tenant))
        self.send(tenant, shell.typed())
        try:
            found = self.expect(tenant, shell.result_pattern(), timeout)
        except TenantEndedError:
            return CommandResult(command, None, self.output(tenant)[start:])
        except RunError as error:
            raise self._unfinished(error, tenant, command, start, timeout) from None
        return CommandResult(command, int(found["exit_code"]), found["output"])

    def _run_at_prompt(
        self, tenant: str, command: str, prompt: str, timeout: float | None
    ) -> CommandResult:
        """Type a line when a prompt is there; what comes up to the next prompt is its output."""
        if tenant not in self._at_prompt:
            self.expect(tenant, prompt, timeout)
        start = len(self.output(tenant))
        self._at_prompt.discard(tenant)
        self.send(tenant, f"{command}\r".encode())  # as the Enter key
        try:
            found = self.expect(tenant, rf"(?P<output>(?s:.*?)){prompt}", timeout)
        except TenantEndedError:
            return CommandResult(command, None, self.output(tenant)[start:])
        except RunError as error:
            raise self._unfinished(error, tenant, command, start, timeout) from None
        self._at_prompt.add(tenant)
        echoed, _, output = found["output"].partition("\n")
        return CommandResult(command, None, output if command in echoed else found["output"])

    def _unfinished(
        self, error: RunError, tenant: str, command: str, start: int, timeout: float | None
    ) -> RunError:
        """Say in words of the user's that a command did not end."""
        why = f"within {self._limit(timeout):g} s"
        if isinstance(error, MachineEndedError):
            why = "before the machine ended"
        said = readable(self.output(tenant)[start:])[-_SHOWN_OUTPUT:].strip()
        shown = f"it has printed {said!r}" if said else "it has printed nothing"
        return type(error)(f"tenant {tenant} did not finish {command!r} {why}; {shown}")

    def _wait_prompt(self, tenant: str, timeout: float | None) -> None:
        user = self._ports[tenant].login
        limit = self._limit(timeout)
        try:
            if user is None:
                self.expect(tenant, PROMPT, limit)
            elif tenant not in self._logged_in:
                # What told that it is ready may have been this very prompt.
                self.console.expect_first(tenant, LOGIN, limit)
                self._log_in(tenant, user, limit)
            elif self.expect(tenant, f"{PROMPT}|(?P<asks>{LOGIN})", limit)["asks"]:
                self._log_in(tenant, user, limit)
        except WaitTimeoutError as error:
            raise WaitTimeoutError(
                f"tenant {tenant} shows no shell prompt to take a command: {error}"
            ) from None

    def _log_in(self, tenant: str, user: str, limit: float) -> None:
        self.send(tenant, f"{user}\n".encode())
        self.expect(tenant, PROMPT, limit)
        self._logged_in.add(tenant)

    # The monitor

    @property
    def monitor_log(self) -> str:
        """All that the monitor has said."""
        return self.console.monitor_log

    def expect_monitor(self, pattern: str, timeout: float | None = None) -> re.Match[str]:
        """Wait for a regular expression anywhere in what the monitor says."""
        return self.console.expect_monitor(pattern, self._limit(timeout))

    def crashes(self) -> list[tuple[str, Crash]]:
        """Return all crashes so far, with their tenants."""
        return crashes(self.monitor_log, self._symbol)

    def _symbol(self, tenant: str, place: int) -> str | None:
        """Return the function at an address; None too for a guest, whose image the host knows."""
        port = self._ports.get(tenant)
        return None if port is None else port.symbol(place)

    def symptoms(self, tenant: str) -> tuple[str, ...]:
        """Return the signs that a tenant's image is not for where it runs."""
        return symptoms(self.monitor_log, tenant, self._symbol)

    def crash(self, tenant: str) -> Crash | None:
        """Return the last crash of a tenant: in its own words, if it could tell more of it."""
        found = dict(self.crashes()).get(tenant)
        if found is None or found.cause is not None:
            return found
        return last_words(self.output(tenant), self._ports[tenant].symbol) or found

    def wait_ended(self, tenant: str, timeout: float | None = None) -> None:
        """Wait until a tenant has shut down, crashed, or was stopped."""
        self.console.wait(lambda: self.console.has_ended(tenant) or None, self._limit(timeout))

    def stats(self, timeout: float | None = None) -> Stats:
        """Ask the monitor for its time and counters."""
        with self._asking:
            answer = self.console.ask_monitor("stats", "stats end", self._limit(timeout))
        return parse_stats(answer.splitlines())

    def last_stats(self) -> Stats:
        """Return the counters that the monitor told last, if it ever did."""
        *before, _ = self.monitor_log.split("stats end\n")
        return parse_stats(before[-1].splitlines()) if before else Stats()

    def control(self, command: str, timeout: float | None = None) -> CommandResult:
        """Give the monitor a command for a tenant, such as `restart linux`.

        The exit code is 0 if the monitor has begun to carry it out, 1 if it refused; the output is
        its answer. An unknown command or tenant has exit code 1, too.
        """
        if not re.fullmatch(r"[ -~]{1,60}", command):
            return CommandResult(command, 1, "a command is a line of at most 60 characters")
        with self._asking:
            words = re.escape(" ".join(command.split()[:2]))
            answer = rf"^monitor: (?:{words}: (?P<answer>.*)|(?P<other>no such .*|unknown .*))\n"
            start = len(self.monitor_log)
            self.console.tell_monitor(command)
            compiled = re.compile(answer, re.MULTILINE)
            found = self.console.wait(
                lambda: compiled.search(self.monitor_log, start), self._limit(timeout)
            )
        said = found["answer"] or found["other"]
        return CommandResult(command, 0 if said == "ok" else 1, said)

    def wait_state(self, tenant: str, state: str, timeout: float | None = None) -> TenantStats:
        """Wait until the monitor says that a tenant is in a state; return its counters then."""
        deadline = time.monotonic() + self._limit(timeout)
        while (stats := self.stats(timeout).tenants[tenant]).state != state:
            if time.monotonic() > deadline:
                raise WaitTimeoutError(f"tenant {tenant} is {stats.state} and did not get {state}")
            time.sleep(POLL_INTERVAL)
        return stats

    def run_for(
        self,
        seconds: float,
        timeout: float | None = None,
        until: Callable[[Stats], bool] | None = None,
    ) -> Stats:
        """Let the machine run for `seconds` of its own time, or until the counters satisfy `until`.

        Returns the last counters.
        """
        deadline = time.monotonic() + self._limit(timeout)
        stats = self.stats(timeout)
        end_ns = stats.time_ns + int(seconds * 1e9)
        while stats.time_ns < end_ns and not (until and until(stats)):
            if time.monotonic() > deadline:
                left = (end_ns - stats.time_ns) / 1e9
                raise WaitTimeoutError(f"{left:.1f} s of machine time were left when time was up")
            time.sleep(POLL_INTERVAL)
            stats = self.stats(timeout)
        return stats

    def _wait_started(self, tenant: str, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        while (state := self.stats(timeout).tenants[tenant].state) not in _STARTED_STATES:
            event = self.console.last_event(tenant)
            if event.startswith("shutdown"):
                return  # since the answer: it ran, and is done
            if self.console.has_ended(tenant):
                raise TenantEndedError(f"tenant {tenant} {event}")
            if time.monotonic() > deadline:
                raise WaitTimeoutError(
                    f"tenant {tenant} was not started within {timeout:g} s: {state}"
                )
            time.sleep(POLL_INTERVAL)

    def _limit(self, timeout: float | None) -> float:
        return self.timeout if timeout is None else timeout
