# SPDX-License-Identifier: BSD-2-Clause
"""The PMP compiler: its entries mean exactly the maps, for random maps, at every boundary."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.pmp import model
from cotenant.pmp.accessmap import AccessMap, Region, Rights
from cotenant.pmp.compiler import HartPmp, PmpError, PmpSet, compile_hart
from cotenant.pmp.covers import fewest
from cotenant.pmp.encode import encode, napot_blocks
from cotenant.pmp.segments import segments_of
from cotenant.ranges import Range

LEGAL = [Rights.R, Rights.RW, Rights.X, Rights.R | Rights.X, Rights.RWX]
WORD = 4


def hardware_rights(registers: PmpSet, address: int) -> Rights:
    """Return what an aligned 4-byte access may do, bit by bit as a PMP unit compares addresses.

    Written for these tests from the privileged specification; it shares nothing with the
    compiler, nor with the model that the compiler proves itself with.
    """
    word = address // WORD
    for index, (pmpaddr, config) in enumerate(
        zip(registers.addresses, registers.configs, strict=True)
    ):
        mode = config // 8 % 4
        if mode == 1:
            previous = registers.addresses[index - 1] if index > 0 else 0
            hit = previous <= word < pmpaddr
        elif mode == 2:
            hit = word == pmpaddr
        elif mode == 3:
            ignored = pmpaddr ^ (pmpaddr + 1)
            hit = (word | ignored) == (pmpaddr | ignored)
        else:
            hit = False
        if hit:
            return Rights(config % 8)
    return Rights.NONE


def map_rights(access_map: AccessMap, address: int, closed: bool = False) -> Rights:
    """`closed`: a separate region is not to be touched."""
    rights = Rights.NONE
    for region in access_map:
        if address in range(region.range.base, region.range.end):
            if closed and region.separate:
                return Rights.NONE
            rights |= region.rights
    return rights


def close_claim(registers: PmpSet) -> PmpSet:
    """Return what the monitor makes of them (arch/protection.c, plic_entry_set)."""
    configs = list(registers.configs)
    if registers.claim_entry is not None:
        configs[registers.claim_entry] = configs[registers.claim_entry] // 8 * 8
    return replace(registers, configs=tuple(configs))


def probes(maps: Sequence[AccessMap], result: HartPmp) -> set[int]:
    """Return an address at, before and after every boundary of every map and of every entry."""
    edges = {0}
    for access_map in maps:
        for region in access_map:
            edges |= {region.range.base, region.range.end}
    for registers in result.sets:
        for pmpaddr in registers.addresses:
            ones = (pmpaddr ^ (pmpaddr + 1)).bit_length()
            start = pmpaddr >> ones << ones
            edges |= {pmpaddr * WORD, start * WORD, (start + (1 << ones)) * WORD}
    return {edge + step for edge in edges for step in (-WORD, 0, WORD) if edge + step >= 0}


def check_exact(maps: Sequence[AccessMap], result: HartPmp) -> None:
    for index, access_map in enumerate(maps):
        for address in probes(maps, result):
            registers = result.sets[index]
            assert hardware_rights(registers, address) == map_rights(access_map, address)
            wanted = map_rights(access_map, address, closed=True)
            assert hardware_rights(close_claim(registers), address) == wanted, hex(address)


def check_undivided(maps: Sequence[AccessMap], result: HartPmp) -> None:
    """Within a region that is no other's, no access is refused for lying across two entries."""
    for segment in segments_of(maps):
        for registers, rights in zip(result.sets, segment.rights, strict=True):
            matches = model.decode(registers.addresses, registers.configs)
            got = model.rights_at(matches, segment.range.base, segment.range.size)
            assert got == rights


@st.composite
def regions(draw: st.DrawFn, grain: int) -> Region:
    """Return a region anywhere, often next to others, natural or odd in size and place."""
    unit = grain << draw(st.integers(0, 12))
    base = unit * draw(st.integers(0, 40))
    size = unit * draw(st.one_of(st.sampled_from([1, 2, 4, 8]), st.integers(1, 20)))
    return Region(Range(base, size), draw(st.sampled_from(LEGAL)), "region")


