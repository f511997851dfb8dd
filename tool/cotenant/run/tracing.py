# SPDX-License-Identifier: BSD-2-Clause
"""A batch run whose end is that the memory of the trace is read."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from cotenant.errors import RunError
from cotenant.run import memory, qmp
from cotenant.run.batch import BatchRun, Plan
from cotenant.run.launch import Launch
from cotenant.run.results import RunResult
from cotenant.run.session import Session


def run(
    launch: Launch,
    plan: Plan,
    icount: int | None,
    extra: tuple[str, ...],
    report: Callable[[str], None],
) -> tuple[RunResult, bytes]:
    """Carry out a plan; return its outcome and the rings. The system must have a trace."""
    area = launch.built.system.trace
    with TemporaryDirectory(prefix="cotenant-") as folder:
        socket = Path(folder) / "qmp"
        machine = launch.machine(icount, (*extra, *qmp.arguments(socket)))
        rings: list[bytes] = []

        def inspect() -> None:
            report("reading the trace")
            rings.append(memory.read(socket, area.base, area.size))

        result = BatchRun(Session(machine, launch.ports), plan, report, inspect).run()
    if not rings:
        why = result.problem or "all tenants shut down, and it powered itself off"
        raise RunError(f"the machine ended before its trace could be read: {why}")
    return result, rings[0]
