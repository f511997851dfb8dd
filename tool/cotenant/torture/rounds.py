# SPDX-License-Identifier: BSD-2-Clause
"""A round of a campaign: the system that is attacked, made from the seed and its number alone."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from cotenant.plan import System
from cotenant.torture.kept import Kept

KINDS = {
    "call": 20,
    "hot": 20,
    "feature": 5,
    "foreign": 8,
    "register": 10,
    "instruction": 10,
    "pages": 3,
    "peek": 1,
    "nap": 1,
    "rings": 4,
    "guests": 3,
    "suspend": 1,
}
"""the kinds of the payload, in its order, and how often each is chosen"""

SPICES = {
    "stream": "a stream between two",
    "net": "a network of all of them",
    "socket": "sockets between two",
    "memory": "shared memory of two",
    "group": "two that take turns, by suspending",
    "host": "guests",
    "control": "a control port that may see all",
    "lives": "one that reboots again and again",
    "machine": "one in machine mode",
    "no-uart": "one without a UART",
}
"""what a system can have beside hostile tenants"""

_EMPHASIS = 8
_DEAR_EMPHASIS = 2
_DEAR = frozenset({"rings", "pages", "nap", "suspend"})
"""kinds of which an action takes the host ten times as long as another: with more emphasis, most of
a campaign's time would go into the rounds of one of them"""
_ABOVE = 0.8
_ALONE = {"machine": "qemu-virt"}
_SLICES = ("500us", "1ms", "3ms")
_BEFORE_MS = 350
"""of quiet, in which the witness's second and third report are made"""
REPORT_WAKES = 100
PAGE = 4096

WITNESS = "witness"
KEEPER = "keeper"


@dataclass(frozen=True)
class Setting:
    """What all rounds of a campaign have in common."""

    seed: int = 1
    board: str = "qemu-virt"
    tenants: int = 0
    """hostile ones; 0: another number in each round"""
    harts: int = 1
    actions: int = 250_000
    """of each hart of each hostile tenant in a round"""

    @property
    def counted(self) -> bool:
        """Whether time is counted in instructions, so that a round repeats exactly."""
        return self.harts == 1

    @property
    def first_hart(self) -> int:
        """The board's first hart that runs tenants."""
        return 0 if self.board == "qemu-virt" else 1


@dataclass(frozen=True)
class Round:
    """One round, and what of it is left out when it is shrunk."""

    setting: Setting
    number: int
    stress: tuple[str, ...] = ()
    """kinds that are chosen more often, and what the system has"""
    kept: Mapping[str, Kept] | None = None
    """the actions of each hostile tenant that are done; None: all"""
    tell: bool = False

    @property
    def hostile(self) -> list[str]:
        """The names of the hostile tenants that count actions."""
        return [f"hostile{i}" for i in range(self._count)]

    @property
    def _count(self) -> int:
        chance = random.Random(f"tenants {self.setting.seed} {self.number}")
        count = self.setting.tenants or chance.randint(1, 4)
        return max(count, 2) if self._needs_two else count

    @property
    def _needs_two(self) -> bool:
        return bool({"stream", "net", "socket", "memory", "group", "lives"} & set(self.stress))

    @property
    def restless(self) -> str | None:
        """The one that reboots: its actions depend on when its lives begin."""
        return self.hostile[-1] if "lives" in self.stress else None

    @property
    def finishing(self) -> list[str]:
        """Those that come to an end of their actions."""
        return [name for name in self.hostile if name != self.restless and self.does(name)]

    def does(self, name: str) -> bool:
        """Whether a hostile tenant does anything."""
        return self.kept is None or bool(self.kept.get(name, Kept.none()))

    @property
    def planned(self) -> int:
        """How many actions those do that come to their end."""
        if self.kept is not None:
            return sum(self.kept[name].size for name in self.finishing) * self.setting.harts
        return len(self.finishing) * self.setting.actions * self.setting.harts

    def command(self) -> str:
        """Return the command that repeats the round."""
        one = self.setting
        words = ["torture", f"--seed {one.seed}", f"--only {self.number}"]
        words += [f"--board {one.board}"] if one.board != "qemu-virt" else []
        words += [f"--tenants {one.tenants}"] if one.tenants else []
        words += [f"--harts {one.harts}"] if one.harts > 1 else []
        words += [f"--round {one.actions}"]
        words += [f"--stress {','.join(self.stress)}"] if self.stress else []
        for name, kept in (self.kept or {}).items():
            words.append(f"--keep {name}={kept}")
        return " ".join(words)

    def describe(self, touch: Mapping[str, Sequence[int]] | None = None) -> str:
        """Return the text of the system; `touch`: for each tenant, pages that are not its own."""
        return _Text(self, touch or {}).text()


