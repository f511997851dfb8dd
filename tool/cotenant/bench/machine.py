# SPDX-License-Identifier: BSD-2-Clause
"""FreeRTOS with its own port for machine mode: as a tenant, and on the bare machine.

Beside the tenant the same application with our port for S-mode. Instructions under `-icount
shift=0`; the traps are those that come to the monitor, from QEMU's log.
"""

from cotenant import paths
from cotenant.bench import firmware, samples
from cotenant.bench.paths import between
from cotenant.bench.row import Row, row
from cotenant.bench.systems import payload, running, system

OWN_PORT = "machine-freertos-costs"
OUR_PORT = "freertos-costs"
ROUND_TRIP = "machine-round-trip"

TICK_TIMES_BARE = 3
"""times the bare machine's instructions that a tick may take"""
WAKE_TIMES_PORT = 1.5
WAKE_MORE_THAN_PORT = 400
"""times our port's instructions that a wake-up may take, and by how many it may exceed them"""

_MARKS_QUICK, _MARKS = 20, 200
_NAMES = {"tick": "tick", "yield": "yield", "wake": "wake-up"}
_ABOVE = "wake-up above a busy tenant"
# QEMU's name of the trap that each of them is to a tenant; the first for its own port.
_TRAPS = {
    "tick": ("s_timer", "s_timer"),
    "yield": ("supervisor_ecall", "s_software"),
    "wake": ("s_timer", "s_timer"),
}


def run(quick: bool) -> list[Row]:
    """Measure; `quick` looks at fewer traps. Raises BenchError or RunError."""
    bare = measure_bare()
    rows = [row(f"{_NAMES[key]}, bare machine", "instructions", bare[key]) for key in _NAMES]
    for sstc in (False, True):
        suffix = f"Sstc {'on' if sstc else 'off'}"
        own, ours = measure(OWN_PORT, sstc=sstc), measure(OUR_PORT, sstc=sstc)
        budgets: dict[str, float | None] = {
            "tick": TICK_TIMES_BARE * bare["tick"],
            "wake": wake_budget(ours["wake"]),
            _ABOVE: wake_budget(ours[_ABOVE]),
        }
        rows += [
            row(f"{_NAMES.get(key, key)}, {suffix}", "instructions", own[key], ours[key], budget)
            for key in own
            for budget in (budgets.get(key),)
        ]
        for key, (of_own, of_ours) in _TRAPS.items():
            marks = _MARKS_QUICK if quick else _MARKS
            count = traps(OWN_PORT, key, of_own, sstc=sstc, marks=marks)
            other = traps(OUR_PORT, key, of_ours, sstc=sstc, marks=marks)
            rows.append(row(f"traps of a {_NAMES[key]}, {suffix}", "traps", count, other))
    return rows + round_trips()


def round_trips() -> list[Row]:
    """Return calls from user mode to machine mode and back, beside those of the bare machine."""
    image = paths.TENANT_IMAGES / f"{ROUND_TRIP}.elf"
    bare = samples.medians(firmware.run_bare(image), f"{ROUND_TRIP} on the bare machine")
    own = _measured(system(_rtos(ROUND_TRIP)), ROUND_TRIP, sstc=True)
    return [row(f"round trip, {key}", "instructions", own[key], bare[key]) for key in own]


def wake_budget(ours: int) -> float:
    """Return how long a wake-up may take where it takes so long with our port."""
    return min(WAKE_TIMES_PORT * ours, ours + WAKE_MORE_THAN_PORT)


def measure_bare() -> dict[str, int]:
    """Return the instructions of each on QEMU's board without a monitor."""
    who = f"{OWN_PORT} on the bare machine"
    return samples.medians(firmware.run_bare(paths.TENANT_IMAGES / f"{OWN_PORT}.elf"), who)


def measure(image: str, *, sstc: bool) -> dict[str, int]:
    """Return the instructions of each as a tenant, alone and above one that never waits."""
    alone = _measured(system(_rtos(image)), image, sstc=sstc)
    above = _measured(system(_rtos(image), _busy()), image, sstc=sstc)
    return alone | {_ABOVE: above["wake"]}


def counts(*, sstc: bool) -> dict[str, int]:
    """Return the instructions that a change must not make more, of the tenant."""
    alone = _measured(system(_rtos(OWN_PORT)), OWN_PORT, sstc=sstc)
    call = _measured(system(_rtos(ROUND_TRIP)), ROUND_TRIP, sstc=sstc)
    ours = {key: alone[key] for key in ("tick", "yield")}  # a wake-up depends on time's phase
    return ours | {"confined_round_trip": call["confined"]}


def traps(image: str, what: str, mark: str, *, sstc: bool, marks: int) -> int:
    """Return how many traps come to the monitor for each of `what`, above one that never waits."""
    return between(
        mark,
        system(_rtos(image, f"only={what}"), _busy()),
        sstc=sstc,
        prepare=lambda session: session.expect("rtos", "^bench: ready$") and None,
        total=marks,
    )


def _measured(description: str, image: str, *, sstc: bool) -> dict[str, int]:
    with running(description, sstc=sstc) as session:
        session.expect("rtos", "^bench: end$")
        return samples.medians(session.output("rtos"), f"{image} on Cotenant")


def _busy() -> str:
    return payload("busy", "spin", priority=1)


def _rtos(image: str, arguments: str = "") -> str:
    table = payload("rtos", image, memory="4M", fp=False, arguments=arguments)
    if image in (OWN_PORT, ROUND_TRIP):  # it is linked to the start of the board's RAM
        place = 'mode = "machine"\nmemory = { base = 0x8000_0000, size = "4M" }'
        table = table.replace("memory = '4M'", place)
    return table
