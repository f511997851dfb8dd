# SPDX-License-Identifier: BSD-2-Clause
"""`cotenant torture`: attack the monitor, and report what came of it."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cotenant import paths
from cotenant.errors import CotenantError
from cotenant.run.signals import ending_signals_raise
from cotenant.torture import report as reports
from cotenant.torture.campaign import Campaign, Extent
from cotenant.torture.kept import Kept
from cotenant.torture.report import Report
from cotenant.torture.rounds import KINDS, SPICES, Round, Setting

BOARDS = ("qemu-virt", "sifive-unleashed", "microchip-icicle")
_SHARD = re.compile(r"([1-9]\d*)/([1-9]\d*)")


class Shard(click.ParamType[tuple[int, int]]):
    """A part of a campaign, such as 3/16."""

    name = "shard"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Return the number and how many there are."""
        if isinstance(value, tuple):
            return value
        found = _SHARD.fullmatch(str(value))
        if not found or int(found[1]) > int(found[2]):
            self.fail(f"{value!r} is no shard; write it like 3/16", param, ctx)
        return int(found[1]), int(found[2])


class Actions(click.ParamType[int]):
    """A number such as 200000 or 2e8."""

    name = "number"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the number."""
        try:
            found = int(float(str(value)))
        except (ValueError, OverflowError):
            found = 0
        if found < 1:
            self.fail(f"{value!r} is no number of actions; write it like 200000 or 2e8", param, ctx)
        return found


@click.group(invoke_without_command=True)
@click.option("--seed", type=int, default=1, show_default=True, help="Start of all that is random.")
@click.option(
    "--actions", type=Actions(), default=1_000_000, show_default=True, help="End after so many."
)
@click.option("--hours", type=click.FloatRange(min=0), help="End after this time at the latest.")
@click.option(
    "--tenants",
    type=click.IntRange(1, 6),
    help="Hostile tenants in each round.  [default: 1 to 4, another number in each round]",
)
@click.option(
    "--harts",
    type=click.IntRange(1, 4),
    default=1,
    show_default=True,
    help="Harts of each hostile tenant. With one, time is counted in instructions.",
)
@click.option("--board", type=click.Choice(BOARDS), default=BOARDS[0], show_default=True)
@click.option(
    "--round",
    "in_round",
    type=Actions(),
    default=250_000,
    show_default=True,
    help="Actions of each hart of a hostile tenant in one round.",
)
@click.option("--shard", type=Shard(), default="1/1", help="Every N-th round: 3/16.")
@click.option("--only", type=click.IntRange(min=1), help="Repeat the round of this number.")
@click.option("--stress", default="", help="With --only: what it has, as the report names it.")
@click.option(
    "--keep",
    "keeps",
    multiple=True,
    metavar="TENANT=NUMBERS",
    help="With --only: these actions alone, such as hostile0=17,40-99. Repeatable.",
)
@click.option("--tell", is_flag=True, help="With --only and --keep: print each action.")
@click.option(
    "--shrink",
    type=click.IntRange(min=0),
    default=100,
    show_default=True,
    help="Runs to find the shortest sequence that fails.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the report.  [default: build/torture/...]",
)
@click.pass_context
def torture(
    context: click.Context,
    seed: int,
    actions: int,
    hours: float | None,
    tenants: int | None,
    harts: int,
    board: str,
    in_round: int,
    shard: tuple[int, int],
    only: int | None,
    stress: str,
    keeps: tuple[str, ...],
    tell: bool,
    shrink: int,
    output: Path | None,
) -> None:
    """Attack the monitor with several hostile tenants, beside honest ones that judge.

    Systems are made from the seed, run under QEMU, and chosen by what of the monitor they reach.
    What fails is shrunk to its shortest sequence. The exit status is 1 if a promise was broken.
    See docs/torture.md.
    """
    if context.invoked_subcommand is not None:
        return
    if only is None and (stress or keeps or tell):
        raise click.UsageError("--stress, --keep and --tell go with --only")
    setting = Setting(seed, board, tenants or 0, harts, in_round)
    folder = output or _folder(setting, shard, only)
    try:
        with ending_signals_raise(), _shown(actions) as (bar, say):
            campaign = Campaign(setting, folder, shrink, tell=say, progress=bar)
            if only is None:
                seconds = None if hours is None else hours * 3600
                found = campaign.run(Extent(actions, seconds, shard))
            else:
                one = Round(setting, only, _stress(stress), _kept(keeps), tell)
                for line in campaign.run_round(one).told:
                    say(line)
                found = campaign.report
                found.write(folder)
    except CotenantError as error:
        raise click.ClickException(str(error)) from error
    _end(found, folder)


@torture.command()
@click.argument("places", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=paths.MADE / "torture" / "merged",
    help="Folder of the report.  [default: build/torture/merged]",
)
def merge(places: tuple[Path, ...], output: Path) -> None:
    """Make one report of those in PLACES: folders of runs, or their report.json."""
    try:
        found = reports.merge([reports.read(place) for place in places])
        found.write(output)
    except CotenantError as error:
        raise click.ClickException(str(error)) from error
    _end(found, output)


def _folder(setting: Setting, shard: tuple[int, int], only: int | None) -> Path:
    words = [setting.board, f"{setting.harts}-harts" if setting.harts > 1 else "1-hart"]
    words.append(f"seed-{setting.seed}")
    words += [f"shard-{shard[0]}-of-{shard[1]}"] if shard != (1, 1) else []
    words += [f"only-{only}"] if only is not None else []
    return paths.MADE / "torture" / "-".join(words)


def _stress(text: str) -> tuple[str, ...]:
    names = tuple(filter(None, text.split(",")))
    for name in names:
        if name not in KINDS and name not in SPICES:
            raise click.BadParameter(
                f"{name!r} is none of {', '.join((*KINDS, *SPICES))}", param_hint="--stress"
            )
    return names


def _kept(texts: tuple[str, ...]) -> dict[str, Kept] | None:
    found = {}
    for text in texts:
        name, _, numbers = text.partition("=")
        try:
            found[name] = Kept.parse(numbers)
        except ValueError as error:
            raise click.BadParameter(
                f"{text!r}: write it like hostile0=17,40-99", param_hint="--keep"
            ) from error
    return found or None


@contextmanager
def _shown(actions: int) -> Iterator[tuple]:  # type: ignore[type-arg]
    """Give what shows how many actions are done, and what prints a line."""
    console = Console(stderr=True, soft_wrap=True)
    if not console.is_terminal:
        yield (lambda _done: None), (lambda line: click.echo(line, err=True))
        return
    columns = (TextColumn("torture"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("torture", total=actions)
        yield (
            lambda done: progress.update(task, completed=min(done, actions)),
            lambda line: console.print(line, markup=False, highlight=False),
        )


def _end(found: Report, folder: Path) -> None:
    click.echo(reports.markdown(found).split("## What the campaign learned")[0].rstrip())
    click.echo(f"\nreport: {paths.shown(folder / reports.MARKDOWN)}")
    if found.findings:
        sys.exit(1)
