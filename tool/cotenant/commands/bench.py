# SPDX-License-Identifier: BSD-2-Clause
"""`cotenant bench`: measure, print a table, keep the figures for the report."""

import json
import sys

import click
from rich.console import Console
from rich.table import Table

from cotenant.bench.registry import BENCHMARKS, find
from cotenant.bench.row import Row
from cotenant.bench.store import Store
from cotenant.errors import CotenantError


def _list_of_benchmarks() -> str:
    lines = [f"  {name:9} {each.description}" for name, each in BENCHMARKS.items()]
    return "\b\nBenchmarks:\n" + "\n".join(lines)


@click.command(epilog=_list_of_benchmarks())
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
@click.option("--quick", is_flag=True, help="Fewer samples.")
def bench(name: str | None, as_json: bool, quick: bool) -> None:
    """Measure: everything that takes minutes at most, or the benchmark NAME.

    The exit status tells whether every benchmark came to its end, not whether a figure keeps its
    budget. With --json, nothing is printed unless every benchmark did.
    """
    messages = Console(stderr=True)
    rows: list[Row] = []
    failures: list[str] = []
    try:
        if name is not None:
            find(name)
        store = Store.open()
    except CotenantError as error:
        raise click.ClickException(str(error)) from error
    names = [name] if name else [key for key, each in BENCHMARKS.items() if each.by_default]
    for each in names:
        try:
            with messages.status(f"measuring: {each} ({BENCHMARKS[each].description})"):
                store.forget(each)
                found = BENCHMARKS[each].load().run(quick)
                store.put(each, found, quick=quick)
        except CotenantError as error:
            failures.append(f"benchmark {each}: {error}")
            continue
        rows += found
        if not as_json:
            Console().print(_table(each, found))
    if as_json and not failures:
        click.echo(json.dumps([each.as_dict() for each in rows], indent=2))
    for failure in failures:
        click.echo(f"Error: {failure}", err=True)
    sys.exit(1 if failures else 0)


def _table(title: str, rows: list[Row]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("work")
    table.add_column("unit")
    for heading in ("ours", "other", "budget"):
        table.add_column(heading, justify="right")
    table.add_column("within")
    for row in rows:
        within = {None: "", True: "[green]yes[/]", False: "[red]no[/]"}[row.within]
        figures = [_figure(each) for each in (row.ours, row.other, row.budget)]
        table.add_row(row.name, row.unit, *figures, within)
    return table


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:,.3g}"
