# SPDX-License-Identifier: BSD-2-Clause
"""What to try next, told once at the terminal: when the tenant at the keyboard is ready."""

import re

_MOST_KEPT = 4096


class Tour:
    """Watches what is shown, and puts a few lines behind the one that tells of being ready."""

    def __init__(self, ready: str | None, lines: list[str]) -> None:
        self._ready = None if ready is None else re.compile(ready, re.MULTILINE)
        self._lines = "".join(f"{line}\r\n" for line in lines).encode()
        self._seen = ""
        self._waits_for_line_end = False

    def add(self, shown: bytes) -> bytes:
        """Take what is about to be shown; return it, with the lines if this is their place."""
        if self._ready is None:
            return shown
        before = len(self._seen)
        # One character for each byte, so that places in the text are places in the bytes.
        self._seen += shown.decode("latin-1")
        start = 0
        if not self._waits_for_line_end:
            found = self._ready.search(self._seen.replace("\r", " "))
            if found is None:
                self._seen = self._seen[-_MOST_KEPT:]
                return shown
            self._waits_for_line_end = True
            start = max(0, found.end() - before)
        end = shown.find(b"\n", start)
        if end < 0:
            self._seen = ""
            return shown
        self._ready = None
        return shown[: end + 1] + self._lines + shown[end + 1 :]


def lines_for(escape: str, program: str, file: str) -> list[str]:
    """Return the three things to try."""
    told = {
        f"{escape} l": "what each tenant has used",
        f"{program} ctl top": "the same live, from another terminal",
        f"{program} trace {file}": "what happens on each hart, as a picture",
    }
    width = max(map(len, told))
    beginnings = ("Try: ", *("     ",) * len(told))
    return [
        f"{begin}{what:<{width}}  {why}"
        for begin, (what, why) in zip(beginnings, told.items(), strict=False)
    ]
