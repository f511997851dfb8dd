# SPDX-License-Identifier: BSD-2-Clause
"""What a monitor can be built without, and what a system needs of it: monitor/features/."""

from collections.abc import Collection
from functools import cache

from cotenant import abi, paths
from cotenant.devices import is_guarded
from cotenant.errors import Mistakes
from cotenant.plan import System
from cotenant.reader import suggestion

WHAT = {
    "bus_protection": "a board's unit that confines devices",
    "check": "check of every field of the bundle at boot",
    "clint": "CLINTs of tenants in machine mode",
    "commands": "commands to tenants, and statistics",
    "confine": "PMP entries of tenants in machine mode",
    "control": "the control protocol, for cotenant ctl",
    "control_port": "control ports of tenants",
    "dbtr": "debug triggers (SBI DBTR)",
    "decode": "decoding of loads and stores",
    "device_reset": "reset of tenants' devices",
    "fast_switch": "shortcuts for frequent world switches",
    "fast_uart": "a short path for bytes to a virtual UART, and for virtual interrupts",
    "finisher": "test finishers of tenants in machine mode",
    "foreground": "groups of tenants that take turns",
    "fp": "floating point",
    "frames": "the console line for programs",
    "fwft": "delegation of misaligned accesses (SBI FWFT)",
    "guard": "guarded virtio devices",
    "handed_tree": "a device tree of the previous boot stage",
    "harts": "several harts",
    "hosted": "guests of tenants",
    "hypervisor": "harts with the H extension",
    "machine": "tenants in machine mode",
    "misaligned": "emulation of misaligned accesses",
    "next_stage": "an image of the previous boot stage",
    "plic": "device interrupts, virtual PLICs and UARTs",
    "pmu": "performance counters (SBI PMU)",
    "served": "devices that another tenant serves",
    "sifive_uart": "the driver of a SiFive UART",
    "sse": "software events (SBI SSE)",
    "sta": "steal time (SBI STA)",
    "susp": "suspend (SBI SUSP)",
    "symptoms": "signs of a tenant that only faults",
    "terminal": "the console line for people",
    "trace": "traces",
    "uart32": "16550s with 32-bit registers",
    "vector": "vector registers",
    "virtio": "virtual devices",
    "virtio_console": "stream and memory channels",
    "virtio_input": "the sleep key",
    "virtio_net": "network channels",
    "virtio_socket": "socket channels",
    "watch": "heartbeats",
}
"""the features by name, as a user is told of them"""


_DEVICES = {
    abi.bundle("VIRTUAL_CONSOLE"): "virtio_console",
    abi.bundle("VIRTUAL_INPUT"): "virtio_input",
    abi.bundle("VIRTUAL_NET"): "virtio_net",
    abi.bundle("VIRTUAL_SOCKET"): "virtio_socket",
}


def used(system: System) -> frozenset[str]:
    """Return the features without which the monitor would refuse the system's bundle."""
    tenants = system.tenants
    asked = {
        "bus_protection": system.board.bus_protection is not None,
        "control_port": any(tenant.config.may_see is not None for tenant in tenants),
        "device_reset": any(tenant.devices for tenant in tenants),
        "fp": any(tenant.config.fp for tenant in tenants),
        "frames": system.console_mode == "framed",
        "foreground": bool(system.config.groups),
        "guard": any(
            is_guarded(tenant.config, device) for tenant in tenants for device in tenant.devices
        ),
        "handed_tree": any(tenant.tree_plan is not None for tenant in tenants),
        "harts": len(system.harts) > 1,
        "hosted": any(tenant.config.guests is not None for tenant in tenants),
        "hypervisor": "h" in system.board.isa,
        "machine": any(tenant.config.machine for tenant in tenants),
        "next_stage": any(tenant.config.next_stage is not None for tenant in tenants),
        "plic": any(tenant.has_plic for tenant in tenants),
        "served": any(tenant.config.served_by is not None for tenant in tenants),
        "sifive_uart": system.board.uart.kind == abi.bundle("UART_SIFIVE"),
        "terminal": system.console_mode == "mux",
        "trace": system.trace_ring > 0,
        "uart32": system.board.uart.kind == abi.bundle("UART_NS16550_32"),
        "vector": bool(system.vector_size),
        "watch": any(tenant.config.watch is not None for tenant in tenants),
    }
    kinds = {
        _DEVICES[device.kind]
        for tenant in tenants
        for device in tenant.virtual_devices
        if device.kind in _DEVICES
    }
    return with_needs({name for name, needed in asked.items() if needed} | kinds)


def _kept(system: System) -> set[str]:
    """Return what a system does not ask for in its description, and is likely to want."""
    kept = {
        "commands": True,
        "fast_switch": any(len(system.sharing(hart.id)) > 1 for hart in system.harts),
        "misaligned": not system.board.misaligned,
    }
    return {name for name, wanted in kept.items() if wanted}


def chosen(system: System) -> frozenset[str]:
    """Return the features of the monitor that the system's description asks for."""
    choice = system.config.monitor
    if not choice.lean:
        return frozenset(WHAT)
    return with_needs(used(system) | (_kept(system) - {*choice.without}) | {*choice.with_})


def check(system: System, mistakes: Mistakes) -> None:
    """Note what is wrong with the features that the description names."""
    choice = system.config.monitor
    needed = with_needs(used(system) | {*choice.with_})
    for key, names in (("with", choice.with_), ("without", choice.without)):
        place = f"monitor.{key}"
        if names and not choice.lean:
            mistakes.add(place, "the full monitor has every feature", 'add: build = "lean"')
        for name in names:
            if name not in WHAT:
                mistakes.add(place, f'there is no feature "{name}"', suggestion(name, WHAT))
            elif key == "without" and name in needed:
                problem = f'the system needs "{name}" ({WHAT[name]})'
                mistakes.add(place, problem, "take it out of the list")


def with_needs(names: Collection[str]) -> frozenset[str]:
    """Return features with those that they are made of."""
    found = set(names)
    while more := {need for name in found for need in needs_of(name)} - found:
        found |= more
    return frozenset(found)


@cache
def needs_of(name: str) -> frozenset[str]:
    """Return the features that a feature is made of, which the file `needs` in its folder names."""
    file = paths.MONITOR / "features" / name / "needs"
    return frozenset(file.read_text().split() if file.is_file() else ())
