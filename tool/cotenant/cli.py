# SPDX-License-Identifier: BSD-2-Clause
"""The command line: one group, whose commands live in `cotenant.commands`.

A command is imported when it is called: the help, and `ctl`, do not wait for what others need.
"""

from importlib import import_module

import click

from cotenant import __version__, paths
from cotenant.program import called_as

# Each with what the list of commands says about it; its module has its name.
_COMMANDS = {
    "run": "Boot a system under QEMU.",
    "new": "Describe a system of your own: four questions, one file.",
    "check": "Check a system's description and report every mistake.",
    "build": "Build the bundle of a system, which the machine boots.",
    "ctl": "Inspect and control the tenants of a running system.",
    "switch": "Bring a tenant to the foreground of its group.",
    "screenshot": "Write a picture of a running system's display.",
    "trace": "Run a system and record what happens on each hart.",
    "board": "Make a board file from a device tree.",
    "images": "Fetch, list and verify the stock images for tenants.",
    "bench": "Measure, and store the figures.",
    "report": "Write a report of the measurements.",
    "torture": "Attack the monitor at random beside honest tenants.",
}
_MODULES = {"switch": "ctl"}

_FIRST_STEPS = """\
Cotenant: several operating systems on one RISC-V machine.

{steps}

All commands: {program} --help"""

_IN_A_TREE = """\
  {program} run examples/linux-freertos.toml   boots Debian beside FreeRTOS
  {program} ctl top                            in another terminal: CPU use
  {program} new mine.toml                      describes a system of your own"""

_INSTALLED = """\
  {program} new mine.toml    describes a system: Debian beside FreeRTOS, or your own
  {program} run mine.toml    boots it
  {program} ctl top          in another terminal: CPU use"""


class _Commands(click.Group):
    """Knows its commands by name, and imports one when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"cotenant.commands.{_MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__)
@click.pass_context
def main(context: click.Context) -> None:
    """Several operating systems on one RISC-V machine, without the hypervisor extension.

    A system is described by a TOML file: see examples/ and docs/configuration.md.
    """
    if context.invoked_subcommand is None:
        steps = (_INSTALLED if paths.INSTALLED else _IN_A_TREE).format(program=called_as())
        click.echo(_FIRST_STEPS.format(steps=steps, program=called_as()))


if __name__ == "__main__":
    main()
