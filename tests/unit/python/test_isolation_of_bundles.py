# SPDX-License-Identifier: BSD-2-Clause
"""Random systems: what the bundle says keeps every tenant to its own, read as hardware reads it."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_boards import use_board_with_pmp
from made_images import Workshop, workshop

from cotenant import abi
from cotenant.bundle import encode
from cotenant.bundle_struct import Bundle, BundleVhart
from cotenant.errors import ConfigError
from cotenant.pmp.accessmap import Rights
from cotenant.system import System, load

__all__ = ["workshop"]

DEVICES = ["rtc", *(f"virtio{number}" for number in range(8))]
SIZES = ["128K", "1M", "3M", "4M", "5124K", "60M", "64M"]


@st.composite
def systems(draw: st.DrawFn) -> str:
    """Return a system with up to eight tenants that share out devices and harts at random."""
    count = draw(st.integers(1, 8))
    owners = draw(st.lists(st.integers(0, count), min_size=9, max_size=9))
    text = 'board = "tested"\n'
    for number in range(count):
        devices = [name for name, owner in zip(DEVICES, owners, strict=True) if owner == number]
        text += (
            f"[tenant.t{number}]\n"
            f"priority = {draw(st.integers(0, 3))}\n"
            f'memory = "{draw(st.sampled_from(SIZES))}"\n'
            'image = "rtos"\n'
            f"devices = {devices}\n"
            f"trusted = {str(draw(st.booleans())).lower()}\n"
            f"uart = {str(draw(st.booleans())).lower()}\n"
            f"harts = {draw(st.lists(st.integers(0, 3), min_size=1, max_size=4, unique=True))}\n"
        )
    return text


def rights_of(vhart: BundleVhart, address: int) -> Rights:
    """Return what an aligned 4-byte access may do (privileged specification, section 3.7)."""
    word = address >> 2
    below = 0
    for pmpaddr, config in zip(vhart.pmp_address, vhart.pmp_config, strict=True):
        trailing = pmpaddr ^ (pmpaddr + 1)
        hit = {
            0: False,
            1: below <= word < pmpaddr,
            2: word == pmpaddr,
            3: word | trailing == pmpaddr | trailing,
        }[config >> 3 & 3]
        if hit:
            return Rights(config & 7)
        below = pmpaddr
    return Rights.NONE


def edges(base: int, size: int) -> list[int]:
    return [base, base + size // 2 & ~3, base + size - 4]


def check_system(system: System, header: Bundle) -> None:
    wanted = [
        (index, number, hart)
        for index, tenant in enumerate(system.config.tenants)
        for number, hart in enumerate(tenant.harts)
    ]
    vharts = header.vharts[: header.vhart_count]
    ids = [hart.id for hart in header.board.harts[: header.board.hart_count]]
    assert [(each.tenant, each.id, ids[each.hart]) for each in vharts] == wanted
    for vhart in vharts:
        index = vhart.tenant
        mine = header.tenants[index].memory[0]
        for address in edges(mine.base, mine.size):
            assert rights_of(vhart, address) == Rights.RWX
        forbidden = [(header.board.monitor_base, header.board.monitor_size)]
        forbidden += [(area.base, area.size) for area in system.board.monitor_ranges.values()]
        for other, tenant in enumerate(system.tenants):
            if other != index:
                forbidden.append((tenant.memory.base, tenant.memory.size))
                forbidden += [(each.range.base, each.range.size) for each in tenant.devices]
        for base, size in forbidden:
            for address in edges(base, size):
                assert rights_of(vhart, address) == Rights.NONE, hex(address)
        tenant = system.tenants[index]
        for device in tenant.devices:
            guarded = device.name.startswith("virtio") and not tenant.config.trusted
            for address in edges(device.range.base, device.range.size):
                assert rights_of(vhart, address) == (Rights.NONE if guarded else Rights.RW)
        check_plic(vhart, header)
    passed = [vhart.hart for vhart in vharts if vhart.flags & 2]
    assert len(passed) == len(set(passed)), "two on one hart"


def check_plic(vhart: BundleVhart, header: Bundle) -> None:
    """Of all contexts a vhart may have that of its hart, if it is passed through to it."""
    for number in range(header.board.hart_count):
        context = header.board.harts[number].plic_s_context
        own = number == vhart.hart and bool(vhart.flags & 2)
        claim = header.board.plic_base + 0x20_0004 + 0x1000 * context
        checked = header.board.flags & abi.bundle("BOARD_PLIC_CHECKED")
        opened = Rights.RW if checked else Rights.R
        expected = opened if own else Rights.NONE
        assert [rights_of(vhart, claim + step) for step in (-4, 0, 4)] == [0, expected, 0]
        expected = Rights.R if own else Rights.NONE
        for address in edges(header.board.plic_base + 0x2000 + 0x80 * context, 0x80):
            assert rights_of(vhart, address) == expected
        if own:
            assert vhart.pmp_address[vhart.plic_claim_entry] == claim >> 2
            closed = BundleVhart.from_buffer_copy(bytes(vhart))
            closed.pmp_config[vhart.plic_claim_entry] &= ~7  # what the monitor does
            assert rights_of(closed, claim) == Rights.NONE


@pytest.mark.parametrize(("entries", "grain"), [(16, 4), (8, 4), (8, 4096)])
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(text=systems())
def test_every_tenant_keeps_to_its_own(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, entries: int, grain: int, text: str
) -> None:
    use_board_with_pmp(workshop.folder, entries, grain, monkeypatch)
    try:
        system = load(workshop.system(text))
    except ConfigError as error:
        assert all("PMP entries" in each.problem for each in error.mistakes), str(error)
        assert entries == 8
        return
    monitor = (workshop.folder / "monitor.bin").read_bytes()
    check_system(system, Bundle.from_buffer_copy(encode(system, monitor), 12288))


def test_sets_that_do_not_fit_together_are_worth_a_warning(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_board_with_pmp(workshop.folder, 8, 4, monkeypatch)
    text = 'board = "tested"\n' + "".join(
        f'[tenant.t{number}]\npriority = {number}\nmemory = "3M"\nimage = "rtos"\n'
        for number in range(8)
    )
    system = load(workshop.system(text))
    assert not system.pmp[0].shared
    assert "need 11 PMP entries together and it has 8" in system.warnings[0]


def test_a_coarse_grain_rules_out_the_claim_register(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_board_with_pmp(workshop.folder, 16, 4096, monkeypatch)
    text = 'board = "tested"\n[tenant.a]\npriority = 1\nmemory = "4M"\nimage = "rtos"\n'
    route = load(workshop.system(text)).tenants[0].vharts[0].interrupts
    assert (route.passthrough, route.wfi_yields) == (False, False)
