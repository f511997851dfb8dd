# SPDX-License-Identifier: BSD-2-Clause
"""Shows on stderr how the fetching of images goes."""

from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
)


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
            DownloadColumn(),
            console=self._console,
            transient=True,
        )
        self._task: TaskID | None = None
        self._phrase = ""

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
        self._progress.stop()

    def report(self, phrase: str, done: int, expected: int) -> None:
        """Show what is going on, and how many bytes of how many are done (0 of 0: not counted)."""
        if phrase != self._phrase:
            self._phrase = phrase
            self._begin(phrase)
        if self._task is not None:
            self._progress.update(self._task, completed=done, total=expected or None)

    def _begin(self, phrase: str) -> None:
        if not self._console.is_terminal:
            self._console.print(f"images: {phrase}", markup=False, soft_wrap=True)
            return
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._progress.start()
        self._task = self._progress.add_task(phrase, total=None)
