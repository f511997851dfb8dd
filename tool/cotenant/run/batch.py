# SPDX-License-Identifier: BSD-2-Clause
"""A run without a user: wait until all tenants are ready, type commands, let time pass, report."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from cotenant.config import MONITOR_NAME
from cotenant.errors import MachineEndedError, RunError, TenantEndedError, WaitTimeoutError
from cotenant.run.results import CommandResult, RunResult, Stats, TenantResult, TenantStats
from cotenant.run.session import Session


@dataclass(frozen=True)
class Send:
    """A command for a tenant's shell, or for the monitor, such as `restart linux`."""

    tenant: str
    command: str


@dataclass(frozen=True)
class Plan:
    """What a batch run does."""

    sends: Sequence[Send] = ()
    seconds: float = 0.0
    """machine time to run after the last command"""
    keep_going: bool = False
    """do the rest of the plan even if something went wrong"""
    timeout: float = 600.0
    """wall-clock seconds for everything: the last resort"""
    to_the_end: bool = False
    """wait for the end of those that do not tell when they are ready"""


class BatchRun:
    """Carries out a plan in a session; `report` gets a line for each step.

    The monitor is asked for its counters at the end; if the machine has ended by then, the last
    counters known are taken, with the states that the monitor told of. `inspect` is called once
    after that, unless the machine has ended.
    """

    def __init__(
        self,
        session: Session,
        plan: Plan,
        report: Callable[[str], None],
        inspect: Callable[[], None] | None = None,
    ) -> None:
        self._session = session
        self._plan = plan
        self._report = report
        self._inspect = inspect
        self._deadline = time.monotonic() + plan.timeout
        self._commands: dict[str, list[CommandResult]] = {name: [] for name in session.tenants}
        self._stats = Stats()
        self._problem: str | None = None
        self._end: str | None = None
        """what waited for a tenant that ended; of use where the tenant's own result says nothing"""

    def run(self) -> RunResult:
        """Start the session, carry out the plan, end the session; return the outcome."""
        for send in self._plan.sends:
            if send.tenant not in (*self._session.tenants, MONITOR_NAME):
                known = ", ".join(self._session.tenants)
                raise RunError(f"there is no tenant {send.tenant}: this system has {known}")
        with self._session as session:
            started = [name for name in session.tenants if session.starts_at_boot(name)]
            steps: list[Callable[[], None]] = [
                *(partial(self._wait_ready, name) for name in started),
                *(partial(self._send, send) for send in self._plan.sends),
                self._let_time_pass,
                *(partial(self._wait_end, name) for name in started if self._is_waited_for(name)),
            ]
            if all(self._attempt(step) for step in steps) or not session.console.ended:
                self._attempt(self._ask_stats)
            if not session.console.ended:
                if self._inspect:
                    self._inspect()
                session.quit()
            return self._result()

    def _attempt(self, step: Callable[[], None]) -> bool:
        """Do a step; tell whether to go on. The first problem is the one to report."""
        try:
            step()
        except MachineEndedError as error:
            if not self._all_ended():
                self._problem = self._problem or str(error)
            self._stats = self._session.last_stats()
            return False
        except TenantEndedError as error:
            self._end = self._end or str(error)
            return self._plan.keep_going
        except RunError as error:
            self._problem = self._problem or str(error)
            return self._plan.keep_going
        return True

    def _wait_ready(self, tenant: str) -> None:
        self._report(f"waiting for {tenant} to be ready")
        self._session.wait_ready(tenant, self._left())

    def _send(self, send: Send) -> None:
        self._report(f"{send.tenant}: {send.command}")
        if send.tenant == MONITOR_NAME:
            answer = self._session.control(send.command, self._left())
            if answer.exit_code != 0:
                raise RunError(f"the monitor did not {send.command!r}: {answer.output}")
            verb, _, name = send.command.partition(" ")
            if verb == "switch":  # what comes next is for the one that was asked for
                self._session.wait_state(name, "running", self._left())
                self._wait_ready(name)
            return
        result = self._session.run_command(send.tenant, send.command, self._left())
        self._commands[send.tenant].append(result)

    def _let_time_pass(self) -> None:
        self._report(f"running for {self._plan.seconds:g} s of the machine's time")
        until = None if self._plan.keep_going else _any_crashed
        self._stats = self._session.run_for(self._plan.seconds, self._left(), until)

    def _is_waited_for(self, tenant: str) -> bool:
        return self._plan.to_the_end and not self._session.tells_ready(tenant)

    def _wait_end(self, tenant: str) -> None:
        self._report(f"waiting for {tenant} to end: it has no `ready`, and --for was not given")
        try:
            self._session.wait_ended(tenant, self._left())
        except WaitTimeoutError as error:
            raise WaitTimeoutError(
                f"tenant {tenant} did not end {error}: it has no `ready` to tell that it is up; "
                "give that, or a time with --for"
            ) from None

    def _ask_stats(self) -> None:
        self._stats = self._session.stats(min(self._left(), 20.0))

    def _left(self) -> float:
        return max(1.0, self._deadline - time.monotonic())

    def _all_ended(self) -> bool:
        """Tell whether each tenant shut down, with success or not: then the machine does, too."""
        console = self._session.console
        return all(
            console.last_event(name).startswith("shutdown") or self._ended_itself(name)
            for name in self._session.tenants
        )

    def _ended_itself(self, tenant: str) -> bool:
        crash = self._session.crash(tenant)
        return crash is not None and crash.by_itself

    def _result(self) -> RunResult:
        tenants = {}
        for name in self._session.tenants:
            stats = self._final_stats(name)
            ready = self._session.is_ready(name, stats)
            output = self._session.output(name)
            expected = self._session.starts_at_boot(name)
            crash = self._session.crash(name)
            commands = self._commands[name]
            signs = self._session.symptoms(name)
            tenants[name] = TenantResult(stats, ready, output, commands, expected, crash, signs)
        counted = self._session.machine.icount is not None
        explained = any(tenant.failure() for tenant in tenants.values())
        problem = self._problem or (None if explained else self._end)
        return RunResult(tenants, self._stats.time_ns, problem, counted)

    def _final_stats(self, tenant: str) -> TenantStats:
        stats = self._stats.tenants.get(tenant, TenantStats())
        event = self._session.console.last_event(tenant)
        if event.startswith("crashed"):
            return replace(stats, state="crashed")
        return replace(stats, state="stopped") if event.startswith("shutdown") else stats


def _any_crashed(stats: Stats) -> bool:
    return any(tenant.state == "crashed" for tenant in stats.tenants.values())
