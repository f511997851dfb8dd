# SPDX-License-Identifier: BSD-2-Clause
"""`cotenant ctl`: cotenantctl, for a system that this machine runs or is connected to."""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from cotenant import paths
from cotenant.commands.parameters import socket_option, system_option
from cotenant.config import parse_escape
from cotenant.control.serial import open_serial
from cotenant.control.server import (
    SUFFIX,
    ControlServer,
    default_socket,
    is_alive,
    socket_folder,
)
from cotenant.errors import CotenantError

PROGRAM = paths.BUILD / "cotenantctl" / "native" / "cotenantctl"


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog="VERB and what follows are those of cotenantctl: see docs/control.md.",
)
@system_option
@socket_option
@click.option(
    "--serial",
    type=click.Path(path_type=Path),
    help="A serial device or pseudo-terminal that is the system's console line.",
)
@click.option("--framed", is_flag=True, help="The line on --serial is in framed mode.")
@click.option(
    "--escape",
    default="ctrl-t",
    show_default=True,
    metavar="KEY",
    help="The escape key of the system on --serial.",
)
@click.argument("words", metavar="VERB...", nargs=-1, type=click.UNPROCESSED)
def ctl(
    system: Path | None,
    socket: Path | None,
    serial: Path | None,
    framed: bool,
    escape: str,
    words: tuple[str, ...],
) -> None:
    """Look at and control the tenants of a running system, from outside.

    Without an option, the one system that `cotenant run` runs is meant.
    """
    if sum(each is not None for each in (system, socket, serial)) > 1:
        raise click.UsageError("give one of --system, --socket and --serial")
    try:
        key = parse_escape(escape)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--escape") from error
    try:
        with ExitStack() as stack:
            if serial is not None:
                line = stack.enter_context(open_serial(serial, framed, key))
                folder = Path(stack.enter_context(TemporaryDirectory(prefix="cotenant-")))
                server = ControlServer(folder / f"line{SUFFIX}", line.exchange)
                place = stack.enter_context(server).path
            else:
                place = socket or (default_socket(system) if system else the_only_socket())
            sys.exit(
                subprocess.run([PROGRAM, "--port", str(place), *words], check=False).returncode
            )
    except CotenantError as error:
        raise click.ClickException(str(error)) from error


@click.command()
@system_option
@click.argument("tenant")
@click.pass_context
def switch(context: click.Context, system: Path | None, tenant: str) -> None:
    """Bring TENANT to the foreground of its group: short for `ctl switch TENANT`.

    The active one is asked to suspend; the monitor's log tells what came of it.
    """
    context.invoke(ctl, system=system, escape="ctrl-t", words=("switch", tenant))


def the_only_socket() -> Path:
    """Return the socket of the one system that runs."""
    found = [each for each in sorted(socket_folder().glob(f"*{SUFFIX}")) if is_alive(each)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise CotenantError("no system runs here: start one with 'cotenant run FILE'")
    names = ", ".join(each.stem for each in found)
    raise CotenantError(f"several systems run ({names}): choose one with --system FILE")
