# SPDX-License-Identifier: BSD-2-Clause
"""`cotenant run`: boot a system under QEMU, at the terminal or in batch."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from rich.console import Console

from cotenant.commands.check import report_mistakes, report_warnings
from cotenant.commands.parameters import lean_option, machine_options
from cotenant.control.server import default_socket, is_alive
from cotenant.errors import ConfigError, CotenantError
from cotenant.program import called_as
from cotenant.run import display as displays
from cotenant.run import report
from cotenant.run.batch import BatchRun, Plan, Send
from cotenant.run.follow import Follower
from cotenant.run.interactive import run_at_terminal
from cotenant.run.launch import Launch, prepare
from cotenant.run.lines import run_as_lines
from cotenant.run.pace import Pace
from cotenant.run.qemu import Machine, qmp_socket
from cotenant.run.session import Session
from cotenant.run.signals import ending_signals_raise
from cotenant.run.steps import steps
from cotenant.run.tour import Tour, lines_for

# At so many instructions a second, 125 million, a usual host keeps up with a busy machine.
_USUAL_SHIFT = 3


@click.command()
@machine_options(seconds=None, prefix="Batch: ")
@click.option("--batch", is_flag=True, help="Run without a user, then report.")
@click.option("--json", "as_json", is_flag=True, help="Batch: report as JSON.")
@click.option(
    "--log-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Batch: write each tenant's output to a file in this directory.",
)
@click.option(
    "--follow",
    is_flag=True,
    help="Batch: with --json too, show the tenants' output as it comes, on standard error.",
)
@click.option("--quiet", "-q", is_flag=True, help="Batch: do not show the tenants' output.")
@click.option("--keep-going", is_flag=True, help="Batch: continue after an error.")
@click.option(
    "--socket",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The socket for `cotenant ctl` (default: one named after FILE).",
)
@click.option(
    "--display",
    type=click.Choice(displays.DISPLAYS),
    default="none",
    show_default=True,
    help="Open a window for the system's display, if it has one.",
)
@click.option(
    "--realtime",
    is_flag=True,
    help="Take the machine's time from the host's clock, as is always done with several harts.",
)
@lean_option
def run(
    file: Path,
    batch: bool,
    seconds: float | None,
    as_json: bool,
    sends: tuple[tuple[str, str], ...],
    log_dir: Path | None,
    follow: bool,
    quiet: bool,
    timeout: float,
    keep_going: bool,
    icount: int | None,
    socket: Path | None,
    display: str,
    sstc: str | None,
    realtime: bool,
    lean: bool,
    qemu_args: tuple[str, ...],
) -> None:
    """Boot the system described by FILE under QEMU.

    A system with one hart runs on counted time: each instruction takes 8 ns, or 2^SHIFT ns with
    --icount, so latencies do not depend on the host. At a terminal the machine runs at the pace
    of the host's clock, in batch as fast as it can.

    At a terminal, the tenant in focus has the keyboard, and the escape key (Ctrl-T, then h for
    help, q to quit) is for the monitor. Without a terminal, the tenants' output is shown line by
    line with their names, until Ctrl-C or for the time of --for. With --batch, the exit status is
    0 if every tenant became ready and then kept running or shut down, and every command of --send
    succeeded; without --for and --send, it waits for the end of tenants that have no `ready`.
    """
    terminal = not batch and sys.stdin.isatty() and sys.stdout.isatty()
    if not batch and (as_json or sends or log_dir or follow or quiet or keep_going):
        raise click.UsageError(
            "--json, --send, --log-dir, --follow, --quiet and --keep-going need --batch"
        )
    if follow and quiet:
        raise click.UsageError("--follow shows what --quiet hides: leave one out")
    if terminal and seconds:
        raise click.UsageError("at a terminal --for needs --batch")
    if realtime and icount is not None:
        raise click.UsageError("--icount counts time, and --realtime does not: leave one out")
    mode = "mux" if terminal else "framed"
    try:
        with ending_signals_raise(), TemporaryDirectory(prefix="cotenant-") as folder:
            displays.prepare(display)
            bundle = Path(folder) / "bundle.bin"
            choice = None if sstc is None else sstc == "on"
            launch = prepare(
                file, bundle, console_mode=mode, sstc=choice, lean=lean, counted=icount is not None
            )
            report_warnings(launch.built.system)
            one_hart = len(launch.built.system.harts) == 1
            if icount is None and one_hart and not realtime:
                icount = _USUAL_SHIFT
            place = _control_socket(file, socket)
            machine = replace(
                launch.machine(icount, qemu_args),
                display=display,
                qmp=None if place is None else qmp_socket(place),
            )
            if icount is not None and not batch:
                board = launch.built.system.board
                pace = Pace(Path(folder) / "pace", board.aclint.mtime, board.timebase)
                machine = replace(machine, pace=pace)
            control = None if "control" in launch.built.monitor.left_out else place
            if batch:
                to_the_end = seconds is None and not sends
                plan = Plan(
                    [Send(*each) for each in sends], seconds or 0.0, keep_going, timeout, to_the_end
                )
                shown = follow or not (quiet or as_json)
                sys.exit(_run_batch(launch, machine, plan, log_dir, shown, as_json, control))
            report.show_start(launch.built, Console(soft_wrap=True), icount, keys=terminal)
            if not terminal:
                sys.exit(run_as_lines(launch, machine, seconds or 0.0, Console(), control))
            escape = launch.built.system.config.console.escape
            focus = launch.built.system.tenants[launch.built.system.focus].config
            tour = Tour(focus.ready, lines_for(report.key_name(escape), called_as(), str(file)))
            sys.exit(run_at_terminal(machine, escape, control, tour))
    except ConfigError as error:
        report_mistakes(error, as_json)
        sys.exit(1)
    except CotenantError as error:
        raise click.ClickException(str(error)) from error


def _control_socket(system: Path, wanted: Path | None) -> Path | None:
    """Return the place of the socket; None if the usual one belongs to a system that runs."""
    if wanted is not None:
        return wanted
    usual = default_socket(system)
    if is_alive(usual):
        click.echo(f"warning: {usual} is taken: cotenant ctl reaches the other system", err=True)
        return None
    return usual


def _run_batch(
    launch: Launch,
    machine: Machine,
    plan: Plan,
    log_dir: Path | None,
    follow: bool,
    as_json: bool,
    control: Path | None,
) -> int:
    """Carry out a batch run, print its outcome, return the exit status."""
    messages = Console(stderr=True)
    follower = None
    if follow:
        symbols = {port.name: port.symbol for port in launch.ports}
        follower = Follower(
            [*symbols],
            messages,
            lambda name, place: symbols[name](place) if name in symbols else None,
        )
    session = Session(
        machine,
        launch.ports,
        log_dir=log_dir,
        follow=follower.show if follower else None,
        socket=control,
    )
    with steps(messages) as tell:
        result = BatchRun(session, plan, tell).run()
    if follower:
        follower.finish()
    if as_json:
        click.echo(json.dumps(result.as_dict(), indent=2))
    else:
        report.show_result(result, Console())
    for problem in result.problems():
        click.echo(f"Error: {problem}", err=True)
    return 0 if result.ok else 1