def access_maps(grain: int) -> st.SearchStrategy[AccessMap]:
    return st.lists(regions(grain), max_size=5).map(tuple)


@st.composite
def harts(draw: st.DrawFn, grain: int) -> list[AccessMap]:
    """Return the maps of a hart's vharts, of which the first may have a claim register."""
    maps = draw(st.lists(access_maps(grain), min_size=1, max_size=4))
    if draw(st.booleans()):
        place = Range(grain * draw(st.integers(0, 200)), grain)
        maps[0] = (*maps[0], Region(place, Rights.RW, "claim", separate=True))
    return maps


@settings(max_examples=400, deadline=None)
@given(st.data(), st.sampled_from([4, 8, 64, 4096]), st.sampled_from([8, 16]))
def test_entries_mean_exactly_the_maps(data: st.DataObject, grain: int, available: int) -> None:
    maps = data.draw(harts(grain))
    try:
        result = compile_hart(maps, available, grain)
    except PmpError as error:
        assert f"but a hart has {available}" in error.problem
        assert len(fewest(segments_of([maps[error.index]]))) > available
        return
    check_exact(maps, result)
    if result.shared:
        check_undivided(maps, result)
    assert result.used <= available
    if result.shared:
        assert len({registers.addresses for registers in result.sets}) == 1


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_hardware_with_a_coarse_grain_reads_the_same(data: st.DataObject) -> None:
    """A PMP of granularity G ignores the low address bits: they must not matter."""
    grain = 64
    maps = data.draw(harts(grain))
    try:
        result = compile_hart(maps, 16, grain)
    except PmpError:
        return
    low_bits = grain // WORD - 1
    for registers in result.sets:
        for pmpaddr, config in zip(registers.addresses, registers.configs, strict=True):
            mode = config // 8 % 4
            assert mode != 2
            if mode == 3:
                assert pmpaddr & (low_bits >> 1) == low_bits >> 1
            elif mode == 1:
                assert pmpaddr & low_bits == 0


@settings(max_examples=300, deadline=None)
@given(harts(4))
def test_the_encoding_is_never_worse_than_the_obvious_ones(maps: list[AccessMap]) -> None:
    segments = segments_of(maps)
    entries = len(encode(segments))
    assert len(fewest(segments)) <= entries
    assert entries <= sum(len(napot_blocks(segment.range)) for segment in segments)
    assert entries <= 2 * len(segments)


@given(st.integers(0, 1 << 40), st.integers(1, 1 << 40))
def test_napot_blocks_tile_the_range(base: int, size: int) -> None:
    blocks = napot_blocks(Range(base, size))
    assert blocks[0].base == base
    assert blocks[-1].end == base + size
    for block in blocks:
        assert block.size & (block.size - 1) == 0
        assert block.base % block.size == 0
    for first, second in pairwise(blocks):
        assert first.end == second.base


def region(base: int, size: int, rights: Rights = Rights.RWX, separate: bool = False) -> Region:
    return Region(Range(base, size), rights, f"{base:#x}", separate)


LINUX = (
    region(0x101000, 0x1000, Rights.RW),
    region(0x0C002080, 0x80, Rights.R),
    region(0x0C201004, 4, Rights.RW, separate=True),
    region(0x10001000, 0x8000, Rights.RW),
    region(0x80000000, 0x20000000),
)


def rtos(number: int) -> AccessMap:
    return (region(0xA0000000 + number * 0x400000, 0x400000),)


def test_linux_and_an_rtos_share_seven_entries() -> None:
    result = compile_hart([LINUX, rtos(0)], 8, 4)
    assert (result.shared, result.used) == (True, 7)
    check_exact([LINUX, rtos(0)], result)


MIB = 1 << 20
BASE = 0x80000000


