# SPDX-License-Identifier: BSD-2-Clause
"""What came out of one channel of the console line."""

import codecs
import re
from pathlib import Path


class Transcript:
    """A channel's output as text, a place up to which it was dealt with, and its log file.

    The text lacks the carriage returns that terminals want; the log file has every byte.
    """

    def __init__(self, log: Path | None = None) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""
        self._fresh: list[str] = []
        self._place = 0
        self._log = log.open("wb", buffering=0) if log else None

    @property
    def text(self) -> str:
        """All of the output so far."""
        if self._fresh:
            self._text += "".join(self._fresh)
            self._fresh.clear()
        return self._text

    def append(self, data: bytes) -> str:
        """Add output; return its text."""
        if self._log:
            self._log.write(data)
        text = self._decoder.decode(data).replace("\r", "")
        self._fresh.append(text)
        return text

    def find(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Search behind the place of the last find, and move the place behind what is found."""
        found = pattern.search(self.text, self._place)
        if found:
            self._place = found.end()
        return found

    def find_first(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Search from the very start; the place moves only forward."""
        found = pattern.search(self.text)
        if found:
            self._place = max(self._place, found.end())
        return found

    def skip(self) -> None:
        """Move the place to the end of what has come so far."""
        self._place = len(self.text)

    def close(self) -> None:
        """Close the log file."""
        if self._log:
            self._log.close()
            self._log = None
