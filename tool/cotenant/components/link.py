# SPDX-License-Identifier: BSD-2-Clause
"""Linking components: who provides what a component needs, and in which entry of its table."""

from collections.abc import Mapping
from dataclasses import dataclass

from cotenant.components.description import Component, ComponentError, Export, System, Thread

SCHEDULER = "scheduler"


@dataclass(frozen=True)
class Limits:
    """What the kernel has room for: tenants/components/interface.h."""

    components: int
    capabilities: int
    threads: int


@dataclass(frozen=True)
class Capability:
    """An entry of a capability table: a function of a component, by its number."""

    provider: int
    export: Export


@dataclass(frozen=True)
class LinkedThread:
    """A thread and the component where it begins, by its number."""

    component: int
    thread: Thread


@dataclass(frozen=True)
class Linked:
    """A system of which every need has a provider; the scheduler's thread is the first."""

    system: System
    tables: tuple[tuple[Capability, ...], ...]
    threads: tuple[LinkedThread, ...]
    fault_handler: Capability | None

    @property
    def components(self) -> tuple[Component, ...]:
        """The components, by their numbers."""
        return self.system.components


def link(system: System, limits: Limits) -> Linked:
    """Give each component its table. Raises ComponentError with a sentence."""
    components = system.components
    if len(components) > limits.components:
        raise ComponentError(
            f"system {system.name} has {len(components)} components, and the kernel has room for "
            f"{limits.components}"
        )
    providers = _providers(components)
    tables = tuple(_table(each, providers, components, limits) for each in components)
    _refuse_cycles(components, providers)
    _refuse_shared_devices(components)
    return Linked(system, tables, _threads(components, providers, limits), _handler(components))


def _providers(components: tuple[Component, ...]) -> dict[str, int]:
    providers: dict[str, int] = {}
    for number, component in enumerate(components):
        other = providers.setdefault(component.interface, number)
        if other != number:
            raise ComponentError(
                f"both {components[other].name} and {component.name} provide the interface "
                f"{component.interface}: leave one of them out"
            )
    return providers


def _table(
    component: Component,
    providers: Mapping[str, int],
    components: tuple[Component, ...],
    limits: Limits,
) -> tuple[Capability, ...]:
    table = []
    for interface, names in component.needs.items():
        if interface not in providers:
            raise ComponentError(
                f"component {component.name} needs {interface}, which no component of the system "
                "provides"
            )
        number = providers[interface]
        for name in names:
            export = components[number].export(name)
            if export is None:
                raise ComponentError(
                    f"component {component.name} needs {interface}.{name}, which "
                    f"{components[number].name} does not export"
                )
            table.append(Capability(number, export))
    if len(table) > limits.capabilities:
        raise ComponentError(
            f"component {component.name} needs {len(table)} functions, and its table has "
            f"{limits.capabilities} entries"
        )
    return tuple(table)


def _refuse_cycles(components: tuple[Component, ...], providers: Mapping[str, int]) -> None:
    done: set[int] = set()

    def visit(number: int, path: list[int]) -> None:
        if number in path:
            names = [components[each].name for each in [*path[path.index(number) :], number]]
            raise ComponentError(f"components need each other in a circle: {' -> '.join(names)}")
        if number in done:
            return
        for interface in components[number].needs:
            provider = providers[interface]
            if provider != number or not components[number].recursive:
                visit(provider, [*path, number])
        done.add(number)

    for number in range(len(components)):
        visit(number, [])


def _refuse_shared_devices(components: tuple[Component, ...]) -> None:
    drivers: dict[str, str] = {}
    for component in components:
        if component.device is None:
            continue
        other = drivers.setdefault(component.device, component.name)
        if other != component.name:
            raise ComponentError(
                f"both {other} and {component.name} drive the device {component.device}: one can"
            )


def _threads(
    components: tuple[Component, ...], providers: Mapping[str, int], limits: Limits
) -> tuple[LinkedThread, ...]:
    if SCHEDULER not in providers:
        raise ComponentError(f"no component of the system provides {SCHEDULER}: nothing would run")
    scheduler = providers[SCHEDULER]
    for number, component in enumerate(components):
        if ("dispatch" in component.rights) != (number == scheduler):
            raise ComponentError(
                f"component {component.name}: the right 'dispatch' is for the scheduler, and for "
                "no other"
            )
    if len(components[scheduler].threads) != 1:
        raise ComponentError(f"component {components[scheduler].name} must have one thread")
    order = [scheduler, *(each for each in range(len(components)) if each != scheduler)]
    threads = [
        LinkedThread(number, thread) for number in order for thread in components[number].threads
    ]
    if len(threads) > limits.threads:
        raise ComponentError(
            f"there are {len(threads)} threads, and the kernel has room for {limits.threads}"
        )
    return tuple(threads)


def _handler(components: tuple[Component, ...]) -> Capability | None:
    handlers = [
        Capability(number, export)
        for number, component in enumerate(components)
        if component.handles_faults is not None
        and (export := component.export(component.handles_faults)) is not None
    ]
    if len(handlers) > 1:
        names = " and ".join(components[each.provider].name for each in handlers)
        raise ComponentError(f"{names} handle faults: one of them can")
    return handlers[0] if handlers else None
