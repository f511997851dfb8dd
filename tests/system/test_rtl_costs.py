# SPDX-License-Identifier: BSD-2-Clause
"""What the core was seen to take is below its costs, and so below the bounds in cycles.

Runs only where the simulator is built already, as test_rtl.py.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from cotenant import system as systems
from cotenant.bench import cycles
from cotenant.bench.rtl import simulator as rtl_simulator
from cotenant.bounds import rocket
from cotenant.bounds.graph import place
from cotenant.bounds.instructions import Decoder, Instruction
from cotenant.bounds.monitor import MonitorBounds
from cotenant.bounds.of_system import bounds_of
from cotenant.bounds.rocket import RocketCost
from cotenant.plan import System

pytestmark = pytest.mark.skipif(
    rtl_simulator.cached() is None,
    reason="the RTL simulator is not built; 'cotenant bench rtl' does that",
)

MAX_CYCLES = 10_000_000
MACHINE_MODE = "3"
# A path that was taken so often has found all of its lines in the caches once.
OFTEN = 4


@dataclass(frozen=True)
class Seen:
    """A stretch that was seen: its instructions, and the clocks from the first one to the last."""

    way: tuple[Instruction, ...]
    clocks: int

    def cost(self, of: RocketCost) -> int:
        return of.start + sum(of.of(each) for each in self.way)


def stays(log: Path, base: int, decoder: Decoder) -> Iterator[list[tuple[Instruction, int]]]:
    """Give what the monitor retired from each trap to the tenant that goes on, with the clocks."""
    stay: list[tuple[Instruction, int]] = []
    with log.open(encoding="ascii") as lines:
        for line in lines:
            kind, *values = line.split()
            if kind == "retire" and values[2] == MACHINE_MODE and int(values[1], 16) >= base:
                stay.append((decoder.at(int(values[1], 16) - base), int(values[0])))
            elif kind == "stay":
                yield stay
            if kind in ("stay", "trap"):
                stay = []


def cut(stay: list[tuple[Instruction, int]], bounds: MonitorBounds) -> Iterator[Seen]:
    """Cut a stay at the looks at interrupts."""
    begin = 0
    for index, (instruction, _) in enumerate(stay):
        is_last = index + 1 == len(stay)
        if (bounds.is_look(instruction) and index > begin) or is_last:
            way = tuple(each for each, _ in stay[begin : index + 1])
            yield Seen(way, stay[index][1] - stay[begin][1])
            begin = index


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> System:
    return cycles.load(tmp_path_factory.mktemp("rtl"))


@pytest.fixture(scope="module")
def bounds(system: System) -> MonitorBounds:
    return bounds_of(system)


@pytest.fixture(scope="module")
def seen(
    tmp_path_factory: pytest.TempPathFactory, system: System, bounds: MonitorBounds
) -> list[Seen]:
    folder = tmp_path_factory.mktemp("rtl")
    bundle = systems.build(system, folder / "bundle").bundle
    log = folder / "log"
    trace = ("--trace-from", "0", "--trace-to", str(MAX_CYCLES))
    rtl_simulator.run(bundle, log, max_cycles=MAX_CYCLES, options=trace)
    decoder = Decoder(bounds.image.fetch)
    entries = {bounds.image.address(name) for name in bounds.entries}
    whole = [
        stay
        for stay in stays(log, system.monitor.base, decoder)
        if stay and stay[0][0].address in entries
    ]
    return [each for stay in whole for each in cut(stay, bounds)]


def by_start(bounds: MonitorBounds, cost: RocketCost) -> Mapping[int, int]:
    """Return the bound in cycles of what begins at an entry or behind a look, by its address."""
    stretches = bounds.counting(cost)
    found: dict[int, int] = defaultdict(int)
    for each in [
        *(stretches.of_entry(bounds.image.address(name)) for name in bounds.entries),
        *stretches.of_looks(),
    ]:
        address = place(each.start)
        found[address] = max(found[address], each.way.length + cost.start)
    return found


def test_no_stretch_took_longer_than_its_cost_with_cold_caches(seen: list[Seen]) -> None:
    cost = rocket.miss()
    assert len({each.way for each in seen}) > OFTEN
    late = [each for each in seen if each.clocks > each.cost(cost)]
    assert not late, late


def test_a_stretch_took_less_than_its_cost_with_warm_caches_once(seen: list[Seen]) -> None:
    cost = rocket.warm()
    clocks: dict[tuple[Instruction, ...], list[int]] = defaultdict(list)
    for each in seen:
        clocks[each.way].append(each.clocks)
    often = {way: each for way, each in clocks.items() if len(each) >= OFTEN}
    assert often
    for way, times in often.items():
        assert min(times) <= Seen(way, min(times)).cost(cost), way


def test_what_was_seen_is_below_the_bounds(seen: list[Seen], bounds: MonitorBounds) -> None:
    for cost in (rocket.warm(), rocket.miss()):
        most = by_start(bounds, cost)
        for each in seen:
            # Without the look at which the way ends, which the next one begins with.
            assert each.cost(cost) <= most[each.way[0].address] + cost.of(each.way[0])


def test_costs_that_are_too_low_are_found(seen: list[Seen]) -> None:
    """The comparison can fail: nothing of a line of data is not enough."""
    low = RocketCost(dict.fromkeys(rocket.warm().cycles, 1), 1)
    assert any(each.clocks > each.cost(low) for each in seen)
