# SPDX-License-Identifier: BSD-2-Clause
"""A command typed at a shell prompt over a console, so that its output and exit code come back."""

import re
import shlex

from cotenant.errors import RunError

PROMPT = r"[#$] "
"""the end of what a shell prints before it reads a command"""

LOGIN = r"(?<!Last )login: "
"""what asks for a user; "Last login: " is said to one who has logged in"""

# What a terminal in line mode and busybox's editor both take.
_LONGEST_LINE = 1000


# What is typed around a command, and the marks that it leaves.
_AROUND = re.compile(
    r"echo __cote\'\'nant_\d+_begin; sh -c |;\s*echo __cote\'\'nant_\d+_end=\$\?"
    r"|^__cotenant_\d+_(?:begin|end=\d+)\n?",
    re.MULTILINE,
)


# What a kernel says on its console, which may come in the middle of a line.
_KERNEL = r"(?:\[ *\d+\.\d+\] [^\n]*\n)*"


def _mark(text: str) -> str:
    """Return the expression of a mark whose bytes a kernel may have parted."""
    return _KERNEL.join(map(re.escape, text))


def readable(text: str) -> str:
    """Return what a tenant printed without what frames commands."""
    return _AROUND.sub("", text)


class ShellCommand:
    """One command: what to type and how to find its result.

    It runs in a shell of its own (`sh -c`), so that neither `exit` nor an open quote in it can
    take the console's shell away. Two marks frame its output. They are typed with quotes inside,
    which the shell removes, so the terminal's echo of the line never looks like a mark.
    """

    def __init__(self, number: int, command: str) -> None:
        self._number = number
        self._command = command
        self._line = (
            f"echo __cote''nant_{number}_begin; sh -c {shlex.quote(command)};"
            f" echo __cote''nant_{number}_end=$?"
        )
        if any(character < " " for character in command):
            raise RunError(f"command {command!r} has a line break or control character in it")
        if len(self._line.encode()) > _LONGEST_LINE:
            raise RunError(f"command {command[:40]!r}... is too long to be typed in one line")

    def typed(self) -> bytes:
        """Return what to type."""
        return f"{self._line}\n".encode()

    def result_pattern(self) -> str:
        """Return the expression whose groups are the `output` and the `exit_code`."""
        begin = _mark(f"__cotenant_{self._number}_begin\n")
        end = _mark(f"__cotenant_{self._number}_end=")
        code = rf"{_KERNEL}(?P<exit_code>\d+){_KERNEL}\n"
        return rf"{begin}(?P<output>(?s:.*?)){end}{code}"
