# SPDX-License-Identifier: BSD-2-Clause
"""`cotenant board`: board files out of device trees."""

import json
import sys
from pathlib import Path

import click

from cotenant import durable, paths
from cotenant.board_import import import_tree
from cotenant.board_import.survey import Surveyed, put_into, survey, table
from cotenant.errors import CotenantError
from cotenant.images import open_store
from cotenant.images.fetch import ensure
from cotenant.images.kernel_images import DEVICE_TREES, TREE_SUFFIX
from cotenant.images.progress import ProgressDisplay

_DOCUMENT = paths.ROOT / "docs" / "boards.md"


@click.group()
def board() -> None:
    """Make board files from device trees."""


@board.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the board file here, such as boards/NAME.toml (default: standard output).",
)
@click.option(
    "--uart",
    metavar="NAME",
    help="The UART for the monitor, by its alias or path (default: that of stdout-path).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
def import_(file: Path, output: Path | None, uart: str | None, as_json: bool) -> None:
    """Make a board file from the device tree FILE, a .dtb.

    Prints, and writes into the file, a sentence for everything that the tree does not say or that
    was not understood. If the monitor cannot run on the machine, there is no file, the sentences
    say why, and the exit status is 1.
    """
    try:
        imported = import_tree(file, uart)
        if output is not None and imported.text is not None:
            with durable.replacing(output) as made:
                made.write(imported.text.encode())
    except OSError as error:
        raise click.ClickException(f"{output} cannot be written: {error.strerror}") from error
    except CotenantError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        result = {
            "ok": imported.text is not None,
            "model": imported.model,
            "problems": imported.problems,
            "notes": imported.notes,
            "board": imported.text,
        }
        click.echo(json.dumps(result, indent=2))
    else:
        for sentence in (*imported.problems, *imported.notes):
            click.echo(f"{file.name}: {sentence}", err=True)
        if imported.text is None:
            click.echo(f"Error: no board file can be made of {file}", err=True)
        elif output is None:
            click.echo(imported.text, nl=False)
        else:
            click.echo(f"{output}: {imported.model}")
    sys.exit(0 if imported.text is not None else 1)


@board.command("survey")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--docs", is_flag=True, help="Write the table into docs/boards.md instead.")
def survey_(files: tuple[Path, ...], docs: bool) -> None:
    """Import each of FILES, by default all device trees of Debian's kernel, and print a table."""
    try:
        found, source = (survey(files), "the files given") if files else _debian()
    except CotenantError as error:
        raise click.ClickException(str(error)) from error
    text = table(found, source)
    if not docs:
        click.echo(text, nl=False)
        return
    _DOCUMENT.write_text(put_into(_DOCUMENT.read_text(), text))
    click.echo(f"{paths.shown(_DOCUMENT)}: {len(found)} device trees")


def _debian() -> tuple[list[Surveyed], str]:
    store = open_store()
    with ProgressDisplay() as display:
        listed = ensure(DEVICE_TREES, store, paths.ROOT, display.report)
    manifest = store.manifest(DEVICE_TREES)
    name, _, version = (manifest.source if manifest else "the kernel").partition(" ")
    files = listed.parent.glob(f"*{TREE_SUFFIX}")
    return survey(files), f"Debian's package `{name}` {version}".rstrip()
