# SPDX-License-Identifier: BSD-2-Clause
"""What a long run is at, for people: on a terminal one line that changes, elsewhere nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape


@contextmanager
def steps(console: Console, first: str = "starting") -> Iterator[Callable[[str], None]]:
    """Give a function that shows a step until the next one.

    The line is gone at the end. A file or a pipe gets none of it, not even an empty line.
    """
    if not console.is_terminal:
        yield lambda _step: None
        return
    with console.status(escape(first)) as status:
        yield lambda step: status.update(escape(step))