def entries_of(result: HartPmp) -> list[tuple[int, int, list[str]]]:
    """Return first and last address of each entry of a shared set, and everybody's rights."""
    assert result.shared
    matches = [model.decode(each.addresses, each.configs) for each in result.sets]
    return [
        (each[0].low, each[0].high - 1, [str(match.rights) for match in each])
        for each in zip(*matches, strict=True)
    ]


def test_memory_with_a_hole_is_two_entries_that_stay_resident() -> None:
    """The neighbour's own in the hole, and behind it one around both."""
    around = (region(BASE, 300 * MIB), region(BASE + 304 * MIB, 208 * MIB))
    hole = (region(BASE + 300 * MIB, 4 * MIB),)
    result = compile_hart([around, hole], 8, 4)
    assert entries_of(result) == [
        (BASE + 300 * MIB, BASE + 304 * MIB - 1, ["---", "rwx"]),
        (BASE, BASE + 512 * MIB - 1, ["rwx", "---"]),
    ]
    check_exact([around, hole], result)
    check_undivided([around, hole], result)


def test_what_is_nobodys_is_denied_to_everybody() -> None:
    around = (region(BASE, 300 * MIB), region(BASE + 304 * MIB, 208 * MIB))
    result = compile_hart([around, rtos(0)], 8, 4)
    assert entries_of(result) == [
        (BASE + 300 * MIB, BASE + 304 * MIB - 1, ["---", "---"]),
        (0xA0000000, 0xA03FFFFF, ["---", "rwx"]),
        (BASE, BASE + 512 * MIB - 1, ["rwx", "---"]),
    ]
    check_exact([around, rtos(0)], result)


def test_a_row_of_neighbours_in_one_power_of_two() -> None:
    """Linux has most of 512M, three others the rest: one entry each."""
    linux = (region(BASE, 500 * MIB),)
    others = [
        (region(BASE + start * MIB, size * MIB),) for start, size in ((500, 4), (504, 4), (508, 4))
    ]
    result = compile_hart([linux, *others], 4, 4)
    assert [rights[0] for _, _, rights in entries_of(result)] == ["---", "---", "---", "rwx"]
    check_exact([linux, *others], result)
    check_undivided([linux, *others], result)


def test_holes_within_holes() -> None:
    outer = (region(BASE, 4 * MIB), region(BASE + 8 * MIB, 8 * MIB))
    inner = (region(BASE + 4 * MIB, MIB), region(BASE + 6 * MIB, 2 * MIB))
    innermost = (region(BASE + 5 * MIB, MIB),)
    maps = [outer, inner, innermost]
    result = compile_hart(maps, 8, 4)
    sizes = [last + 1 - first for first, last, _ in entries_of(result)]
    assert sizes == [MIB, 4 * MIB, 16 * MIB]
    check_exact(maps, result)


def test_a_cover_that_is_no_power_of_two() -> None:
    """OFF and TOR around two holes: four entries instead of six."""
    around = tuple(region(BASE + start, 0x2000) for start in (0x1000, 0x4000, 0x7000))
    hole = tuple(region(BASE + start, 0x1000) for start in (0x3000, 0x6000))
    result = compile_hart([around, hole], 16, 4)
    assert (result.used, len(encode(segments_of([around, hole])))) == (4, 6)
    check_exact([around, hole], result)
    check_undivided([around, hole], result)


def test_entries_do_not_overlap_where_that_saves_none() -> None:
    segments = segments_of([LINUX, rtos(0), rtos(1)])
    assert fewest(segments) == encode(segments)


def test_the_claim_register_stays_closed_within_a_larger_entry() -> None:
    """A claim register that is off, not denying, would open what lies behind it."""
    around = (region(0x0C201000, 4, Rights.RW), region(0x0C201008, 0xFF8, Rights.RW))
    claim = region(0x0C201004, 4, Rights.RW, separate=True)
    result = compile_hart([(*around, claim)], 8, 4)
    assert result.used == 2
    check_exact([(*around, claim)], result)
    registers = result.sets[0]
    assert registers.claim_entry == 0
    off = replace(registers, configs=(0, *registers.configs[1:]))
    assert hardware_rights(off, 0x0C201004) == Rights.RW


