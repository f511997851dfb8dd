# SPDX-License-Identifier: BSD-2-Clause
"""Finds the shortest sequence of actions that still fails, by delta debugging (Zeller, 2002)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from cotenant.torture.kept import Kept

Actions = Mapping[str, Kept]
"""the actions of each hostile tenant"""


@dataclass
class Shrinker:
    """Leaves actions out as long as the round still fails, at most `runs` times.

    `fails` runs what is left and tells whether it fails in the same way.
    """

    fails: Callable[[Actions], bool]
    runs: int = 200
    tried: int = field(default=0, init=False)

    def shrink(self, actions: Actions) -> dict[str, Kept]:
        """Return what is left; it fails, if `actions` does."""
        left = self._without_tenants(dict(actions))
        before = -1
        while size(left) != before and self.tried < self.runs:
            before = size(left)
            for name in sorted(left, key=lambda each: left[each].size, reverse=True):
                left = self._shrink_one(left, name)
        return left

    def _without_tenants(self, left: dict[str, Kept]) -> dict[str, Kept]:
        for name in list(left):
            candidate = {key: kept for key, kept in left.items() if key != name}
            if left[name] and candidate and self._still_fails(candidate):
                left = candidate
        return left

    def _shrink_one(self, left: dict[str, Kept], name: str) -> dict[str, Kept]:
        pieces = 2
        while left[name].size > 1 and self.tried < self.runs:
            smaller = next(
                (each for each in self._candidates(left, name, pieces) if self._still_fails(each)),
                None,
            )
            if smaller is not None:
                alone = smaller[name].size * 2 <= left[name].size and pieces > 2
                left = smaller
                pieces = 2 if alone else max(pieces - 1, 2)
            elif pieces >= left[name].size:
                break
            else:
                pieces = min(2 * pieces, left[name].size)
        return left

    def _candidates(
        self, left: dict[str, Kept], name: str, pieces: int
    ) -> Iterator[dict[str, Kept]]:
        """Give each piece alone, then all but each piece."""
        kept = left[name]
        edges = [kept.size * index // pieces for index in range(pieces + 1)]
        bounds = list(pairwise(edges))
        for start, stop in bounds:
            yield left | {name: kept.part(start, stop)}
        if pieces > 2:
            for start, stop in bounds:
                yield left | {name: kept.without(start, stop)}

    def _still_fails(self, actions: dict[str, Kept]) -> bool:
        if self.tried >= self.runs:
            return False
        self.tried += 1
        return self.fails(actions)


def size(actions: Actions) -> int:
    """Return how many actions there are."""
    return sum(kept.size for kept in actions.values())
