# SPDX-License-Identifier: BSD-2-Clause
"""What is given on the command line: types, and options that several commands have."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from cotenant.abi import trace
from cotenant.run.session import DEFAULT_TIMEOUT
from cotenant.units import format_size, parse_duration, parse_size

Command = TypeVar("Command", bound=Callable[..., Any])


class Duration(click.ParamType[float]):
    """A time such as 20s or 500ms, as seconds."""

    name = "duration"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return seconds."""
        if isinstance(value, float):
            return value
        try:
            return parse_duration(str(value)) / 1e6
        except ValueError as error:
            self.fail(f"{error}; write it like 20s or 500ms", param, ctx)


class RingSize(click.ParamType[int]):
    """Memory for the trace of a hart, such as 1M, as bytes; 0 for none."""

    name = "size"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return bytes."""
        least, most = trace("RING_LEAST"), trace("RING_MOST")
        try:
            size = value if isinstance(value, int) else parse_size(str(value))
        except ValueError as error:
            self.fail(f"{error}; write it like 1M", param, ctx)
        if size and (not least <= size <= most or size % least):
            self.fail(
                f"{format_size(size)} is not between {format_size(least)} and {format_size(most)} "
                f"in steps of {format_size(least)}",
                param,
                ctx,
            )
        return size


lean_option = click.option(
    "--lean", is_flag=True, help="Build a monitor with only the features that the system uses."
)


def machine_options(*, seconds: str | None, prefix: str = "") -> Callable[[Command], Command]:
    """Return a decorator for the options that `run` and `trace` share, and their argument FILE.

    `seconds` is the default length of a run without a user; `prefix` is put before the help of
    options that concern only such a run.
    """

    def text(sentence: str) -> str:
        return f"{prefix}{sentence[0].lower()}{sentence[1:]}" if prefix else sentence

    options = [
        click.argument("file", type=click.Path(path_type=Path)),
        click.option(
            "--for",
            "seconds",
            type=Duration(),
            default=seconds,
            show_default=True,
            help=text("Run for this machine time after all tenants are ready and all is sent."),
        ),
        click.option(
            "--send",
            "sends",
            type=(str, str),
            multiple=True,
            metavar="TENANT COMMAND",
            help=text("Type a command into the tenant's shell and wait for its end. Repeatable."),
        ),
        click.option(
            "--timeout",
            type=Duration(),
            default=DEFAULT_TIMEOUT,
            help=text("Give up after this time by the host's clock (default: 600s)."),
        ),
        click.option(
            "--icount",
            type=click.IntRange(0, 10),
            metavar="SHIFT",
            help="Count 2^SHIFT ns for each instruction, so that runs do not depend on the host's "
            "load. One hart only.",
        ),
        click.option("--sstc", type=click.Choice(["on", "off"]), help="Override the key sstc."),
        click.option(
            "--qemu-arg", "qemu_args", multiple=True, help="A further QEMU argument. Repeatable."
        ),
    ]

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add
