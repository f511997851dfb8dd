# SPDX-License-Identifier: BSD-2-Clause
"""`cotenant bench`: measure, print a table, keep the figures for the report."""

import json
import sys

import click
from rich.console import Console
from rich.table import Table

from cotenant import paths
from cotenant.bench import expected
from cotenant.bench.registry import BENCHMARKS, wanted
from cotenant.bench.report.store import Store
from cotenant.bench.row import Row, printed
from cotenant.errors import CotenantError
from cotenant.run.signals import ending_signals_raise
from cotenant.run.steps import steps


def _list_of_benchmarks() -> str:
    width = max(map(len, BENCHMARKS))
    lines = [f"  {name:{width}} {each.description}" for name, each in BENCHMARKS.items()]
    return "\b\nBenchmarks:\n" + "\n".join(lines)


@click.command(epilog=_list_of_benchmarks())
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
@click.option("--quick", is_flag=True, help="Fewer samples.")
@click.option(
    "--only",
    is_flag=True,
    help="NAME alone, without the benchmarks whose figures it shows beside its own.",
)
@click.option(
    "--accept",
    is_flag=True,
    help="Instead: write the present instruction counts to bench/expected.toml.",
)
def bench(name: str | None, as_json: bool, quick: bool, only: bool, accept: bool) -> None:
    """Measure: everything that takes minutes at most, or the benchmark NAME.

    Without NAME, the benchmarks with many samples take fewer of them. Figures and histograms go to
    build/report, where index.html shows them.

    The exit status tells whether every benchmark came to its end, not whether a figure keeps its
    budget. With --json, nothing is printed unless every benchmark did.
    """
    if accept and (name or as_json or quick or only):
        raise click.UsageError("--accept cannot be combined with other options")
    try:
        with ending_signals_raise():
            if accept:
                _accept()
            else:
                _measure(name, as_json=as_json, quick=quick, only=only)
    except CotenantError as error:
        raise click.ClickException(str(error)) from error


def _measure(name: str | None, *, as_json: bool, quick: bool, only: bool) -> None:
    """Run benchmarks one after the other, the later ones even if an earlier one fails."""
    # Drawing needs a large library, which the other commands need not wait for.
    from cotenant.bench.report import paper_page
    from cotenant.bench.report.page import write_page

    benchmarks = wanted(name, alone=quick or only)
    store = Store.open()
    messages = Console(stderr=True)
    rows: list[Row] = []
    failures = 0
    for each, benchmark in benchmarks.items():
        is_quick = quick or (name is None and benchmark.quick_by_default)
        try:
            with steps(messages, f"measuring: {each} ({benchmark.description})"):
                store.forget(each)
                found = benchmark.load().run(is_quick)
                store.put(each, found, quick=is_quick)
        except CotenantError as error:
            click.echo(f"Error: benchmark {each} is not complete: {error}", err=True)
            failures += 1
            continue
        rows += found
        if not as_json:
            Console().print(_table(each, found))
    page = write_page(Store.open())
    if name == paper_page.BENCHMARK:
        page = paper_page.write_page(Store.open())
    if failures:
        sys.exit(1)
    if as_json:
        click.echo(json.dumps([each.as_dict() for each in rows], indent=2))
    else:
        click.echo(f"pictures: {paths.shown(page)}")


def _accept() -> None:
    """Write bench/expected.toml anew, and say what changes in it."""
    with steps(Console(stderr=True), "counting instructions"):
        measured = expected.measure()
    old = expected.read() if expected.FILE.is_file() else {}
    expected.write(measured)
    for change in expected.compare(old, measured):
        click.echo(str(change))
    click.echo(f"wrote {paths.shown(expected.FILE)}")


def _table(title: str, rows: list[Row]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("work")
    table.add_column("unit")
    for heading in ("ours", "other", "budget"):
        table.add_column(heading, justify="right")
    table.add_column("within")
    for row in rows:
        within = {None: "", True: "[green]yes[/]", False: "[red]no[/]"}[row.within]
        figures = [printed(each) for each in (row.ours, row.other, row.budget)]
        table.add_row(row.name, row.unit, *figures, within)
    return table
