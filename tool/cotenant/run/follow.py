# SPDX-License-Identifier: BSD-2-Clause
"""Showing what the tenants print while they run: line by line, each with its name and colour."""

import re

from rich.console import Console
from rich.text import Text

from cotenant.config import MONITOR_NAME
from cotenant.run.crash import Lookup, no_symbols, parse
from cotenant.run.shell import readable

_MESSAGE = "monitor: "
_COLOURS = ("cyan", "green", "magenta", "yellow", "blue", "red")
# Escape sequences and control characters of a tenant must not reach the user's terminal.
_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Follower:
    """Gets pieces of output and shows the lines that they complete, crashes in words too."""

    def __init__(self, tenants: list[str], console: Console, lookup: Lookup = no_symbols) -> None:
        self._lookup = lookup
        self._console = console
        self._width = max(map(len, tenants), default=0)
        self._colours = {
            name: _COLOURS[index % len(_COLOURS)] for index, name in enumerate(tenants)
        }
        self._started: dict[str, str] = {}

    def show(self, source: str, text: str) -> None:
        """Take output of a tenant or of the monitor, whose answers to us are not shown."""
        *lines, self._started[source] = (self._started.get(source, "") + text).split("\n")
        for line in lines:
            if source == MONITOR_NAME and not line.startswith(_MESSAGE):
                continue
            if (shown := readable(line)) or not line:  # the marks of a command are not shown
                self._print(source, shown)
            if source == MONITOR_NAME and (found := parse(line, self._lookup)):
                self._print(source, f"{_MESSAGE}that is: {found[1]}")

    def finish(self) -> None:
        """Show the lines that have not ended."""
        for source, line in self._started.items():
            if line:
                self._print(source, line)
        self._started.clear()

    def _print(self, source: str, line: str) -> None:
        shown = Text(f"{source:<{self._width}} | ", style=self._colours.get(source, "bold"))
        shown.append(_CONTROL.sub("", line), style="default")
        self._console.print(shown, soft_wrap=True)
