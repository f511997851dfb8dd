# SPDX-License-Identifier: BSD-2-Clause
"""Reading one table of a TOML file: types, ranges and unknown keys, all mistakes noted.

Each method returns None for a key that is absent or wrong (a mistake is then noted), so that the
caller can read on and the user sees every mistake at once.
"""

import difflib
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from cotenant.errors import Mistakes
from cotenant.units import parse_duration, parse_size

T = TypeVar("T")


def read_toml(path: Path, mistakes: Mistakes) -> dict[str, object] | None:
    """Read a TOML file; None if that cannot be done (a mistake is then noted)."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        reason = (error.strerror or "error").lower()
        mistakes.add("", f"the file cannot be read ({reason})", "give the path of a system file")
    except UnicodeDecodeError:
        mistakes.add("", "the file is not UTF-8 text", "give the path of a system file")
    except tomllib.TOMLDecodeError as error:
        mistakes.add("", f"not valid TOML: {error}", "correct the syntax at that place")
    return None


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a remedy for an unknown name: the nearest known one, else all of them."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f'did you mean "{close[0]}"?'
    return f"known are {', '.join(names)}" if names else "there is none"


def kind_of(value: object) -> str:
    """Return how a user calls the type of a TOML value."""
    if isinstance(value, bool):
        return "true or false"
    names = {str: "a string", int: "a number", float: "a fraction", list: "a list", dict: "a table"}
    return names.get(type(value), "a date or time")


class TableReader:
    """Reads the keys of one table; `finish` then refuses the keys that were not asked for."""

    def __init__(self, data: dict[str, object], key: str, mistakes: Mistakes) -> None:
        self.data = data
        self.key = key
        self.mistakes = mistakes
        self._known: list[str] = []

    def place(self, name: str) -> str:
        """Return the dotted path of a key of this table."""
        return f"{self.key}.{name}" if self.key else name

    def wrong(self, name: str, problem: str, remedy: str = "") -> None:
        """Note a mistake at a key of this table."""
        self.mistakes.add(self.place(name), problem, remedy)

    def value(self, name: str, required: bool, example: str) -> object | None:
        """Return the raw value of a key."""
        self._known.append(name)
        if name not in self.data and required:
            self.wrong(name, "this key is missing", f"add it, for example: {name} = {example}")
        return self.data.get(name)

    def typed(self, name: str, kind: type[T], required: bool, example: str) -> T | None:
        """Return the value of a key if it has the TOML type `kind`."""
        value = self.value(name, required, example)
        if value is None:
            return None
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.wrong(name, f"is {kind_of(value)}", f"write for example: {name} = {example}")
            return None
        return value

    def string(self, name: str, example: str, required: bool = False) -> str | None:
        """Return a string."""
        return self.typed(name, str, required, f'"{example}"')

    def boolean(self, name: str, required: bool = False) -> bool | None:
        """Return a boolean."""
        return self.typed(name, bool, required, "true")

    def integer(
        self, name: str, low: int, high: int, example: str, required: bool = False
    ) -> int | None:
        """Return an integer of low..high."""
        value = self.typed(name, int, required, example)
        if value is not None and not low <= value <= high:
            self.wrong(name, f"{value} is out of range", f"choose a number from {low} to {high}")
            return None
        return value

    def parsed(
        self, name: str, parse: Callable[[str], T], example: str, required: bool = False
    ) -> T | None:
        """Return a string's value as `parse` gives it; parse raises ValueError with the problem."""
        text = self.string(name, example, required)
        if text is None:
            return None
        try:
            return parse(text)
        except ValueError as error:
            self.wrong(name, str(error), f'write for example: {name} = "{example}"')
            return None

    def size(self, name: str, example: str, required: bool = False) -> int | None:
        """Return a number of bytes, written as an integer or as a string with a unit."""
        raw = self.data.get(name)
        if isinstance(raw, int) and not isinstance(raw, bool):
            return self.integer(name, 0, (1 << 48) - 1, f'"{example}"', required)
        return self.parsed(name, parse_size, example, required)

    def duration(
        self, name: str, low: int, high: int, example: str, required: bool = False
    ) -> int | None:
        """Return microseconds of low..high."""
        value = self.parsed(name, parse_duration, example, required)
        if value is not None and not low <= value <= high:
            self.wrong(name, f"{value} us is out of range", f"choose {low} us to {high} us")
            return None
        return value

    def strings(self, name: str, example: str, required: bool = False) -> tuple[str, ...] | None:
        """Return a list of strings."""
        values = self.typed(name, list, required, example)
        if values is None:
            return None
        if not all(isinstance(value, str) for value in values):
            self.wrong(name, "is not a list of strings", f"write for example: {name} = {example}")
            return None
        return tuple(values)

    def integers(
        self, name: str, low: int, high: int, example: str, required: bool = False
    ) -> tuple[int, ...] | None:
        """Return a list of integers, each of low..high."""
        values = self.typed(name, list, required, example)
        if values is None:
            return None
        for value in values:
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                self.wrong(
                    name,
                    f"{value!r} is not a number from {low} to {high}",
                    f"write for example: {name} = {example}",
                )
                return None
        return tuple(values)

    def table(self, name: str, required: bool = False) -> "TableReader | None":
        """Return the reader of a table below this one."""
        value = self.value(name, required, "{ ... }")
        if value is None:
            return None
        if not isinstance(value, dict):
            self.wrong(name, f"is {kind_of(value)}", f"make it a table: [{self.place(name)}]")
            return None
        return TableReader(value, self.place(name), self.mistakes)

    def tables(self, name: str) -> list["TableReader"]:
        """Return the readers of all tables below `name`: [name.one], [name.two]..."""
        parent = self.table(name)
        if parent is None:
            return []
        readers = [parent.table(child) for child in parent.data]
        return [reader for reader in readers if reader is not None]

    def table_list(self, name: str) -> list["TableReader"]:
        """Return the readers of a list of tables: [[name]] [[name]]..."""
        values = self.typed(name, list, True, "[{ ... }]")
        readers = []
        for index, value in enumerate(values or []):
            if isinstance(value, dict):
                readers.append(TableReader(value, f"{self.place(name)}[{index}]", self.mistakes))
            else:
                self.wrong(name, "is not a list of tables", f"write [[{name}]] before each")
        return readers

    def finish(self) -> None:
        """Refuse every key that was not asked for."""
        for name in self.data:
            if name not in self._known:
                self.wrong(name, "unknown key", suggestion(name, self._known))
