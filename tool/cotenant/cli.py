# SPDX-License-Identifier: BSD-2-Clause
"""The command line: one group, whose commands live in `cotenant.commands`."""

import click

from cotenant import __version__
from cotenant.commands.bench import bench
from cotenant.commands.build import build
from cotenant.commands.check import check
from cotenant.commands.ctl import ctl, switch
from cotenant.commands.images import images
from cotenant.commands.report import report
from cotenant.commands.run import run
from cotenant.commands.screenshot import screenshot
from cotenant.commands.trace import trace


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Several operating systems on one RISC-V machine, without the hypervisor extension.

    A system is described by a TOML file: see examples/ and docs/configuration.md.
    """


for command in (check, build, run, ctl, switch, screenshot, trace, images, bench, report):
    main.add_command(command)

if __name__ == "__main__":
    main()
