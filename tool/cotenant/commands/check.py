# SPDX-License-Identifier: BSD-2-Clause
"""`cotenant check`: is a system valid, and what will it be?"""

import json
import sys
from pathlib import Path

import click
from rich.console import Console

from cotenant import explain, features
from cotenant.commands.parameters import lean_option
from cotenant.errors import ConfigError
from cotenant.monitor_build import Monitor, monitor_of
from cotenant.plan import System
from cotenant.system import load
from cotenant.units import format_size


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-v", "--verbose", is_flag=True, help="Show memory map, owners and PMP entries.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option("--sstc", type=click.Choice(["on", "off"]), help="Override the key sstc.")
@lean_option
def check(file: Path, verbose: bool, as_json: bool, sstc: str | None, lean: bool) -> None:
    """Check the system described by FILE and report every mistake."""
    try:
        system = load(file, sstc=None if sstc is None else sstc == "on", lean=lean)
    except ConfigError as error:
        report_mistakes(error, as_json)
        sys.exit(1)
    if as_json:
        result = {
            "ok": True,
            "mistakes": [],
            "warnings": list(system.warnings),
            "system": explain.as_dict(system),
        }
        click.echo(json.dumps(result, indent=2))
        return
    report_warnings(system)
    if verbose:
        explain.show(system, Console(soft_wrap=True))
        show_left_out(monitor_of(features.chosen(system)))
    names = ", ".join(tenant.name for tenant in system.tenants)
    click.echo(f"{file}: valid: {names} in {format_size(system.ram.size)} of RAM")


def report_mistakes(error: ConfigError, as_json: bool = False) -> None:
    """Print the mistakes of a description: for people on standard error, as JSON on output."""
    if as_json:
        mistakes = [mistake.as_dict() for mistake in error.mistakes]
        result = {"ok": False, "mistakes": mistakes, "warnings": []}
        click.echo(json.dumps(result, indent=2))
        return
    for mistake in error.mistakes:
        click.echo(str(mistake), err=True)
    count = len(error.mistakes)
    click.echo(f"{count} mistake{'s' if count > 1 else ''} found", err=True)


def show_left_out(monitor: Monitor) -> None:
    """Print what a monitor is built without."""
    left_out = ", ".join(monitor.left_out)
    click.echo(f"monitor: {f'without {left_out}' if left_out else 'with every feature'}")


def show_monitor(monitor: Monitor) -> None:
    """Print what a monitor that is built is without, and how large it is."""
    show_left_out(monitor)
    click.echo(
        f"monitor: {monitor.text_bytes:,} bytes of code and constants, from {monitor.lines:,} lines"
    )


def report_warnings(system: System) -> None:
    """Print what is valid but worth knowing."""
    for warning in system.warnings:
        click.echo(f"warning: {warning}", err=True)
