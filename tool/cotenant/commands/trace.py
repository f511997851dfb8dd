# SPDX-License-Identifier: BSD-2-Clause
"""`cotenant trace`: what happened on each hart, as a file for Perfetto and as a picture."""

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from rich.console import Console

from cotenant import durable, paths
from cotenant.commands.check import report_mistakes, report_warnings
from cotenant.commands.parameters import Duration, RingSize, machine_options
from cotenant.errors import ConfigError, CotenantError, TraceError
from cotenant.run import tracing
from cotenant.run.batch import Plan, Send
from cotenant.run.launch import Launch, prepare
from cotenant.run.signals import ending_signals_raise
from cotenant.run.steps import steps
from cotenant.trace import perfetto_file, ring, timeline
from cotenant.trace.picture import Window, draw
from cotenant.trace.system import TracedSystem, read_bundle


@click.command()
@machine_options(seconds="1s")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Default: build/traces/NAME.pftrace",
)
@click.option(
    "--ring",
    "ring_size",
    type=RingSize(),
    default="16M",
    show_default=True,
    help="Memory for each hart's records, 16 bytes each; the newest are kept.",
)
@click.option(
    "--svg",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also draw a picture of a window of time.",
)
@click.option(
    "--at",
    type=Duration(),
    help="Where the window begins, in the machine's time (default: its length before the end).",
)
@click.option(
    "--length", type=Duration(), default="20ms", show_default=True, help="Length of the window."
)
@click.option(
    "--save-memory",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Save the rings as they are in memory, for --memory.",
)
@click.option(
    "--memory",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Run nothing: take the rings from this file, as a debugger or --save-memory wrote it.",
)
def trace(
    file: Path,
    output: Path | None,
    seconds: float,
    sends: tuple[tuple[str, str], ...],
    ring_size: int,
    svg: Path | None,
    at: float | None,
    length: float,
    icount: int | None,
    sstc: str | None,
    timeout: float,
    save_memory: Path | None,
    memory: Path | None,
    qemu_args: tuple[str, ...],
) -> None:
    """Run the system described by FILE and record what happens on each hart.

    The file that it writes opens in Perfetto (ui.perfetto.dev, which reads it in the browser and
    sends it nowhere): a track for each hart with a slice for each tenant, and tracks for
    interrupts, SBI calls, emulated devices, waits and faults below it. See docs/tracing.md.
    """
    if ring_size == 0 or length <= 0:
        raise click.UsageError("--ring and --length have to be more than 0")
    plan = Plan([Send(*each) for each in sends], seconds, timeout=timeout)
    choice = None if sstc is None else sstc == "on"
    messages = Console(stderr=True)
    problems: list[str] = []
    try:
        with ending_signals_raise(), TemporaryDirectory(prefix="cotenant-") as folder:
            launch = prepare(
                file,
                Path(folder) / "bundle.bin",
                console_mode="framed",
                sstc=choice,
                trace_ring=ring_size,
                counted=icount is not None,
            )
            system = read_bundle(launch.built.bundle)
            if memory:
                rings = _read(memory)
            else:
                report_warnings(launch.built.system)
                with steps(messages) as report:
                    rings, problems = _run(launch, plan, icount, qemu_args, report)
        if save_memory:
            _write(save_memory, rings)
        harts = _show(rings, system, output or paths.TRACES / f"{file.stem}.pftrace")
        if svg:
            draw(harts, _window(harts, at, length), svg)
            click.echo(f"{paths.shown(svg)}: drawn")
    except ConfigError as error:
        report_mistakes(error)
        sys.exit(1)
    except CotenantError as error:
        raise click.ClickException(str(error)) from error
    for problem in problems:
        click.echo(f"Error: {problem}", err=True)
    sys.exit(1 if problems else 0)


def _run(
    launch: Launch,
    plan: Plan,
    icount: int | None,
    qemu_args: tuple[str, ...],
    report: Callable[[str], None],
) -> tuple[bytes, list[str]]:
    """Return the rings, and what went wrong in the run although they could be read."""
    result, rings = tracing.run(launch, plan, icount, qemu_args, report)
    return rings, result.problems()


def _read(memory: Path) -> bytes:
    try:
        return memory.read_bytes()
    except OSError as error:
        raise TraceError(f"{memory} cannot be read: {error.strerror}") from error


def _write(memory: Path, rings: bytes) -> None:
    try:
        with durable.replacing(memory) as file:
            file.write(rings)
    except OSError as error:
        raise TraceError(f"{memory} cannot be written: {error.strerror}") from error


def _show(rings: bytes, system: TracedSystem, output: Path) -> list[timeline.HartTimeline]:
    """Write the file for Perfetto, tell what is in it, and return the timelines."""
    decoded = ring.decode(rings, system)
    harts = timeline.build(decoded, system)
    if not harts:
        raise TraceError("nothing was recorded: the monitor had not yet started a tenant")
    perfetto_file.write(harts, output)
    for one in decoded:
        lost = f", {one.lost:,} older ones overwritten" if one.lost else ""
        click.echo(f"hart {system.harts[one.hart]}: {len(one.records):,} records{lost}")
    for hart in harts:
        if longest := hart.longest_trap():
            click.echo(
                f"{hart.name}: longest in the monitor: {longest.name} of tenant "
                f"{longest.details['tenant']}, {(longest.end - longest.start) / 1000:.1f} us "
                f"at {longest.start / 1e9:.6f} s"
            )
    click.echo(f"{paths.shown(output)}: open it at ui.perfetto.dev")
    return harts


def _window(harts: list[timeline.HartTimeline], at: float | None, length: float) -> Window:
    nanoseconds = int(length * 1e9)
    last = max(hart.running[-1].end for hart in harts if hart.running)
    return Window(last - nanoseconds if at is None else int(at * 1e9), nanoseconds)
