# SPDX-License-Identifier: BSD-2-Clause
"""Holds the files of the monitor to their layers: `make lint-layers`.

Files do not call each other in circles, nor include each other so; a folder uses only those below
it. monitor/layers.toml is the order of the folders, with the exceptions that are left. Prints one
line for each fault; exit status 0 means that there is none.
"""

import sys
import tomllib
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path, PurePosixPath

import monitor_edges
from monitor_edges import Edge

ROOT = Path(__file__).resolve().parents[2]
MONITOR = ROOT / "monitor"
BUILT = ROOT / "build" / "monitor"
RULES = MONITOR / "layers.toml"
_FEATURES = "features"


@dataclass(frozen=True)
class Upward:
    """A file may use one of a folder above, both without suffix: these functions, or its header."""

    user: str
    used: str
    calls: frozenset[str]
    reason: str


@dataclass(frozen=True)
class Rules:
    """The folders from the bottom up, the headers of state, and what goes upwards all the same."""

    order: tuple[str, ...]
    state: frozenset[str] = frozenset()
    exceptions: tuple[Upward, ...] = ()
    constant: frozenset[str] = frozenset()
    """the features whose functions any file may call, behind HAS(), by their folders"""
    needs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """the features that each feature may use, by their folders"""

    def goes_up(self, edge: Edge) -> bool:
        """Return whether a file uses one of a folder that it must not know."""
        if not edge.symbol and edge.used in self.state:
            return False
        user, used = _folder(edge.user), _folder(edge.used)
        if used in self.needs.get(user, ()) or (edge.symbol and used in self.constant):
            return False
        return user != used and self.order.index(_top(user)) <= self.order.index(_top(used))


def read_rules(path: Path) -> Rules:
    """Read the order of the folders from its file."""
    values = tomllib.loads(path.read_text(encoding="utf-8"))
    return Rules(
        tuple(values["order"]),
        frozenset(values["state"]),
        tuple(
            Upward(each["user"], each["used"], frozenset(each["calls"]), each["reason"])
            for each in values.get("exception", [])
        ),
        frozenset(f"{_FEATURES}/{name}" for name in values["constant"]),
        read_needs(path.parent / _FEATURES),
    )


def read_needs(features: Path) -> dict[str, frozenset[str]]:
    """Read what each feature is made of, from the files `needs`."""
    return {
        f"{_FEATURES}/{file.parent.name}": frozenset(
            f"{_FEATURES}/{name}" for name in file.read_text(encoding="utf-8").split()
        )
        for file in features.glob("*/needs")
    }


def _folder(file: str) -> str:
    """Return the folder that a file is part of; each feature has one of its own."""
    parts = PurePosixPath(file).parts
    return "/".join(parts[:2] if parts[0] == _FEATURES else parts[:1])


def _top(folder: str) -> str:
    return folder.partition("/")[0]


def _module(file: str) -> str:
    return str(PurePosixPath(file).with_suffix(""))


def shortest_circle(edges: Iterable[Edge]) -> list[str]:
    """Return the files of the shortest circle, the first one again at the end; none: empty."""
    used: defaultdict[str, set[str]] = defaultdict(set)
    for edge in edges:
        used[edge.user].add(edge.used)
    circles = [circle for file in sorted(used) if (circle := _circle_from(file, used))]
    return min(circles, key=len, default=[])


def _circle_from(start: str, used: defaultdict[str, set[str]]) -> list[str]:
    """Return the shortest way from a file back to itself, breadth first."""
    ways = deque([[start]])
    seen: set[str] = set()
    while ways:
        way = ways.popleft()
        for file in sorted(used.get(way[-1], ())):
            if file == start:
                return [*way, file]
            if file not in seen:
                seen.add(file)
                ways.append([*way, file])
    return []


def circle_faults(what: str, edges: list[Edge]) -> list[str]:
    """Return a line that names the shortest circle, if there is one."""
    circle = shortest_circle(edges)
    if not circle:
        return []
    steps = [_step(user, used, edges) for user, used in pairwise(circle)]
    return [f"{what} in a circle: {circle[0]}{''.join(steps)}"]


def _step(user: str, used: str, edges: list[Edge]) -> str:
    symbols = [edge.symbol for edge in edges if (edge.user, edge.used) == (user, used)]
    return f" -> {used}{_in_brackets(symbols)}"


def _in_brackets(symbols: list[str]) -> str:
    named = ", ".join(sorted(filter(None, symbols)))
    return f" ({named})" if named else ""


def folder_faults(files: Iterable[str], rules: Rules) -> list[str]:
    """Return a line for each folder that has no place in the order."""
    unknown = {_top(_folder(file)) for file in files} - set(rules.order)
    return [f"monitor/{folder}/ has no place in the order of folders" for folder in sorted(unknown)]


def upward_faults(edges: Iterable[Edge], rules: Rules) -> list[str]:
    """Return a line for each pair of files whose use goes upwards without an exception."""
    excepted = {(each.user, each.used): each.calls for each in rules.exceptions}
    faults: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for edge in filter(rules.goes_up, edges):
        calls = excepted.get((_module(edge.user), _module(edge.used)))
        if calls is None or (edge.symbol and edge.symbol not in calls):
            faults[edge.user, edge.used].append(edge.symbol)
    return [
        f"upwards: {user} -> {used}{_in_brackets(symbols)}"
        for (user, used), symbols in sorted(faults.items())
    ]


def needless_faults(edges: Iterable[Edge], rules: Rules) -> list[str]:
    """Return a line for each exception, and each header of state, that is not needed any more."""
    bare = replace(rules, state=frozenset(), exceptions=())
    upward = [edge for edge in edges if bare.goes_up(edge)]
    pairs = {(_module(edge.user), _module(edge.used)) for edge in upward if rules.goes_up(edge)}
    called = {(_module(edge.user), _module(edge.used), edge.symbol) for edge in upward}
    faults = []
    for each in rules.exceptions:
        if (each.user, each.used) not in pairs:
            faults.append(f"not needed any more: the exception {each.user} -> {each.used}")
        faults += [
            f"not needed any more: {symbol} of the exception {each.user} -> {each.used}"
            for symbol in sorted(each.calls)
            if (each.user, each.used, symbol) not in called
        ]
    headers = {edge.used for edge in upward if not edge.symbol}
    return faults + [
        f"not needed any more: {header} as a header of state"
        for header in sorted(rules.state - headers)
    ]


def all_faults(
    files: list[str], calls: list[Edge], includes: list[Edge], rules: Rules
) -> list[str]:
    """Return a line for each fault of these files."""
    unknown = folder_faults(files, rules)
    if unknown:
        return unknown
    return [
        *circle_faults("calls", calls),
        *circle_faults("includes", includes),
        *upward_faults(calls + includes, rules),
        *needless_faults(calls + includes, rules),
    ]


def main() -> int:
    """Print the faults of the monitor as it is built."""
    faults = all_faults(
        monitor_edges.sources(MONITOR, "chS"),
        monitor_edges.calls(MONITOR, BUILT),
        monitor_edges.includes(MONITOR),
        read_rules(RULES),
    )
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    if faults:
        sys.stdout.write(
            "The order of folders and the reasons for it: docs/architecture.md, Layers\n"
        )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