def choose_stress(chance: random.Random, merits: Mapping[str, float], board: str) -> list[str]:
    """Choose two kinds and some of the rest, more likely those of more merit."""
    kinds = _weighted(chance, {name: merits.get(name, 1.0) for name in KINDS}, 2)
    there = {name: merits.get(name, 1.0) for name in SPICES if _ALONE.get(name) in (None, board)}
    return sorted({*kinds, *_weighted(chance, there, chance.randint(1, 4))})


def _weighted(chance: random.Random, weights: Mapping[str, float], count: int) -> list[str]:
    left = dict(weights)
    found = []
    for _ in range(min(count, len(left))):
        name = chance.choices(list(left), list(left.values()))[0]
        found.append(name)
        del left[name]
    return found


@dataclass
class _Text:
    """Writes the description of a round's system."""

    round: Round
    touch: Mapping[str, Sequence[int]]
    chance: random.Random = field(init=False)

    def __post_init__(self) -> None:
        one = self.round
        self.chance = random.Random(f"system {one.setting.seed} {one.number}")

    def text(self) -> str:
        setting = self.round.setting
        sstc = setting.board == "qemu-virt" and self.chance.random() < 0.5
        parts = [
            f'board = "{setting.board}"',
            f"sstc = {str(sstc).lower()}",
            f"seed = {setting.seed}",
            self._witness(),
            self._keeper(),
            *(self._hostile(index, name) for index, name in enumerate(self.round.hostile)),
            *self._channels(),
        ]
        if self._has("machine"):
            parts.append(self._machine())
        if self._has("group"):
            parts.append('[group.desk]\nmembers = ["hostile0", "hostile1"]')
        return "\n".join(parts) + "\n"

    def _has(self, spice: str) -> bool:
        return spice in self.round.stress

    def _harts(self) -> list[int]:
        setting = self.round.setting
        return [setting.first_hart + index for index in range(setting.harts)]

    def _witness(self) -> str:
        keys: dict[str, object] = {"priority": 10, "memory": "1M", "image": "neighbour"}
        keys["arguments"] = f"report={REPORT_WAKES}{self._patient()}"
        keys["hart"] = self._harts()[0]
        if self.round.setting.board == "qemu-virt":
            keys["devices"] = ["rtc"]
        return _table(WITNESS, keys)

    def _patient(self) -> str:
        """What the honest ones are told where time is the host's."""
        return "" if self.round.setting.counted else " patient=1"

    def _keeper(self) -> str:
        """Above the hostile ones with a budget, or one of them."""
        keys: dict[str, object] = {"memory": "512K", "image": "fp-witness"}
        if self.chance.random() < _ABOVE:
            keys |= {"priority": 6, "budget": self.chance.choice(("50us/500us", "100us/1ms"))}
        else:
            keys |= {"priority": 5, "slice": "100us"}
        keys["hart"] = self._harts()[-1]
        seed = self.round.setting.seed + self.round.number
        keys["arguments"] = f"seed={seed} report=100{self._patient()}"
        return _table(KEEPER, keys)

    def _machine(self) -> str:
        return _table(
            "whole",
            {
                "priority": 5,
                "mode": "machine",
                "memory": {"base": 0x8000_0000, "size": "4M"},
                "image": "machine-storm",
                "slice": self.chance.choice(_SLICES),
                "on-crash": "restart",
                "hart": self._harts()[0],
                "arguments": f"seed={self.round.setting.seed + self.round.number}",
            },
        )

    def _hostile(self, index: int, name: str) -> str:
        one = self.round
        host = self._has("host") and index == 0
        keys: dict[str, object] = {
            "priority": 5,
            "memory": "26M" if host else "2M",
            "image": "torture",
            "slice": self.chance.choice(_SLICES),
            "harts": self._harts(),
            "on-crash": "restart",
        }
        if host:
            keys["guests"] = 2
            keys["guest-harts"] = 2
        if self._has("control") and index == len(one.hostile) - 1:
            keys["control"] = {"see": "all", "control": []}
        if self._has("no-uart") and index == 0 and not host:
            keys["uart"] = False
        if one.kept is not None and not one.does(name):
            keys["start"] = "manual"
        keys["arguments"] = " ".join(self._arguments(index, name))
        return _table(name, keys)

    def _arguments(self, index: int, name: str) -> Iterable[str]:
        one = self.round
        yield f"seed={one.setting.seed * 1000003 + one.number * 101 + index}"
        yield f"after={_BEFORE_MS}"
        if name == one.restless:
            yield f"life={self.chance.randint(200, 5000)}"
        else:
            yield f"actions={one.setting.actions}"
        weights = {
            kind: weight * (_emphasis(kind) if kind in one.stress else 1)
            for kind, weight in KINDS.items()
        }
        yield "weights=" + ",".join(map(str, weights.values()))
        if self._has("group") and index < 2:
            yield "member=1"
        if one.kept is not None and name in one.kept and name != one.restless:
            yield f"keep={one.kept[name]}"
        if one.tell:
            yield "tell=1"
        if self.touch.get(name):
            yield "touch=" + ",".join(map(hex, self.touch[name]))

    def _channels(self) -> list[str]:
        names = self.round.hostile
        found = []
        for kind in ("stream", "socket", "memory"):
            if self._has(kind):
                ends = self.chance.sample(names, 2)
                keys: dict[str, object] = {"kind": kind, "ends": ends}
                if kind == "memory":
                    keys["size"] = "16K"
                found.append(_table(kind, keys, "channel"))
        if self._has("net"):
            found.append(_table("net", {"kind": "net", "ends": names}, "channel"))
        return found


def _emphasis(kind: str) -> int:
    """Return how many times as often a kind is chosen that has emphasis."""
    return _DEAR_EMPHASIS if kind in _DEAR else _EMPHASIS


def foreign_pages(planned: System, hostile: Iterable[str]) -> dict[str, list[int]]:
    """Return, for each hostile tenant, pages that no access of it may reach.

    The end of a tenant's memory is left out: a memory channel's window can be there.
    """
    aclint = planned.board.aclint
    monitor = planned.monitor
    common = [monitor.base, monitor.base + monitor.size // 2 & -PAGE, monitor.end - PAGE]
    common += [aclint.msip & -PAGE] if aclint.msip else []
    common += [aclint.mtimecmp & -PAGE]
    found = {}
    for name in hostile:
        others = [each.memory.base for each in planned.tenants if each.name != name]
        found[name] = [*common, *others, *(base + 16 * PAGE for base in others)]
    return found


def _table(name: str, keys: Mapping[str, object], kind: str = "tenant") -> str:
    lines = [f"[{kind}.{name}]", *(f"{key} = {_value(value)}" for key, value in keys.items())]
    return "\n".join(lines)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_value(each)}" for key, each in value.items()) + " }"
    return str(value) if isinstance(value, int | list) else f"'{value}'"
