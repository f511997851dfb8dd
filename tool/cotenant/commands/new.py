# SPDX-License-Identifier: BSD-2-Clause
"""`cotenant new`: four questions, and a system's description to begin with."""

import sys
from pathlib import Path

import click

from cotenant import config
from cotenant.errors import Mistakes
from cotenant.new_system import FREERTOS, LINUX, NOTHING, Wishes, description
from cotenant.program import called_as
from cotenant.units import parse_size

_LEAST_MEMORY = 64 << 20


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--beside",
    metavar="WHAT",
    help=f"What runs beside Debian: {FREERTOS}, {LINUX}, {NOTHING}, or the path of an image.",
)
@click.option("--memory", metavar="SIZE", help="Memory for Debian, such as 512M.")
@click.option(
    "--hart",
    type=click.Choice(["same", "own"]),
    help="The hart of the other one: Debian's, or one of its own.",
)
@click.option(
    "--control/--no-control", default=None, help="Let Debian inspect and command the other one."
)
@click.option("--yes", "-y", is_flag=True, help="Ask nothing: use the defaults.")
def new(
    file: Path,
    beside: str | None,
    memory: str | None,
    hart: str | None,
    control: bool | None,
    yes: bool,
) -> None:
    """Write FILE, the description of a new system, with comments.

    At a terminal, asks for everything that the options do not give; elsewhere, and with --yes,
    uses the defaults: FreeRTOS beside a Debian with 512M, on the same hart, without control.
    """
    if file.exists():
        raise click.ClickException(f"{file} exists already: choose another name")
    ask = not yes and sys.stdin.isatty()
    if beside is None:
        beside = _asked(
            f"What runs beside Debian? {FREERTOS}, {LINUX}, {NOTHING}, or the path of an image",
            FREERTOS,
            ask,
        )
    _check_image(beside, file)
    memory = memory or _asked("How much memory has Debian?", "512M", ask)
    _check_memory(memory)
    alone = beside == NOTHING
    if hart is None:
        hart = "same" if alone else _asked("On the same hart, or its own? same, own", "same", ask)
    if hart not in ("same", "own"):
        raise click.ClickException(f"{hart!r} is neither same nor own")
    if control is None:
        question = "May Debian look at, stop and restart the other one? yes, no"
        control = not alone and _asked(question, "no", ask).lower().startswith("y")
    text = description(Wishes(beside, memory, hart == "own", control), called_as(), str(file))
    _write(file, text)
    click.echo(f"{file}: written. Look at it, then: {called_as()} run {file}")


def _asked(question: str, usual: str, ask: bool) -> str:
    return str(click.prompt(question, default=usual)).strip() if ask else usual


def _check_image(beside: str, file: Path) -> None:
    if beside in (FREERTOS, LINUX, NOTHING):
        return
    if not beside.isprintable() or ("/" not in beside and not (file.parent / beside).is_file()):
        raise click.ClickException(
            f"{beside!r} is none of {FREERTOS}, {LINUX} and {NOTHING}, and no file beside {file}; "
            "the path of an image has a / in it, such as ./rtos.elf"
        )


def _check_memory(memory: str) -> None:
    try:
        size = parse_size(memory)
    except ValueError as error:
        raise click.ClickException(f"{error}; write it like 512M") from error
    if size < _LEAST_MEMORY:
        raise click.ClickException(f"{memory} is not enough for Debian: give it 64M at least")


def _write(file: Path, text: str) -> None:
    """Write a description that is read without a mistake; FILE is not there otherwise."""
    try:
        with file.open("x") as made:
            made.write(text)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written: {error.strerror}") from error
    mistakes = Mistakes(file)
    config.load(file, mistakes)
    if mistakes.found:
        file.unlink()
        raise click.ClickException("; ".join(str(each) for each in mistakes.found))
