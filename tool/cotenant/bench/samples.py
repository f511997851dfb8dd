# SPDX-License-Identifier: BSD-2-Clause
"""What the programs of tenants/bench print: lines `bench: NAME VALUE...`, then `bench: end`."""

import re

from cotenant.errors import BenchError

_LINE = re.compile(r"^bench: (\S+)((?: \d+)*)\r?$", re.MULTILINE)
_END = "end"


def parse(output: str, who: str) -> list[tuple[str, list[int]]]:
    """Return the lines of a complete run, in order. Raises BenchError if the end is missing."""
    lines = [
        (found[1], [int(each) for each in found[2].split()]) for found in _LINE.finditer(output)
    ]
    if not lines or lines[-1][0] != _END:
        raise BenchError(
            f"{who} ended before its measurement was complete; its last output is {output[-300:]!r}"
        )
    return lines[:-1]


def medians(output: str, who: str) -> dict[str, int]:
    """Return the first value of each line of a complete run: its median."""
    return {name: values[0] for name, values in parse(output, who)}
