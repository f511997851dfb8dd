# SPDX-License-Identifier: BSD-2-Clause
"""`cotenant build`: write the bundle of a system."""

import sys
from pathlib import Path

import click

from cotenant import paths, sdcard
from cotenant import system as systems
from cotenant.commands.check import report_mistakes, report_warnings, show_monitor
from cotenant.commands.parameters import RingSize, lean_option
from cotenant.errors import BuildError, ConfigError, CotenantError
from cotenant.units import format_size

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def _write_card(
    output: Path,
    built: systems.BuiltSystem,
    spl: Path,
    next_stage: Path | None,
    tree: Path | None,
) -> None:
    """Write a card; its tree is the one of the first tenant that has one, if none is named."""
    inside = built.system.own_trees
    if tree is None and not inside:
        raise BuildError("SPL wants the board's device tree: name it with --tree")
    parts = sdcard.Parts(
        spl.read_bytes(),
        None if next_stage is None else next_stage.read_bytes(),
        inside[0] if tree is None else tree.read_bytes(),
    )
    sdcard.write(output, built.system, built.bundle.read_bytes(), parts)


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
@click.option(
    "--sdcard",
    "card",
    type=click.Path(path_type=Path),
    help="Write the image of an SD card that boots the board with the bundle, too.",
)
@click.option("--spl", type=_FILE, help="For --sdcard: U-Boot's SPL for the board.")
@click.option("--next-stage", type=_FILE, help="For --sdcard: what SPL loads besides, as U-Boot.")
@click.option("--tree", type=_FILE, help="For --sdcard: the board's device tree, for SPL.")
@lean_option
def build(
    file: Path,
    output: Path | None,
    sstc: str | None,
    console: str,
    ring: int,
    card: Path | None,
    spl: Path | None,
    next_stage: Path | None,
    tree: Path | None,
    lean: bool,
) -> None:
    """Build the bundle of the system described by FILE: what the machine boots."""
    for name, given in {"--spl": spl, "--next-stage": next_stage, "--tree": tree}.items():
        if given is not None and card is None:
            raise click.UsageError(f"{name} is for --sdcard alone")
    if card is not None and spl is None:
        raise click.UsageError("--sdcard needs U-Boot's SPL for the board: --spl FILE")
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
        if card is not None and spl is not None:
            _write_card(card, built, spl, next_stage, tree)
    except ConfigError as error:
        report_mistakes(error)
        sys.exit(1)
    except CotenantError as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from error
    size = format_size(built.bundle.stat().st_size)
    click.echo(f"{paths.shown(built.bundle)}: {size}, {len(built.tenants)} tenants")
    if card is not None:
        size = format_size(card.stat().st_size)
        click.echo(f"{paths.shown(card)}: {size}, for a card; not tried on the board itself")
    if built.monitor.left_out:
        show_monitor(built.monitor)
    if ring:
        click.echo(f"trace: {system.trace.size:#x} bytes at {system.trace.base:#x}")
