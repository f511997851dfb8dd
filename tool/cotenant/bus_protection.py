# SPDX-License-Identifier: BSD-2-Clause
"""What a board's unit lets each bus master reach: the memory of the tenant that has its devices.

The monitor makes the entries of the tenants' memory itself, when a tenant has its turn. What is
decided here is whose a master is, and whether it has entries enough.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cotenant.board import Board, BusMaster, Device
from cotenant.config import SystemConfig
from cotenant.devices import RESETS, Ownership
from cotenant.errors import Mistakes
from cotenant.pmp.encode import napot_blocks
from cotenant.ranges import Range
from cotenant.units import format_size


@dataclass(frozen=True)
class MasterPlan:
    """A bus master, and what it reaches while a tenant runs that has its devices, by tenant.

    Several tenants are of one group: one of them runs at a time. None: it reaches nothing.
    """

    master: BusMaster
    reaches: Mapping[str, tuple[Range, ...]]


def plan(
    config: SystemConfig,
    board: Board,
    owned: Ownership,
    memory: Mapping[str, tuple[Range, ...]],
    mistakes: Mistakes,
) -> tuple[MasterPlan, ...]:
    """Return all masters of the board's unit; `memory`: of each tenant's own."""
    unit = board.bus_protection
    if unit is None:
        return ()
    blocks = {
        tenant.name: tuple(block for area in memory[tenant.name] for block in napot_blocks(area))
        for tenant in config.tenants
    }
    plans = []
    for master in sorted(unit.masters.values(), key=lambda each: each.number):
        has = {
            name: [device for device in devices if device.master == master.name]
            for name, devices in owned.items()
        }
        owners = {name: devices for name, devices in has.items() if devices}
        _check_owners(config, master, owners, mistakes)
        for name, devices in owners.items():
            _check_room(master, devices[0], name, blocks[name], mistakes)
        plans.append(MasterPlan(master, {name: blocks[name] for name in owners}))
    return tuple(plans)


def warnings(masters: Sequence[MasterPlan], owned: Ownership) -> list[str]:
    """Say which devices go on with the orders of one tenant in the turn of the next one."""
    return [
        f"{' and '.join(plan.reaches)} take turns, and the monitor does not know how to reset "
        f"{device.name}: what one has told it to do may be done in the memory of the next one"
        for plan in masters
        if len(plan.reaches) > 1
        for device in owned[next(iter(plan.reaches))]
        if device.master == plan.master.name and not {*device.compatible} & {*RESETS}
    ]


def _check_owners(
    config: SystemConfig,
    master: BusMaster,
    owners: Mapping[str, list[Device]],
    mistakes: Mistakes,
) -> None:
    """Note tenants that may run at the same time and would share what the master reaches."""
    names = list(owners)
    for other in names[1:]:
        group = config.group_of(names[0])
        if group is None or other not in group.members:
            devices = " and ".join(owners[name][0].name for name in (names[0], other))
            mistakes.add(
                f"tenant.{other}.devices",
                f'{devices} are one bus master, "{master.name}", which the board\'s unit lets '
                f"reach the memory of one tenant; {names[0]} and {other} have them",
                "give them to one tenant, or to a group",
            )


def _check_room(
    master: BusMaster,
    device: Device,
    name: str,
    blocks: tuple[Range, ...],
    mistakes: Mistakes,
) -> None:
    if len(blocks) <= master.entries:
        return
    size = sum(block.size for block in blocks)
    better = 1 << (size - 1).bit_length()
    mistakes.add(
        f"tenant.{name}.memory",
        f"consists of {len(blocks)} powers of two at multiples of themselves, and {device.name}, "
        f'bus master "{master.name}", can be let reach {master.entries}',
        f"make it {format_size(better)}, at a multiple of that, which is one",
    )
