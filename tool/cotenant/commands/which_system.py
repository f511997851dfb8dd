# SPDX-License-Identifier: BSD-2-Clause
"""The options that say which running system is meant, and where it is."""

from pathlib import Path

import click

from cotenant.control.server import SUFFIX, default_socket, is_alive, socket_folder
from cotenant.errors import CotenantError
from cotenant.program import called_as

system_option = click.option(
    "--system",
    type=click.Path(path_type=Path),
    help="The system that `cotenant run` runs, by the file that describes it.",
)

socket_option = click.option(
    "--socket",
    type=click.Path(path_type=Path),
    help="The same, by the socket of `cotenant run --socket`.",
)


def chosen_socket(system: Path | None, socket: Path | None) -> Path:
    """Return the socket of a system that runs, by what the user said of it; CotenantError if none.

    Without a word, the one system that runs is meant.
    """
    if system is None and socket is None:
        return the_only_socket()
    if system is not None:
        place = default_socket(system)
        missing = f"{system} does not run: start it with '{called_as()} run {system}'"
    else:
        assert socket is not None
        place = socket
        missing = f"no system that runs has the socket {socket}"
    if not is_alive(place):
        raise CotenantError(missing + _others())
    return place


def _running() -> list[Path]:
    return [each for each in sorted(socket_folder().glob(f"*{SUFFIX}")) if is_alive(each)]


def _others() -> str:
    names = ", ".join(each.stem for each in _running())
    return f" (what runs: {names})" if names else ""


def the_only_socket() -> Path:
    """Return the socket of the one system that runs."""
    found = _running()
    if len(found) == 1:
        return found[0]
    if not found:
        raise CotenantError(f"no system runs here: start one with '{called_as()} run FILE'")
    names = ", ".join(each.stem for each in found)
    raise CotenantError(f"several systems run ({names}): choose one with --system FILE")