def test_sets_of_their_own_when_the_shared_one_does_not_fit() -> None:
    maps = [LINUX, *(rtos(number) for number in range(4))]
    result = compile_hart(maps, 8, 4)
    assert (result.shared, result.used) == (False, 6)
    check_exact(maps, result)


def test_the_claim_register_has_an_entry_of_its_own() -> None:
    plain = region(0x0C201000, 0x1000, Rights.RW)
    claim = region(0x0C201004, 4, Rights.RW, separate=True)
    for maps in ([(plain, claim)], [LINUX, rtos(0)]):
        result = compile_hart(maps, 16, 4)
        entry = result.sets[0].claim_entry
        assert entry is not None
        assert result.sets[0].addresses[entry] == 0x0C201004 >> 2
        assert result.sets[0].configs[entry] == 2 << 3 | Rights.RW
        assert hardware_rights(close_claim(result.sets[0]), 0x0C201004) == Rights.NONE
        assert result.sets[0].with_claim_closed() == close_claim(result.sets[0])
    assert result.sets[1].claim_entry is None


def test_a_tenant_never_reaches_the_memory_of_another() -> None:
    maps = [LINUX, rtos(0), rtos(1)]
    result = compile_hart(maps, 16, 4)
    for index, registers in enumerate(result.sets):
        for other, access_map in enumerate(maps):
            for each in access_map:
                got = hardware_rights(registers, each.range.base)
                assert (got == each.rights) is (index == other)


def test_too_many_entries_say_what_would_help() -> None:
    gaps = tuple(region(0x10001000 + 0x2000 * number, 0x1000, Rights.RW) for number in range(9))
    with pytest.raises(PmpError) as caught:
        compile_hart([rtos(0), gaps], 8, 4)
    assert caught.value.index == 1
    assert caught.value.problem == "needs 9 PMP entries, but a hart has 8"
    assert any("merge 0x10001000 with 0x10003000" in each for each in caught.value.remedies)
    odd = tuple(region(0x80003000 + number * 0x200000, 0x15000) for number in range(5))
    with pytest.raises(PmpError, match="needs 10 PMP entries") as caught:
        compile_hart([odd], 8, 4)
    assert any("at a multiple of that" in each for each in caught.value.remedies)


def test_a_region_off_the_grain_is_refused() -> None:
    with pytest.raises(PmpError, match="not a multiple of the PMP grain of 4096"):
        compile_hart([LINUX], 16, 4096)


def test_the_proof_notices_a_wrong_bit() -> None:
    registers = compile_hart([LINUX], 8, 4).sets[0]
    right = model.difference(LINUX, registers.addresses, registers.configs, 4)
    assert right is None
    for entry in range(registers.used):
        for bit in (1, 4, 1 << 12):
            addresses = list(registers.addresses)
            addresses[entry] ^= bit
            assert model.difference(LINUX, addresses, registers.configs, 4) is not None
        if registers.configs[entry] & 7:
            configs = list(registers.configs)
            configs[entry] ^= Rights.R
            assert model.difference(LINUX, registers.addresses, configs, 4) is not None


def test_the_first_entry_that_matches_a_byte_decides() -> None:
    # Entry 0 matches 4 bytes without rights inside the page of entry 1.
    addresses, configs = [0x1004 >> 2, 0x1000 >> 2 | 0x1FF], [2 << 3, 3 << 3 | Rights.RW]
    matches = model.decode(addresses, configs)
    assert model.rights_at(matches, 0x1000, 4) == Rights.RW
    assert model.rights_at(matches, 0x1004, 4) == Rights.NONE
    assert model.rights_at(matches, 0x1000, 8) == Rights.NONE
    assert model.rights_at(matches, 0x1FFC, 8) == Rights.NONE
