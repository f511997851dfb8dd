# SPDX-License-Identifier: BSD-2-Clause
"""`cotenant report`: the page of the figures that were measured last, without measuring."""

import click

from cotenant import paths
from cotenant.bench.markdown import tables
from cotenant.bench.store import Store
from cotenant.errors import CotenantError


@click.command()
@click.option(
    "--markdown", is_flag=True, help="Instead: print the tables, for docs/performance.md."
)
def report(markdown: bool) -> None:
    """Write build/report/index.html again from what `cotenant bench` has measured."""
    # Drawing needs a large library, which the other commands need not wait for.
    from cotenant.bench.page import write_page

    try:
        store = Store.open()
        if not store.results:
            raise click.ClickException("nothing has been measured yet: run 'cotenant bench' first")
        if markdown:
            click.echo(tables(store))
            return
        page = write_page(store)
    except CotenantError as error:
        raise click.ClickException(str(error)) from error
    click.echo(paths.shown(page))
