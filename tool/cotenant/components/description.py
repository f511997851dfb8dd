# SPDX-License-Identifier: BSD-2-Clause
"""A component as its component.toml describes it, and a system of them."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from cotenant.errors import CotenantError

# RIGHT_ of tenants/components/interface.h, by what descriptions call them.
RIGHTS = (
    "schedule",
    "dispatch",
    "threads",
    "restart",
    "inspect",
    "console",
    "map",
    "interrupts",
    "shutdown",
)
# Virtio device ids (virtio 1.2, chapter 5), by what descriptions call them.
DEVICES = {"net": 1, "console": 3}
# Sources from outside that a component can be linked with: build.py knows them.
LIBRARIES = ("lwip",)
MOST_ARGUMENTS = 6
# What a component that counts exports besides.
INVOCATIONS = "invocations"
# A last parameter of this name is no argument: the kernel tells the callee who calls.
CALLER = "caller"

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_CHANNEL = re.compile(r"[a-z][a-z0-9-]{0,30}")
_EXPORT = re.compile(r"([a-z][a-z0-9_]*)\(([a-z0-9_, ]*)\)")


_Kind = TypeVar("_Kind")


class ComponentError(CotenantError):
    """A description that cannot be built, in a sentence."""


@dataclass(frozen=True)
class Export:
    """A function that others may invoke."""

    name: str
    arguments: tuple[str, ...]
    wants_caller: bool = False


@dataclass(frozen=True)
class Thread:
    """A thread that is there from the start; what the scheduler is to know of it."""

    name: str
    priority: int
    deadline_us: int = 0
    budget_us: int = 0


@dataclass(frozen=True)
class Component:
    """A component; `needs` are the exports that it may invoke, by interface."""

    name: str
    interface: str
    folder: Path
    exports: tuple[Export, ...] = ()
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rights: tuple[str, ...] = ()
    threads: tuple[Thread, ...] = ()
    handles_faults: str | None = None
    recursive: bool = False
    device: str | None = None
    window: str | None = None
    sources: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    counts: bool = False

    def export(self, name: str) -> Export | None:
        """Return an export by its name."""
        return next((each for each in self.exports if each.name == name), None)


@dataclass(frozen=True)
class System:
    """The components of an image."""

    name: str
    components: tuple[Component, ...]


class _Table:
    """The keys of a TOML table; each is taken once, and what is left in the end is unknown."""

    def __init__(self, where: str, values: Mapping[str, object]) -> None:
        self._where = where
        self._left = dict(values)

    def fail(self, what: str) -> ComponentError:
        return ComponentError(f"{self._where}: {what}")

    def take(self, key: str, kind: type[_Kind], otherwise: _Kind) -> _Kind:
        value = self._left.pop(key, otherwise)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
            raise self.fail(f"{key!r} has a value of the wrong kind")
        return value

    def names(self, key: str) -> tuple[str, ...]:
        values: list[object] = self.take(key, list, [])
        if not all(isinstance(each, str) for each in values):
            raise self.fail(f"{key!r} must be a list of texts")
        return tuple(str(each) for each in values)

    def number(self, key: str, otherwise: int, low: int, high: int) -> int:
        value = self.take(key, int, otherwise)
        if not low <= value <= high:
            raise self.fail(f"{key!r} must be from {low} to {high}, and is {value}")
        return value

    def end(self) -> None:
        for key in self._left:
            raise self.fail(f"there is no key {key!r}")


def read_component(folder: Path) -> Component:
    """Read FOLDER/component.toml. Raises ComponentError with a sentence."""
    where = f"component {folder.name}"
    table = _Table(where, _load(folder / "component.toml", where))
    interface = table.take("interface", str, folder.name)
    for name in (folder.name, interface):
        if not _NAME.fullmatch(name):
            raise ComponentError(f"{where}: {name!r} is no name: use a-z, 0-9 and _")
    rights = table.names("rights")
    for right in rights:
        if right not in RIGHTS:
            raise ComponentError(
                f"{where}: there is no right {right!r}; there are {', '.join(RIGHTS)}"
            )
    needs = _needs(where, table.take("needs", dict, {}))
    device = table.take("device", str, "") or None
    window = table.take("window", str, "") or None
    if window is not None and device is None:
        raise table.fail("has a window, and no device that tells when the doorbell is rung")
    if window is not None and not _CHANNEL.fullmatch(window):
        raise table.fail(f"window {window!r} is no name of a channel")
    libraries = table.names("libraries")
    for kind, name, known in [
        *(("device", each, tuple(DEVICES)) for each in [device] if each),
        *(("library", each, LIBRARIES) for each in libraries),
    ]:
        if name not in known:
            raise table.fail(f"there is no {kind} {name!r}; there is {', '.join(known)}")
    counts = table.take("counts", bool, False)
    exports = tuple(_export(where, text) for text in table.names("exports"))
    component = Component(
        name=folder.name,
        interface=interface,
        folder=folder,
        exports=(*exports, Export(INVOCATIONS, ())) if counts else exports,
        needs=needs,
        rights=rights,
        threads=_threads(where, table.take("threads", dict, {})),
        handles_faults=table.take("handles_faults", str, "") or None,
        recursive=table.take("recursive", bool, False),
        device=device,
        window=window,
        sources=table.names("sources"),
        libraries=libraries,
        counts=counts,
    )
    table.end()
    _check_unique(where, [each.name for each in component.exports])
    handler = component.handles_faults
    if handler is not None and component.export(handler) is None:
        raise ComponentError(f"{where}: handles faults by {handler!r}, which it does not export")
    return component


def read_system(file: Path, parts: Path) -> System:
    """Read a system's file; its components are folders below `parts`.

    A table `needs.NAME` is what that component may invoke in this system, besides its own needs.
    """
    where = f"system {file.stem}"
    table = _Table(where, _load(file, where))
    names = table.names("components")
    needs = table.take("needs", dict, {})
    table.end()
    _check_unique(where, names)
    if not names:
        raise ComponentError(f"{where}: has no components")
    for name in needs:
        if name not in names:
            raise ComponentError(f"{where}: has needs of {name!r}, which is none of its components")
    components = (read_component(_find(where, name, parts)) for name in names)
    return System(
        file.stem,
        tuple(_with_needs(where, each, needs.get(each.name, {})) for each in components),
    )


def _with_needs(where: str, component: Component, more: object) -> Component:
    """Return a component with needs besides its own."""
    where = f"{where}, needs of {component.name}"
    if not isinstance(more, dict):
        raise ComponentError(f"{where}: must be a table")
    needs = dict(component.needs)
    for interface, names in _needs(where, more).items():
        needs[interface] = needs.get(interface, ()) + names
        _check_unique(where, needs[interface])
    return replace(component, needs=needs)


def _find(where: str, name: str, parts: Path) -> Path:
    folder = parts / name
    if not _NAME.fullmatch(name) or not (folder / "component.toml").is_file():
        raise ComponentError(f"{where}: there is no component {name!r}")
    return folder


def _load(file: Path, where: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ComponentError(f"{where}: {file.name} cannot be read ({error})") from error
    except tomllib.TOMLDecodeError as error:
        raise ComponentError(f"{where}: {file.name} is no TOML: {error}") from error


def _export(where: str, text: str) -> Export:
    found = _EXPORT.fullmatch(text)
    if found is None:
        raise ComponentError(f"{where}: the export {text!r} is not of the form name(a, b)")
    arguments = [each.strip() for each in found[2].split(",")] if found[2].strip() else []
    wants_caller = arguments[-1:] == [CALLER]
    arguments = arguments[:-1] if wants_caller else arguments
    if len(arguments) > MOST_ARGUMENTS:
        raise ComponentError(
            f"{where}: the export {found[1]!r} has {len(arguments)} arguments, and "
            f"{MOST_ARGUMENTS} go in registers"
        )
    for name in arguments:
        if not _NAME.fullmatch(name):
            raise ComponentError(f"{where}: {name!r} of {found[1]!r} is no name")
    _check_unique(where, arguments)
    return Export(found[1], tuple(arguments), wants_caller)


def _needs(where: str, values: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    return {name: _needed(where, name, value) for name, value in values.items()}


def _needed(where: str, interface: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ComponentError(f"{where}: the exports needed of {interface!r} must be a list")
    _check_unique(where, value)
    return tuple(value)


def _threads(where: str, values: Mapping[str, object]) -> tuple[Thread, ...]:
    threads = []
    for name, keys in values.items():
        if not isinstance(keys, dict) or not _NAME.fullmatch(name):
            raise ComponentError(f"{where}: the thread {name!r} must be a table with a plain name")
        table = _Table(f"{where}, thread {name}", keys)
        thread = Thread(
            name,
            priority=table.number("priority", 1, 0, 255),
            deadline_us=table.number("deadline_us", 0, 0, 10_000_000),
            budget_us=table.number("budget_us", 0, 0, 10_000_000),
        )
        table.end()
        threads.append(thread)
    return tuple(threads)


def _check_unique(where: str, names: list[str] | tuple[str, ...]) -> None:
    for name in names:
        if list(names).count(name) > 1:
            raise ComponentError(f"{where}: {name!r} is there twice")
