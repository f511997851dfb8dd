# SPDX-License-Identifier: BSD-2-Clause
"""Tells what a system will be: memory, ownership, PMP; as tables for people or as data."""

from rich.console import Console
from rich.table import Table

from cotenant.board import Device
from cotenant.channels import CONTROL_PORT
from cotenant.config import SystemConfig
from cotenant.devices import confined_by
from cotenant.plan import System, TenantPlan
from cotenant.pmp import explain as explain_pmp
from cotenant.ranges import Range
from cotenant.units import format_duration, format_size
from cotenant.vharts import VhartPlan


def as_dict(system: System) -> dict[str, object]:
    """Return the JSON form of a plan."""
    return {
        "board": system.board.id,
        "sstc": system.sstc,
        "harts": len(system.harts),
        "ram": _range(system.ram),
        "monitor": _range(system.monitor),
        "boot_hart": system.harts[system.boot_hart].id,
        "tenants": {tenant.name: _tenant(tenant, system.config) for tenant in system.tenants},
        "vharts": [_vhart(tenant, vhart) for tenant in system.tenants for vhart in tenant.vharts],
        "channels": {
            channel.config.name: {
                "kind": channel.config.kind,
                "ends": [end.device.tenant for end in channel.ends],
                "window": _range(channel.window) if channel.window else None,
            }
            for channel in system.channels
            if channel.config.name != CONTROL_PORT
        },
        "bus_masters": {
            plan.master.name: {
                "entries": plan.master.entries,
                "reaches": {
                    tenant: [_range(area) for area in areas]
                    for tenant, areas in plan.reaches.items()
                },
            }
            for plan in system.masters
        },
        "pmp": {
            str(hart): explain_pmp.as_dict(result, _names(system, hart))
            for hart, result in system.pmp.items()
        },
    }


def _range(area: Range) -> dict[str, int]:
    return {"base": area.base, "size": area.size}


def _tenant(tenant: TenantPlan, config: SystemConfig) -> dict[str, object]:
    group = config.group_of(tenant.name)
    budget = tenant.config.budget
    return {
        "priority": tenant.config.priority,
        "harts": list(tenant.config.harts),
        "memory": [_range(area) for area in tenant.own_memory],
        "image": tenant.config.image,
        "image_kind": tenant.image_kind,
        "loaded_at": tenant.image_base,
        "entry": tenant.entry,
        "parts": [
            {"what": part.what, "address": part.destination, "size": part.memory_size}
            for part in tenant.parts
        ],
        "devices": [device.name for device in tenant.devices],
        "trusted": tenant.config.trusted,
        "confined_by": {
            device.name: by
            for device in tenant.devices
            if (by := confined_by(config, tenant.config, device)) is not None
        },
        "group": group.name if group else None,
        "virtual_devices": [
            {**_range(device.range), "kind": device.kind, "interrupt": device.source}
            for device in tenant.virtual_devices
        ],
        "control": _control(tenant),
        "devicetree": None
        if tenant.config.devicetree is None
        else {
            "file": tenant.config.devicetree,
            "handed_over": tenant.config.tree_is_handed_over,
            "cut": list(tenant.cut),
        },
        "slice_us": tenant.config.slice_us,
        "budget_us": budget.budget_us if budget else None,
        "period_us": budget.period_us if budget else None,
    }


def _control(tenant: TenantPlan) -> dict[str, object] | None:
    config = tenant.config
    if config.may_see is None:
        return None
    return {"see": list(config.may_see), "control": list(config.may_control)}


def _vhart(tenant: TenantPlan, vhart: VhartPlan) -> dict[str, object]:
    return {
        "tenant": tenant.name,
        "id": vhart.id,
        "hart": vhart.hart.id,
        "priority": tenant.config.priority,
        "plic_context": vhart.interrupts.plic_context,
        "plic_passthrough": vhart.interrupts.passthrough,
        "wfi_yields": vhart.interrupts.wfi_yields,
        "access": [
            {**_range(region.range), "rights": str(region.rights), "what": region.what}
            for region in vhart.access
        ],
    }


def show(system: System, console: Console) -> None:
    """Print the plan in full."""
    sstc = "on" if system.sstc else "off"
    console.print(f"board {system.board.id} ({system.board.name}), sstc {sstc}")
    console.print(_memory_table(system))
    console.print(_image_table(system))
    console.print(_tenant_table(system))
    if system.channels:
        console.print(_channel_table(system))
    if system.masters:
        console.print(_master_table(system))
    console.print(_hart_table(system))
    for tenant in system.tenants:
        if tenant.config.devicetree is not None:
            what = "one handed over, like " if tenant.config.tree_is_handed_over else ""
            console.print(f"Device tree of {tenant.name}: {what}{tenant.config.devicetree}")
            for sentence in tenant.cut:
                console.print(f"  {sentence}", markup=False)
    for hart, result in system.pmp.items():
        console.print(explain_pmp.table(hart, result, _names(system, hart)))


