# SPDX-License-Identifier: BSD-2-Clause
"""A row of the table that every benchmark gives."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """One figure: ours, the alternative's in the same run, and what it may be.

    `within` tells whether `ours` keeps the budget; None where there is no budget.
    """

    name: str
    unit: str
    ours: float
    other: float | None = None
    budget: float | None = None
    within: bool | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)


def printed(value: float | None) -> str:
    """Return a figure as people read it; nothing for None."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:,.4g}"


def row(
    name: str, unit: str, ours: float, other: float | None = None, budget: float | None = None
) -> Row:
    """Return a row that is within its budget when `ours` is at most that."""
    return Row(name, unit, ours, other, budget, None if budget is None else ours <= budget)
