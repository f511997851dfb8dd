# SPDX-License-Identifier: BSD-2-Clause
"""Shows on stderr how the fetching of images goes."""

from types import TracebackType

from rich.console import Console
from rich.filesize import decimal
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

# No package has fewer bytes, and no system more packages.
_LEAST_BYTES = 5000
_LINES_OF_A_LOG = 8


class _Amount(ProgressColumn):
    """How much is done: of packages their number, of a download its size."""

    def render(self, task: Task) -> Text:
        if not task.total:
            return Text("")
        if task.total < _LEAST_BYTES:
            return Text(f"{task.completed:.0f} of {task.total:.0f}")
        return Text(f"{decimal(int(task.completed))} of {decimal(int(task.total))}")


class ProgressDisplay:
    """A bar for what is going on now, on a terminal; else one line for each new thing.

    Nothing appears until the first report: an image that is there makes no noise.
    """

    def __init__(self) -> None:
        """Prepare; the display starts with the first report."""
        self._console = Console(stderr=True, highlight=False)
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            _Amount(),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
        )
        self._task: TaskID | None = None
        self._phrase = ""
        self._told = 0

    def __enter__(self) -> "ProgressDisplay":
        """Begin a display."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leave the terminal as it was found."""
        if self._task is not None:  # else it would leave an empty line
            self._progress.stop()

    def report(self, phrase: str, done: int, expected: int) -> None:
        """Show what is going on, and how many bytes of how many are done (0 of 0: not counted)."""
        if phrase != self._phrase:
            self._phrase = phrase
            self._begin(phrase)
            self._told = 0
        if self._task is None and 0 < expected < _LEAST_BYTES:
            self._tell_log(done, expected)
        if self._task is not None:
            self._progress.update(self._task, completed=done, total=expected or None)

    def _tell_log(self, done: int, expected: int) -> None:
        """Say in a log some of the steps of something that takes long."""
        part = done * _LINES_OF_A_LOG // expected
        if part > self._told:
            self._told = part
            self._console.print(
                f"images: {self._phrase}: {done} of {expected}", markup=False, soft_wrap=True
            )

    def _begin(self, phrase: str) -> None:
        if not self._console.is_terminal:
            self._console.print(f"images: {phrase}", markup=False, soft_wrap=True)
            return
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._progress.start()
        self._task = self._progress.add_task(phrase, total=None)