def _names(system: System, hart: int) -> list[str]:
    """Return the names of the tenants of a hart, in the order of its PMP sets."""
    return [tenant.name for tenant, _ in system.sharing(hart)]


def _memory_table(system: System) -> Table:
    table = Table("Memory", "From", "To", "Size", title="Memory map", title_justify="left")
    rows = [(tenant.memory, tenant.name) for tenant in system.tenants]
    for tenant in system.tenants:
        rows += [
            (Range(part.destination, part.memory_size), f"  {tenant.name}: {part.what}")
            for part in tenant.parts
        ]
    rows += [
        (channel.window, f"  shared: window of channel {channel.config.name}")
        for channel in system.channels
        if channel.window is not None
    ]
    rows.append((system.monitor, "monitor and store of images"))
    for area, what in sorted(rows, key=lambda row: (row[0].base, -row[0].size)):
        table.add_row(what, f"{area.base:#x}", f"{area.end - 1:#x}", format_size(area.size))
    return table


def _image_table(system: System) -> Table:
    table = Table("Tenant", "Image", "Loaded at", "Entry", title="Images", title_justify="left")
    for each in system.tenants:
        table.add_row(each.name, each.image_kind, f"{each.image_base:#x}", f"{each.entry:#x}")
    return table


def _tenant_table(system: System) -> Table:
    columns = ("Tenant", "Harts", "Priority", "Share", "Devices")
    table = Table(*columns, title="Tenants", title_justify="left")
    for tenant in system.tenants:
        config = tenant.config
        budget = config.budget
        share = f"slice {format_duration(config.slice_us)}"
        if budget is not None:
            share = f"{format_duration(budget.budget_us)} / {format_duration(budget.period_us)}"
        table.add_row(
            config.name,
            ", ".join(map(str, config.harts)),
            str(config.priority),
            share,
            ", ".join(_device(system, tenant, device) for device in tenant.devices) or "-",
        )
    for group in system.config.groups:
        members = ", ".join(group.members)
        table.add_row("", "", "", "", f"group {group.name}: one of {members} at a time")
    return table


def _device(system: System, tenant: TenantPlan, device: Device) -> str:
    by = confined_by(system.config, tenant.config, device)
    return device.name if by is None else f"{device.name} (DMA: {by})"


def _channel_table(system: System) -> Table:
    table = Table("Channel", "Kind", "Ends", title="Channels", title_justify="left")
    for channel in system.channels:
        ends = (f"{end.device.tenant} at {end.device.range.base:#x}" for end in channel.ends)
        table.add_row(channel.config.name, channel.config.kind, ", ".join(ends))
    return table


def _master_table(system: System) -> Table:
    """Return what the board's unit lets each bus master reach."""
    columns = ("Bus master", "Entries", "Reaches the memory of", "In")
    table = Table(*columns, title="Bus masters beside the harts", title_justify="left")
    for plan in system.masters:
        used = max((len(areas) for areas in plan.reaches.values()), default=0)
        table.add_row(
            plan.master.name,
            f"{used} of {plan.master.entries}",
            " or ".join(plan.reaches) or "no tenant",
            "; or ".join(", ".join(map(str, areas)) for areas in plan.reaches.values()) or "-",
        )
    return table


def _hart_table(system: System) -> Table:
    """Return who shares each hart, the highest priority first."""
    columns = ("Hart", "PMP entries", "Tenant/vhart", "Priority", "Interrupts", "While it waits")
    table = Table(*columns, title="Harts", title_justify="left")
    for hart, result in system.pmp.items():
        cells = (str(hart), f"{result.used} of {result.available}")
        for tenant, vhart in sorted(
            system.sharing(hart), key=lambda each: -each[0].config.priority
        ):
            table.add_row(
                *cells,
                f"{tenant.name}/{vhart.id}",
                str(tenant.config.priority),
                _interrupts(vhart),
                "yields the hart" if vhart.interrupts.wfi_yields else "keeps the hart",
            )
            cells = ("", "")
    return table


def _interrupts(vhart: VhartPlan) -> str:
    if vhart.interrupts.plic_context is None:
        return "-"
    return "passed through" if vhart.interrupts.passthrough else "emulated"
