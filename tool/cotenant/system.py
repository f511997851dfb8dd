# SPDX-License-Identifier: BSD-2-Clause
"""The programmatic entrance: load a description, build its bundle.

    system = load(Path("examples/linux-freertos.toml"))     # ConfigError lists every mistake
    built = build(system, Path("build/bundles/linux-freertos.bin"))
    built.tenants[0].name, built.tenants[0].ready           # in the order of their indices
    built.qemu.machine, built.qemu.cpu, built.qemu.memory_bytes, built.qemu.harts

`sstc` and `console_mode` ("mux" or "framed") of `load` come from the command line, and so does
`trace_ring`: bytes for what the monitor records on each hart, 0 for nothing.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from cotenant import (
    bundle,
    bundle_check,
    config,
    durable,
    features,
    monitor_build,
    paths,
    qemu_devices,
)
from cotenant.board_reader import load as load_board
from cotenant.errors import BuildError, ConfigError, Mistakes
from cotenant.monitor_build import Monitor
from cotenant.plan import System
from cotenant.planner import plan

__all__ = [
    "BuiltSystem",
    "BuiltTenant",
    "QemuParameters",
    "System",
    "build",
    "default_output",
    "load",
    "qemu_parameters",
]


@dataclass(frozen=True)
class BuiltTenant:
    """A tenant as the running side needs it. Its console channel is index + 1."""

    name: str
    index: int
    ready: str | None
    """Regular expression of its output once it is ready; None: ready when started."""
    autostart: bool
    """whether the monitor starts it at boot"""
    login: str | None
    """the user to log in, without a password, before a command is typed"""
    prompt: str | None
    """what it prints when it takes a command; None: a shell's prompt"""


@dataclass(frozen=True)
class QemuParameters:
    """The machine to emulate: values of QEMU's -M, -cpu, -m, -smp, and what is plugged in."""

    machine: str
    cpu: str | None
    """None: the machine has its own"""
    memory_bytes: int
    harts: int
    devices: tuple[tuple[str, str], ...]
    """options and their values: -device, and the -drive or -netdev that it refers to"""
    options: tuple[str, ...]
    """further arguments"""
    start_address: int | None
    """where the bundle is put and every hart starts; None: the machine does that with its -bios"""
    powers_off: bool
    """whether the monitor can end the emulation"""
    console: str | None
    """the device that is the monitor's UART; None: the machine's first serial line"""


@dataclass(frozen=True)
class BuiltSystem:
    """A bundle file and what is needed to run it. `qemu` is None if QEMU has no such board."""

    system: System
    bundle: Path
    tenants: tuple[BuiltTenant, ...]
    qemu: QemuParameters | None
    monitor: Monitor


def load(
    path: Path,
    *,
    sstc: bool | None = None,
    console_mode: str = "mux",
    trace_ring: int = 0,
    lean: bool = False,
) -> System:
    """Read and check a system file.

    `sstc` overrides the file's key of that name, and `lean` the key monitor.build. Images are read
    too, and fetched if they are missing. Raises ConfigError with every mistake found.
    """
    if console_mode not in bundle.CONSOLE_MODES:
        raise ValueError(f"console mode {console_mode!r} is none of {bundle.CONSOLE_MODES}")
    mistakes = Mistakes(paths.shown(path))
    description = config.load(path, mistakes)
    if description is None:
        raise ConfigError(mistakes.found)
    if lean:
        description = replace(description, monitor=replace(description.monitor, lean=True))
    board = None
    if description.board is not None:
        board = load_board(description.board, mistakes, beside=path.parent)
    system = plan(description, board, sstc, console_mode, trace_ring, mistakes)
    features.check(system, mistakes)
    mistakes.stop_if_any()
    return system


def default_output(system: System) -> Path:
    """Return where the bundle of a system goes by default."""
    return paths.BUNDLES / f"{system.path.stem}.bin"


def build(system: System, output: Path, *, keep: bool = False) -> BuiltSystem:
    """Write the bundle of a system to `output`; raises BuildError if that cannot be done.

    `output` is never half a bundle, whenever this ends; with `keep` not after a power cut either.
    """
    monitor = monitor_build.build(features.chosen(system))
    try:
        image = monitor.image.read_bytes()
    except OSError as error:
        raise BuildError(
            f"the monitor is not built: there is no {paths.shown(monitor.image)}; run 'make build'"
        ) from error
    data = bundle.encode(system, image)
    bundle_check.check(monitor, data)
    try:
        with durable.replacing(output, synchronised=keep) as file:
            file.write(data)
    except OSError as error:
        raise BuildError(
            f"{output} cannot be written ({error.strerror}); choose another place with -o"
        ) from error
    tenants = tuple(
        BuiltTenant(
            each.name,
            index,
            each.config.ready,
            system.starts_at_boot(each),
            each.config.login,
            each.config.prompt,
        )
        for index, each in enumerate(system.tenants)
    )
    return BuiltSystem(system, output, tenants, qemu_parameters(system), monitor)


def qemu_parameters(system: System) -> QemuParameters | None:
    """Return the machine that QEMU is to emulate for a system."""
    options = system.board.qemu
    if options is None:
        return None
    board = system.board
    cpu = None if options.cpu is None else f"{options.cpu},sstc={'on' if system.sstc else 'off'}"
    return QemuParameters(
        machine=options.machine,
        cpu=cpu,
        memory_bytes=options.memory or system.ram.size,
        harts=len(system.harts),
        devices=qemu_devices.arguments(system.config, board, system.disks),
        options=("-global", "virtio-mmio.force-legacy=false") if system.config.qemu_modern else (),
        start_address=None if options.starts_bundle else board.ram_base,
        powers_off=board.reset.range is not None,
        console=options.console,
    )
