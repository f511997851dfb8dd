# SPDX-License-Identifier: BSD-2-Clause
"""What a run shows to people: what was started, and what came of it."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cotenant.run.results import RunResult, parse_latency
from cotenant.system import BuiltSystem

_COLUMNS = ("tenant", "state", "ready", "cpu", "switches", "interrupts", "faults")


def key_name(character: int) -> str:
    """Return how people call the key of a control character."""
    return f"Ctrl-{chr(ord('A') + character - 1)}"


def show_start(
    built: BuiltSystem, console: Console, icount: int | None = None, *, keys: bool = True
) -> None:
    """Say what is started, what its time is, and with `keys` how to leave it."""
    system = built.system
    escape = key_name(system.config.console.escape)
    focus = system.tenants[system.focus].name
    for tenant in system.tenants:
        line = Text(f"  {tenant.name:<12}", style="bold")
        line.append(f" priority {tenant.config.priority:<3} {tenant.config.image}", style="default")
        if len(system.pmp) > 1:
            harts = ", ".join(map(str, tenant.config.harts))
            line.append(f", on hart{'s' if len(tenant.config.harts) > 1 else ''} {harts}")
        console.print(line)
    if icount is None:
        console.print(
            "Time is the host's: the latencies that tenants tell have its scheduling in them."
        )
    else:
        console.print(f"Time is counted: an instruction takes {1 << icount} ns.")
    if not keys:
        return
    line = Text("The keyboard is with ")
    line.append(focus, style="bold")
    line.append(". ").append(escape, style="bold cyan").append(" is the key for the monitor: then ")
    for key, meaning in (("h", "help"), ("n", "next tenant"), ("q", "quit")):
        line.append(key, style="bold cyan").append(
            f" {meaning}, " if key != "q" else f" {meaning}."
        )
    console.print(line)
    if built.qemu is not None and not built.qemu.powers_off:
        line = Text("This board cannot switch itself off: leave QEMU with ")
        console.print(line.append("Ctrl-A x", style="bold cyan").append("."))


def show_result(result: RunResult, console: Console) -> None:
    """Print the outcome of a batch run as a table, and what the commands printed."""
    for name, tenant in result.tenants.items():
        for command in tenant.commands:
            console.print(Text(f"{name}: {command.command}", style="bold"))
            console.print(Text(command.output.rstrip("\n")))
    table = Table(*_COLUMNS, box=None)
    for name, tenant in result.tenants.items():
        table.add_row(
            name,
            "failed" if tenant.crash and tenant.crash.by_itself else tenant.stats.state,
            "yes" if tenant.ready else "no",
            f"{tenant.stats.cpu_ns / 1e9:.3f} s",
            f"{tenant.stats.switches:,}",
            f"{tenant.stats.interrupts:,}",
            f"{tenant.stats.faults:,}",
        )
    console.print(table)
    for name, tenant in result.tenants.items():
        for symptom in tenant.symptoms:
            console.print(Text(f"{name}: {symptom}"))
        if tenant.crash:
            console.print(Text(f"{name}: last crash: {tenant.crash}"))
        if latency := parse_latency(tenant.output):
            console.print(
                f"{name}: latency {latency.min_us}/{latency.avg_us}/{latency.max_us} us"
                f" (min/avg/max), {latency.missed} of {latency.samples:,} missed"
                f"{'' if result.counted else '; with the scheduling of the host in them'}"
            )
    if result.time_ns:
        digits = 3 if result.time_ns < 1e9 else 1
        console.print(f"{result.time_ns / 1e9:.{digits}f} s of the machine's time")
    else:
        console.print("The machine ended before it told its time.")
