# SPDX-License-Identifier: BSD-2-Clause
"""From a system's description to a machine that can be started."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from cotenant import durable, placed
from cotenant import system as systems
from cotenant.errors import RunError
from cotenant.inputs import locate
from cotenant.run.qemu import Machine
from cotenant.run.session import Port
from cotenant.symbols import Symbols


@dataclass(frozen=True)
class Launch:
    """A built system and how QEMU runs it."""

    built: systems.BuiltSystem
    one_piece: bool = False
    """QEMU loads the bundle as it is, as a board's boot loader does, and the monitor moves it"""

    @property
    def ports(self) -> list[Port]:
        """The tenants as a session sees them, in the bundle's order."""
        return [
            Port(
                each.name,
                each.ready,
                each.autostart,
                self._symbols(each.index).at,
                each.login,
                each.prompt,
            )
            for each in self.built.tenants
        ]

    def _symbols(self, index: int) -> Symbols:
        system = self.built.system
        tenant = system.tenants[index]
        find = partial(locate, tenant.config.image, system.path.parent)
        return Symbols(find, tenant.memory.base)

    def machine(self, icount: int | None = None, extra: tuple[str, ...] = ()) -> Machine:
        """Return the machine that the board's description asks for."""
        qemu = self.built.qemu
        if qemu is None:
            board = self.built.system.board.name
            raise RunError(f"QEMU cannot emulate the board {board}: only 'build' works for it")
        machine = Machine(
            bundle=self.built.bundle,
            machine=qemu.machine,
            cpu=qemu.cpu,
            memory_bytes=qemu.memory_bytes,
            harts=qemu.harts,
            devices=qemu.devices,
            start_address=qemu.start_address,
            powers_off=qemu.powers_off,
            console=qemu.console,
            icount=icount,
            extra=(*qemu.options, *extra),
        )
        if self.one_piece or self._needs_previous_stage():
            return machine
        return replace(machine, bundle=self._place(), is_placed=True)

    def _needs_previous_stage(self) -> bool:
        """Whether the machine's own firmware has to hand over something with the bundle."""
        return any(
            each.config.next_stage is not None or each.tree_plan is not None
            for each in self.built.system.tenants
        )

    def _place(self) -> Path:
        """Write the bundle as a file whose loader leaves nothing to move, and return its path."""
        output = self.built.bundle.with_suffix(".elf")
        with durable.replacing(output, synchronised=False) as file:
            file.write(placed.encode(self.built.bundle.read_bytes()))
        return output


def prepare(
    path: Path,
    output: Path,
    *,
    console_mode: str,
    sstc: bool | None = None,
    trace_ring: int = 0,
    lean: bool = False,
    counted: bool = False,
) -> Launch:
    """Load a system and build its bundle in `output`. Raises ConfigError or BuildError.

    `counted`: its time is to be counted in instructions; RunError if it cannot be.
    """
    system = systems.load(
        path, sstc=sstc, console_mode=console_mode, trace_ring=trace_ring, lean=lean
    )
    if counted and len(system.harts) > 1:
        raise RunError(
            f"with --icount QEMU does not give {len(system.harts)} harts the processor in turn: "
            "latencies say nothing, and systems may not even start; leave it out"
        )
    return Launch(systems.build(system, output))
