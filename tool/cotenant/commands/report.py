# SPDX-License-Identifier: BSD-2-Clause
"""`cotenant report`: what was measured last, as a page or in the documents, without measuring."""

import sys

import click

from cotenant import paths
from cotenant.bench.report import documents, kept
from cotenant.bench.report.markdown import tables
from cotenant.bench.report.store import Store
from cotenant.errors import CotenantError


@click.command()
@click.option("--markdown", is_flag=True, help="Instead: print the tables.")
@click.option(
    "--docs",
    is_flag=True,
    help="Instead: keep the new complete results in bench/results, and write the figures of "
    "README.md and docs anew.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Instead: check that README.md and docs have the figures of bench/results.",
)
def report(markdown: bool, docs: bool, check: bool) -> None:
    """Write build/report/index.html and papers.html from the results of `cotenant bench`."""
    if markdown + docs + check > 1:
        raise click.UsageError("--markdown, --docs and --check exclude each other")
    try:
        if check:
            _check()
        elif docs:
            _write_documents()
        else:
            _report(markdown)
    except CotenantError as error:
        raise click.ClickException(str(error)) from error


def _report(markdown: bool) -> None:
    # Drawing needs a large library, which the other commands need not wait for.
    from cotenant.bench.report import paper_page
    from cotenant.bench.report.page import write_page

    store = Store.open()
    if not store.results:
        raise click.ClickException("nothing has been measured yet: run 'cotenant bench' first")
    if markdown:
        click.echo(tables(store))
    else:
        click.echo(paths.shown(write_page(store)))
        click.echo(paths.shown(paper_page.write_page(store)))


def _write_documents() -> None:
    # Drawing needs a large library, which the other commands need not wait for.
    from cotenant.bench.report import paper_page

    store = Store.open()
    for name in kept.take_over(store):
        click.echo(f"kept the new results of {name}")
        if name == paper_page.BENCHMARK:
            paper_page.take_over_pictures(store)
    for document, text in documents.outdated(kept.read()).items():
        document.write_text(text, encoding="utf-8")
        click.echo(f"wrote {paths.shown(document)}")


def _check() -> None:
    outdated = documents.outdated(kept.read())
    for document in outdated:
        click.echo(f"{paths.shown(document)} does not have the figures of bench/results", err=True)
    if outdated:
        click.echo("run 'cotenant report --docs'", err=True)
        sys.exit(1)
