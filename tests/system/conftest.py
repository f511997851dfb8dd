# SPDX-License-Identifier: BSD-2-Clause
"""Building and booting systems under QEMU; what a failing test's tenants printed is kept."""

import contextlib
import shutil
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from systems import LONG_WAIT, Boot, Build, is_endured, is_long

from cotenant import paths
from cotenant.errors import RunError
from cotenant.run import qmp
from cotenant.run.launch import Launch, prepare
from cotenant.run.session import DEFAULT_TIMEOUT, Session

LOGS = paths.BUILD / "logs"

_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note whether a test failed, for the fixtures that clean up after it."""
    report = yield
    if report.failed:
        item.stash[_FAILED] = True
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests in their long form the time that they need."""
    if is_long() and not is_endured():
        for item in items:
            if item.get_closest_marker("long_form"):
                item.add_marker(pytest.mark.timeout(LONG_WAIT))


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Return a function that builds a system from the text or the path of its description."""
    built: list[Launch] = []

    def build_system(description: str | Path, sstc: bool | None = None) -> Launch:
        file = description
        if isinstance(description, str):
            file = tmp_path / f"system{len(built)}.toml"
            file.write_text(description)
        output = tmp_path / f"bundle{len(built)}.bin"
        built.append(prepare(Path(file), output, console_mode="framed", sstc=sstc))
        return built[-1]

    return build_system


def keep_registers(session: Session, logs: Path) -> None:
    """Write down the registers of all harts twice: a machine may hang only now and then."""
    registers = ("human-monitor-command", {"command-line": "info registers -a"})
    if session.machine.qmp is not None:
        with contextlib.suppress(RunError):  # it has ended
            answers = qmp.execute(session.machine.qmp, registers, registers)
            (logs / "registers.log").write_text("\n".join(map(str, answers)))


@pytest.fixture
def boot(build: Build, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Boot]:
    """Return a function that boots a system and gives its session, which ends with the test.

    The logs of a failing test stay in build/logs/TEST, with the registers of the harts if the
    machine cannot be run again as it was.
    """
    logs = LOGS / request.node.nodeid.split("::", 1)[-1].replace("/", "_")
    shutil.rmtree(logs, ignore_errors=True)
    sessions: list[Session] = []

    def boot_system(
        description: str | Path | Launch,
        *,
        icount: int | None = None,
        sstc: bool | None = None,
        extra: tuple[str, ...] = (),
        timeout: float = DEFAULT_TIMEOUT,
    ) -> Session:
        launch = description if isinstance(description, Launch) else build(description, sstc)
        machine = launch.machine(icount=icount, extra=extra)
        if icount is None:
            machine = replace(machine, qmp=tmp_path / f"qmp{len(sessions)}")
        log_dir = logs / str(len(sessions))
        session = Session(machine, launch.ports, log_dir=log_dir, timeout=timeout)
        sessions.append(session)
        return session.start()

    try:
        yield boot_system
    finally:
        failed = request.node.stash.get(_FAILED, False)
        for number, session in enumerate(sessions):
            if failed:
                keep_registers(session, logs / str(number))
            session.close()
        if not failed:
            shutil.rmtree(logs, ignore_errors=True)
