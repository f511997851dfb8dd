# SPDX-License-Identifier: BSD-2-Clause
"""Signals that ask a run to end, made into an exception, so that everything is cleaned up."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ENDING = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def ending_signals_raise() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise SystemExit in the main thread, which must be the caller."""

    def end(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    former = {number: signal.signal(number, end) for number in _ENDING}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
