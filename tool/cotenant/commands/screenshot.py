# SPDX-License-Identifier: BSD-2-Clause
"""`cotenant screenshot`: what a running system shows, as a file."""

from pathlib import Path

import click

from cotenant.commands.which_system import chosen_socket, socket_option, system_option
from cotenant.errors import CotenantError
from cotenant.run import display
from cotenant.run.qemu import qmp_socket


@click.command()
@system_option
@socket_option
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def screenshot(system: Path | None, socket: Path | None, file: Path) -> None:
    """Write a picture of the display of a running system to FILE, .png or .ppm.

    Without an option, the system is the only one that `cotenant run` runs.
    """
    if system is not None and socket is not None:
        raise click.UsageError("give one of --system and --socket")
    try:
        # QEMU listens beside the named socket, whichever process serves that one.
        place = chosen_socket(system, None) if socket is None else socket
        display.screenshot(qmp_socket(place), file)
    except CotenantError as error:
        raise click.ClickException(str(error)) from error
