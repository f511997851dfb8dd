# SPDX-License-Identifier: BSD-2-Clause
"""Placement of memory: nothing overlaps, everything is aligned, one PMP entry where it can be."""

from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.errors import Mistakes
from cotenant.placement import Placement, Request, place
from cotenant.pmp.encode import napot_blocks
from cotenant.ranges import Range

MIB = 1 << 20
RAM = Range(0x8000_0000, 2048 * MIB)


def placed(*requests: Request, ram: Range = RAM) -> tuple[Placement, Mistakes]:
    mistakes = Mistakes("test.toml")
    return place(ram, 32 * MIB, requests, mistakes), mistakes


def request(name: str, size: int, base: int | None = None, alignment: int = 4096) -> Request:
    return Request(name, f"tenant.{name}.memory", size, base, alignment=alignment)


def test_the_monitor_takes_the_top() -> None:
    placement, _ = placed()
    assert placement.monitor == Range(RAM.end - 32 * MIB, 32 * MIB)


def test_the_largest_comes_first_and_each_is_naturally_aligned() -> None:
    placement, mistakes = placed(request("a", 4 * MIB), request("b", 512 * MIB))
    assert not mistakes.found
    assert placement.memory == {
        "b": Range(0x8000_0000, 512 * MIB),
        "a": Range(0xA000_0000, 4 * MIB),
    }


def test_given_bases_are_respected() -> None:
    placement, mistakes = placed(request("a", 512 * MIB), request("b", 4 * MIB, 0x8000_0000))
    assert not mistakes.found
    assert placement.memory["b"].base == 0x8000_0000
    assert placement.memory["a"].base == 0xA000_0000


def test_without_a_natural_place_any_aligned_one_will_do() -> None:
    ram = Range(0x8010_0000, 1100 * MIB)
    placement, mistakes = placed(request("a", 1024 * MIB, alignment=2 * MIB), ram=ram)
    assert not mistakes.found
    assert placement.memory["a"].base == 0x8020_0000


def test_a_linked_image_draws_its_memory_to_itself() -> None:
    linked = Request("a", "key", 4 * MIB, linked=Range(0x8060_1000, 0x1000))
    placement, mistakes = placed(linked)
    assert not mistakes.found
    assert placement.memory["a"] == Range(0x8040_0000, 4 * MIB)
    across = Request("a", "key", 4 * MIB, linked=Range(0x807F_F000, 0x2000))
    placement, mistakes = placed(across)
    assert placement.memory["a"] == Range(0x807F_F000, 4 * MIB)


sizes = st.one_of(
    st.integers(0, 9).map(lambda bit: MIB << bit),
    st.integers(1, 4096).map(lambda page: page * 4096),
)


@settings(deadline=None)
@given(st.lists(sizes, min_size=1, max_size=10))
def test_random_requests(wanted: list[int]) -> None:
    alignments = [4096, 2 * MIB]
    requests = [
        request(str(number), size, alignment=alignments[number % 2])
        for number, size in enumerate(wanted)
    ]
    placement, mistakes = placed(*requests)
    assert len(placement.memory) + len(mistakes.found) == len(requests)
    taken = [placement.monitor, *placement.memory.values()]
    for number, area in enumerate(taken):
        assert RAM.contains(area)
        assert not any(area.overlaps(other) for other in taken[number + 1 :])
    for each in requests:
        if each.name in placement.memory:
            area = placement.memory[each.name]
            assert area.base % each.alignment == 0
            if each.size & (each.size - 1) == 0:
                assert len(napot_blocks(area)) == 1
