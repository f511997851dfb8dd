# SPDX-License-Identifier: BSD-2-Clause
"""`cotenant ctl`: cotenantctl, for a system that this machine runs or is connected to."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from cotenant import paths
from cotenant.commands.which_system import chosen_socket, socket_option, system_option
from cotenant.control.server import SUFFIX, ControlServer
from cotenant.errors import CotenantError
from cotenant.program import called_as

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
    """Inspect and control the tenants of a running system, from outside.

    Without an option, the system is the only one that `cotenant run` runs.
    """
    if sum(each is not None for each in (system, socket, serial)) > 1:
        raise click.UsageError("give one of --system, --socket and --serial")
    if not words or _asks_for_help(words):
        sys.exit(_run(words))
    try:
        with ExitStack() as stack:
            if serial is not None:
                place = stack.enter_context(_served(serial, framed, escape))
            else:
                place = chosen_socket(system, socket)
            sys.exit(_run(("--port", str(place), *words)))
    except CotenantError as error:
        raise click.ClickException(str(error)) from error


@contextmanager
def _served(serial: Path, framed: bool, escape: str) -> Iterator[Path]:
    """Give a socket at which the system answers whose console line a device is."""
    # What this needs is not waited for where a system has a socket of its own.
    from cotenant.config import parse_escape
    from cotenant.control.serial import open_serial

    try:
        key = parse_escape(escape)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--escape") from error
    with (
        open_serial(serial, framed, key) as line,
        TemporaryDirectory(prefix="cotenant-") as folder,
        ControlServer(Path(folder) / f"line{SUFFIX}", line.exchange) as server,
    ):
        yield server.path


def _run(words: tuple[str, ...]) -> int:
    """Run cotenantctl, which calls itself what the user typed; return its exit status."""
    name = f"{called_as()} ctl"
    try:
        return subprocess.run([name, *words], executable=PROGRAM, check=False).returncode
    except FileNotFoundError as error:
        raise click.ClickException(
            f"{paths.shown(PROGRAM)} is not built: run 'make build'"
        ) from error


def _asks_for_help(words: tuple[str, ...]) -> bool:
    return any(word in ("--help", "-?", "--usage", "--version", "-V") for word in words)


@click.command()
@system_option
@click.argument("tenant")
@click.pass_context
def switch(context: click.Context, system: Path | None, tenant: str) -> None:
    """Bring TENANT to the foreground of its group: short for `ctl switch TENANT`.

    The active member is asked to suspend; the monitor's log has the outcome.
    """
    context.invoke(ctl, system=system, escape="ctrl-t", words=("switch", tenant))
