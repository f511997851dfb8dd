# SPDX-License-Identifier: BSD-2-Clause
"""Tells of the PMP entries of a hart what each one matches, and what it means to each vhart."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from cotenant.pmp.accessmap import Rights
from cotenant.pmp.compiler import HartPmp, PmpSet
from cotenant.pmp.encode import Mode
from cotenant.pmp.model import Match, decode
from cotenant.ranges import Range


@dataclass(frozen=True)
class _Line:
    """One entry of one set, or of the set that vharts share. `cells`: for each of them."""

    entry: int
    mode: Mode
    area: Range | None
    cells: tuple[str, ...]

    @property
    def form(self) -> str:
        """What the entry is for: to allow, to deny what a later one allows, or as a bound."""
        if self.area is None:
            return "bound"
        allows = any(cell not in ("---", "deny") for cell in self.cells)
        return "+".join(["allow"] * allows + ["deny"] * ("deny" in self.cells))


def as_dict(result: HartPmp, names: Sequence[str]) -> dict[str, object]:
    """Return the JSON form of a hart's PMP; `names`: of the tenants, in the order of the sets."""
    return {
        "used": result.used,
        "together": result.together,
        "available": result.available,
        "permissions_only": result.shared,
        "entries": [
            {
                "entry": line.entry,
                "form": line.form,
                "mode": line.mode.name,
                "base": line.area.base if line.area else None,
                "size": line.area.size if line.area else None,
                "rights": dict(zip(whose, line.cells, strict=True)),
            }
            for whose, line in _lines(result, names)
        ],
    }


def table(hart: int, result: HartPmp, names: Sequence[str]) -> Table:
    """Return the entries of a hart, with the rights of each tenant where they share addresses."""
    how = "permissions only" if result.shared else "addresses too"
    columns = ["Entry", "Form", "Mode", "Matches"]
    made = Table(
        *([*columns, *names] if result.shared else ["Tenant", *columns, "Rights"]),
        title=f"PMP of hart {hart}: {result.used} of {result.available} entries; "
        f"a switch rewrites {how}",
        title_justify="left",
    )
    for whose, line in _lines(result, names):
        matches = str(line.area) if line.area else "-"
        cells = (str(line.entry), line.form, line.mode.name, matches, *line.cells)
        made.add_row(*(cells if result.shared else (*whose, *cells)))
    return made


def _lines(result: HartPmp, names: Sequence[str]) -> list[tuple[Sequence[str], _Line]]:
    """Return all entries in the order of priority, each with the tenants whose it is."""
    if result.shared:
        return [(names, line) for line in _lines_of(result.sets)]
    return [
        ([name], line)
        for name, registers in zip(names, result.sets, strict=True)
        for line in _lines_of([registers])
    ]


def _lines_of(sets: Sequence[PmpSet]) -> list[_Line]:
    """Return the entries of sets that have the same addresses."""
    decoded = [decode(each.addresses, each.configs) for each in sets]
    areas = {match.entry: Range(match.low, match.high - match.low) for match in decoded[0]}
    return [
        _Line(
            entry,
            Mode(sets[0].configs[entry] >> 3 & 3),
            areas.get(entry),
            tuple(_cell(matches, entry) for matches in decoded),
        )
        for entry in range(sets[0].used)
    ]


def _cell(matches: Sequence[Match], entry: int) -> str:
    """Return the rights that an entry gives: "deny" if it has none and a later one would."""
    this = next((match for match in matches if match.entry == entry), None)
    if this is None:
        return "-"
    takes_away = this.rights == Rights.NONE and any(
        later.rights and later.low < this.high and this.low < later.high
        for later in matches
        if later.entry > entry
    )
    return "deny" if takes_away else str(this.rights)
