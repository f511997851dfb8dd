# SPDX-License-Identifier: BSD-2-Clause
"""`cotenant images`: fetch, list, verify, clean."""

import json
from pathlib import Path

import click
from rich.console import Console
from rich.table import Column, Table

from cotenant.images import ImageError, built_images, open_store
from cotenant.images.catalogue import CATALOGUE
from cotenant.images.fetch import ensure
from cotenant.images.progress import ProgressDisplay
from cotenant.images.store import Store, copy_whole
from cotenant.paths import ROOT, shown

# Of what an image was made of, how much its line in the list shows.
_MOST_SOURCES = 3


@click.group()
def images() -> None:
    """Stock images for tenants: a Debian kernel and initramfs, fetched and verified."""


@images.command()
@click.option(
    "--force", is_flag=True, help="Fetch existing images again, in their newest versions."
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
def fetch(names: tuple[str, ...], force: bool) -> None:
    """Fetch or make images that are missing or altered: those named, or the usual ones."""
    for name in names:
        if name not in CATALOGUE:
            raise click.BadParameter(f"{name!r} is none of {', '.join(CATALOGUE)}.")
    usual = [name for name, image in CATALOGUE.items() if not image.on_demand]
    try:
        with ProgressDisplay() as display:
            for name in names or usual:
                ensure(name, open_store(), ROOT, display.report, force=force)
    except ImageError as error:
        raise click.ClickException(str(error)) from error


@images.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_images(as_json: bool) -> None:
    """List the images that a configuration can name."""
    rows = _rows(open_store())
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    table = Table(
        Column("name", no_wrap=True), Column("size", justify="right"), "what", "from", box=None
    )
    for row in rows:
        size = "missing" if row["size"] is None else f"{row['size']:,}"
        source = _shortened(str(row["source"] or ""))
        table.add_row(str(row["name"]), size, str(row["description"]), source)
    Console(highlight=False).print(table)


def _shortened(source: str) -> str:
    """Return the first packages of a long list; --json has all."""
    parts = source.split(", ")
    if len(parts) <= _MOST_SOURCES:
        return source
    return f"{', '.join(parts[: _MOST_SOURCES - 1])} and {len(parts) - _MOST_SOURCES + 1} more"


@images.command()
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path))
def copy(name: str, file: Path) -> None:
    """Copy the image NAME to FILE, to write to it: a disk that keeps what a system does."""
    if name not in CATALOGUE:
        raise click.BadParameter(f"{name!r} is none of {', '.join(CATALOGUE)}.")
    try:
        with ProgressDisplay() as display:
            source = ensure(name, open_store(), ROOT, display.report)
            display.report(f"copying {name}", 0, 0)
            copy_whole(source, file)
    except ImageError as error:
        raise click.ClickException(str(error)) from error


@images.command()
def verify() -> None:
    """Compare every fetched file with its manifest; exit status 1 if one differs."""
    store = open_store()
    bad = 0
    for name in CATALOGUE:
        if store.manifest(name) is None:
            click.echo(f"{name}: not fetched")
            continue
        faults = store.faults(name)
        bad += bool(faults)
        click.echo(f"{name}: {'; '.join(faults) or 'ok'}")
    if bad:
        raise click.ClickException(
            f"{bad} of the images were altered after they were made; `cotenant images fetch` "
            "makes them again."
        )


@images.command()
def clean() -> None:
    """Remove all fetched images; the next use fetches them again."""
    click.echo(f"removed {open_store().remove():,} bytes")


def _rows(store: Store) -> list[dict[str, str | int | None]]:
    """Return one row for each image: of the catalogue, then of the project's build."""
    rows: list[dict[str, str | int | None]] = []
    for image in CATALOGUE.values():
        manifest = store.manifest(image.name)
        record = manifest.files.get(image.file) if manifest else None
        rows.append(
            {
                "name": image.name,
                "size": record.size if record else None,
                "description": image.description,
                "source": manifest.source if manifest else None,
            }
        )
    for name, file in built_images().items():
        rows.append(
            {
                "name": name,
                "size": file.stat().st_size,
                "description": "built by this project",
                "source": shown(file),
            }
        )
    return rows
