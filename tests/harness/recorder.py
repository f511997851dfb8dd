# SPDX-License-Identifier: BSD-2-Clause
"""A pytest plugin: begins with the longest tests, and records what becomes of each test.

    pytest -p recorder --record FILE ...

The order is for several workers, who take one test after another: when the long ones come first,
all workers end at about the same time.
"""

import json
from pathlib import Path

import durations
import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that names the record."""
    parser.addoption("--record", type=Path, help="write what becomes of each test into this file")


def pytest_configure(config: pytest.Config) -> None:
    """Begin a record, in the process that hears of all tests: not in a worker of xdist."""
    file = config.getoption("record")
    if file and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(file))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest tests first, in the same order in all workers."""
    known = durations.known()
    items.sort(key=lambda item: -durations.estimate(item.nodeid, known))


class Recorder:
    """Appends to the record as the session goes on."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._file.write_text("", encoding="utf-8")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note which tests there are."""
        self._append(collected=[item.nodeid for item in session.items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Note which tests a worker has found: all workers find the same."""
        self._append(collected=list(ids))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file that could not be collected."""
        if report.failed:
            self._append(uncollectable=[report.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the end of a phase of a test, or that its worker crashed."""
        self._append(
            test=report.nodeid,
            when=report.when,
            outcome=report.outcome,
            seconds=report.duration,
        )

    def _append(self, **entry: object) -> None:
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
