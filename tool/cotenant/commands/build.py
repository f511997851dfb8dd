# SPDX-License-Identifier: BSD-2-Clause
"""`cotenant build`: write the bundle of a system."""

import sys
from pathlib import Path

import click

from cotenant import paths
from cotenant import system as systems
from cotenant.commands.check import report_mistakes, report_warnings, show_monitor
from cotenant.commands.parameters import RingSize, lean_option
from cotenant.errors import ConfigError, CotenantError
from cotenant.units import format_size


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Default: build/bundles/NAME.bin"
)
@click.option("--sstc", type=click.Choice(["on", "off"]), help="Override the key sstc.")
@click.option(
    "--console",
    type=click.Choice(["mux", "framed"]),
    default="mux",
    show_default=True,
    help="The console line for people (mux) or for programs (framed).",
)
@click.option(
    "--trace",
    "ring",
    type=RingSize(),
    default=0,
    help="Let the monitor record events, with this much memory for each hart: 1M, 16M.",
)
@lean_option
def build(
    file: Path, output: Path | None, sstc: str | None, console: str, ring: int, lean: bool
) -> None:
    """Build the bundle of the system described by FILE: what the machine boots."""
    try:
        system = systems.load(
            file,
            sstc=None if sstc is None else sstc == "on",
            console_mode=console,
            trace_ring=ring,
            lean=lean,
        )
        report_warnings(system)
        built = systems.build(system, output or systems.default_output(system), keep=True)
    except ConfigError as error:
        report_mistakes(error)
        sys.exit(1)
    except CotenantError as error:
        raise click.ClickException(str(error)) from error
    size = format_size(built.bundle.stat().st_size)
    click.echo(f"{paths.shown(built.bundle)}: {size}, {len(built.tenants)} tenants")
    if built.monitor.left_out:
        show_monitor(built.monitor)
    if ring:
        click.echo(f"trace: {system.trace.size:#x} bytes at {system.trace.base:#x}")
