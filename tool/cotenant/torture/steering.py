# SPDX-License-Identifier: BSD-2-Clause
"""What the coverage of earlier rounds says about what to do more of."""

from dataclasses import dataclass, field
from typing import Any

from cotenant.torture.rounds import KINDS, SPICES

_MOST_CREDIT = 100


@dataclass
class Merits:
    """How often each kind and spice had emphasis, and how many new blocks that brought."""

    rounds: dict[str, int] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)

    def learn(self, stress: tuple[str, ...], new_blocks: int) -> None:
        """Count a round. What the very first ones reach is not much to their credit."""
        new_blocks = min(new_blocks, _MOST_CREDIT)
        for name in stress:
            self.rounds[name] = self.rounds.get(name, 0) + 1
            self.found[name] = self.found.get(name, 0) + new_blocks

    def join(self, other: "Merits") -> None:
        """Add what another campaign learned."""
        for name, count in other.rounds.items():
            self.rounds[name] = self.rounds.get(name, 0) + count
        for name, count in other.found.items():
            self.found[name] = self.found.get(name, 0) + count

    def of_name(self, name: str) -> tuple[int, int]:
        """Return rounds and blocks."""
        return self.rounds.get(name, 0), self.found.get(name, 0)

    def weights(self) -> dict[str, float]:
        """Return how likely each should be chosen: what was never tried comes first."""
        found = {}
        for name in (*KINDS, *SPICES):
            rounds, blocks = self.of_name(name)
            found[name] = (blocks + 10) / (rounds + 1)
        return found

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"rounds": self.rounds, "found": self.found}

    @classmethod
    def of(cls, data: dict[str, Any]) -> "Merits":
        """Read the JSON form."""
        return cls(dict(data["rounds"]), dict(data["found"]))
