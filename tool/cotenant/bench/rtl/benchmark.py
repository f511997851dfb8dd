# SPDX-License-Identifier: BSD-2-Clause
"""Clock cycles on the Rocket core's RTL: world switches, interrupt latency, calls.

`other` is the same program on Debian's packaged OpenSBI where it is about calls, and the same RTOS
alone on the machine where it is about latency.
"""

import re

from cotenant.bench import samples
from cotenant.bench.row import Row, row
from cotenant.bench.rtl import figures, floor, systems
from cotenant.bench.rtl import opensbi as rtl_opensbi
from cotenant.bench.rtl.systems import simulate

_SWITCH_BUDGET = 220
_ADDED_AVERAGE_BUDGET = 200
_ADDED_WORST_BUDGET = 400
_INVOCATION_BUDGET = 240
_HARDWARE_PERCENT = 70
_CYCLES = "cycles"
_QUICK_ROUNDS = 12
_ROUNDS = 60
_THRASH_ROUNDS = 30
# Clocks from an accepted address to the first data of a memory that is not next to the core.
_SLOW_MEMORY = ("--memory-latency", "30")

_CALLS = (
    ("get_spec_version", "get_spec_version, round trip"),
    ("set_timer", "set_timer, round trip"),
    ("send_ipi", "send_ipi to self, round trip"),
    ("remote_fence", "remote fence to self, one page, round trip"),
    ("timer_interrupt", "timer interrupt to STIP, stolen from the kernel"),
    ("device_read", "emulated MMIO read"),
    ("read_time", "emulated rdtime"),
    ("misaligned_load", "emulated misaligned load"),
)


def run(quick: bool) -> list[Row]:
    """Measure; Raises CotenantError without a complete result. `quick` takes about a minute."""
    rounds = _QUICK_ROUNDS if quick else _ROUNDS
    rows = _call_rows()
    rows += _switch_rows("satp=0", systems.rtos_beside_spin(rounds, sv39=False))
    rows += _switch_rows("Sv39", systems.rtos_beside_spin(rounds, sv39=True))
    rows += _switch_floor_rows()
    rows += _component_rows()
    if quick:
        return rows
    rows += _switch_rows(
        "satp=0, PMP addresses too",
        systems.rtos_beside_spin_with_many_regions(rounds),
        budget=None,
    )
    return rows + _latency_rows(rounds)


def _call_rows() -> list[Row]:
    least = floor.measure()
    ours, other = figures.calls(simulate(systems.calls())), figures.calls(rtl_opensbi.simulate())
    rows = [
        row("core alone: ecall to the smallest handler, round trip", _CYCLES, least.ecall),
        row("core alone: timer interrupt to the first instruction", _CYCLES, least.timer),
    ]
    for name, label in _CALLS:
        theirs = other[name].middle if name in other else None
        rows.append(row(label, _CYCLES, ours[name].middle, theirs))
    return rows


def _component_rows() -> list[Row]:
    ours = _medians(systems.components(), "components-meter")
    # Both with the fence that this core needs, which has no ASIDs.
    least = _medians(systems.domains(), "bench-domains")["floor_fence"]
    share = 100 * least / ours["invocation"]
    return [
        row("component invocation, Sv39", _CYCLES, ours["invocation"], least, _INVOCATION_BUDGET),
        Row(
            "floor's share of a component invocation",
            *("percent", share, None, _HARDWARE_PERCENT),
            share >= _HARDWARE_PERCENT,
        ),
        row("component kernel, smallest call", _CYCLES, ours["kernel_call"]),
        row("component restart, idle", _CYCLES, ours["restart"]),
    ]


def _medians(description: str, image: str) -> dict[str, int]:
    text = re.sub(r"^\[\d\] ", "", simulate(description).text, flags=re.MULTILINE)
    return samples.medians(text, image)


def _switch_rows(where: str, description: str, budget: float | None = _SWITCH_BUDGET) -> list[Row]:
    found = figures.switches(simulate(description))
    return [
        row(f"world switch, RTOS waits, {where}", _CYCLES, found.away.middle, None, budget),
        row(f"world switch, RTOS is due, {where}", _CYCLES, found.back.middle, None, budget),
        row(f"world switch, RTOS waits, {where}; path", "instructions", found.away_instructions),
        row(f"world switch, RTOS is due, {where}; path", "instructions", found.back_instructions),
    ]


def _switch_floor_rows() -> list[Row]:
    rows = []
    for where, least in zip(("satp=0", "Sv39"), floor.measure_switches(), strict=True):
        rows += [
            row(f"core alone: world switch, RTOS waits, {where}", _CYCLES, least.out),
            row(f"core alone: world switch, RTOS is due, {where}", _CYCLES, least.into),
        ]
    return rows


def _latency_rows(rounds: int) -> list[Row]:
    alone = figures.latencies(simulate(systems.rtos_alone(rounds, sv39=True)))
    warm = figures.latencies(simulate(systems.rtos_beside_spin(rounds, sv39=True)))
    thrashed = figures.latencies(simulate(systems.rtos_beside_thrash(_THRASH_ROUNDS)))
    slow = figures.latencies(simulate(systems.rtos_beside_thrash(_THRASH_ROUNDS), _SLOW_MEMORY))
    what = "interrupt due to the RTOS' first instruction"
    return [
        row(f"{what}, warm, average", _CYCLES, warm.mean, alone.mean),
        row(
            f"{what}, warm, added average",
            _CYCLES,
            warm.mean - alone.mean,
            None,
            _ADDED_AVERAGE_BUDGET,
        ),
        row(f"{what}, caches thrashed, average", _CYCLES, thrashed.mean, alone.mean),
        row(f"{what}, caches thrashed, worst", _CYCLES, thrashed.most, alone.most),
        row(
            f"{what}, caches thrashed, added worst",
            _CYCLES,
            thrashed.most - alone.most,
            None,
            _ADDED_WORST_BUDGET,
        ),
        row(f"{what}, caches thrashed, slow memory, worst", _CYCLES, slow.most),
    ]
