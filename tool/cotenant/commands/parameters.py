# SPDX-License-Identifier: BSD-2-Clause
"""What is given on the command line: types, and options that several commands have."""

from pathlib import Path

import click

from cotenant.abi import trace
from cotenant.units import format_size, parse_duration, parse_size


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


system_option = click.option(
    "--system",
    type=click.Path(path_type=Path),
    help="The system that `cotenant run` runs, by the file that describes it.",
)

socket_option = click.option(
    "--socket",
    type=click.Path(path_type=Path),
    help="The same, by the socket of `cotenant run --socket`.",
)

lean_option = click.option(
    "--lean", is_flag=True, help="Build the monitor without what the system does not use."
)
