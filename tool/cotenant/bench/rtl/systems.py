# SPDX-License-Identifier: BSD-2-Clause
"""The systems that are simulated on RTL, and one run of each."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from cotenant import system as systems
from cotenant.bench.rtl import events as rtl_events
from cotenant.bench.rtl import simulator as rtl_simulator
from cotenant.bench.rtl.events import Event
from cotenant.bench.systems import tenant
from cotenant.plan import System
from cotenant.ranges import Range

# Ticks of mtime (100 cycles each) after which the load of the other tenant has begun.
_SPIN_BEGUN = 3000
_THRASH_BEGUN = 8000
_MAX_CYCLES = 40_000_000


@dataclass(frozen=True)
class Simulation:
    """A simulated run: what happened, and whose memory is where."""

    events: list[Event]
    memory: dict[str, Range]
    text: str

    def owner(self, address: int) -> str | None:
        """Return the tenant whose memory an address is in."""
        for name, area in self.memory.items():
            if area.base <= address < area.end:
                return name
        return None


def simulate(description: str, options: tuple[str, ...] = ()) -> Simulation:
    """Build a system and run it to its end. Raises CotenantError if that fails."""
    with tempfile.TemporaryDirectory(prefix="cotenant-rtl.") as name:
        folder = Path(name)
        file = folder / "system.toml"
        file.write_text(description, encoding="utf-8")
        system: System = systems.load(file)
        bundle = systems.build(system, folder / "bundle.bin").bundle
        events = folder / "events"
        text = rtl_simulator.run(bundle, events, max_cycles=_MAX_CYCLES, options=options)
        memory = {each.name: each.memory for each in system.tenants}
        return Simulation(rtl_events.read(events), memory, text)


def _system(*tenants: str) -> str:
    return "\n".join(['board = "rocket-litex"', *tenants])


def _payload(image: str, port: int, priority: int, memory: str, arguments: str) -> str:
    return (
        tenant(
            image,
            priority=priority,
            memory=memory,
            image=image,
            arguments=arguments,
            uart=False,
            fp=False,
        ).rstrip("\n")
        + f'\ndevices = ["results{port}"]\n'
    )


def calls() -> str:
    """Return a tenant alone that asks the monitor for everything; it has a PLIC."""
    text = _payload("rtl-calls", 0, 10, "256K", "")
    return _system(text.replace("uart = false", "uart = true"))


def emulation() -> str:
    """Return a tenant that checks what the monitor does in the hart's place; it has FP."""
    text = _payload("rtl-fp-emulation", 0, 10, "512K", "")
    return _system(text.replace("fp = false", "fp = true"))


def components() -> str:
    """Return the component OS alone, which measures itself."""
    return _system(_payload("components-meter", 0, 10, "2M", ""))


def domains() -> str:
    """Return the least that a call into another protection domain takes, alone."""
    return _system(_payload("bench-domains", 0, 10, "128K", ""))


def rtos_alone(rounds: int, *, sv39: bool) -> str:
    """Return the RTOS with the hart for itself."""
    return _system(_rtos(f"rounds={rounds} period=45 start=100", sv39))


def rtos_beside_spin(rounds: int, *, sv39: bool) -> str:
    """Return the RTOS above a tenant that leaves the caches alone."""
    arguments = f"rounds={rounds} period=45 start={_SPIN_BEGUN}"
    return _system(_rtos(arguments, sv39), _load("spin", sv39))


def rtos_beside_spin_with_many_regions(rounds: int) -> str:
    """Return the same where both together need more PMP entries than the hart has.

    A switch then writes addresses too.
    """
    rtos, load = (
        _rtos(f"rounds={rounds} period=45 start={_SPIN_BEGUN}", False),
        _load("spin", False),
    )
    return _system(
        rtos.replace('["results0"]', '["results0", "results2"]').replace(
            "'256K'", "{ base = 0x8004_1000, size = '236K' }"
        ),
        load.replace('["results1"]', '["results1", "results3"]')
        .replace("'512K'", "{ base = 0x8008_3000, size = '484K' }")
        .replace("uart = false", "uart = true"),
    )


def rtos_beside_thrash(rounds: int) -> str:
    """Return the RTOS above a tenant that goes through more than the caches and TLBs hold.

    The period is longer than a round of it and moves through it.
    """
    arguments = f"rounds={rounds} period=1500 jitter=13 start={_THRASH_BEGUN}"
    return _system(_rtos(arguments, True), _load("thrash", True))


def _rtos(arguments: str, sv39: bool) -> str:
    return _payload("rtl-rtos", 0, 10, "256K", f"{arguments} sv39={int(sv39)}")


def _load(kind: str, sv39: bool) -> str:
    return _payload("rtl-load", 1, 1, "512K", f"load={kind} sv39={int(sv39)}")
