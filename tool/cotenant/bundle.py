# SPDX-License-Identifier: BSD-2-Clause
"""Writes the bundle: the monitor, struct bundle of abi/bundle.h, and the images.

Parts of equal content are stored once, so that two tenants with the same kernel cost one.
"""

import zlib
from collections.abc import Iterable
from ctypes import sizeof

from cotenant import devices, features, guests, vectors
from cotenant.abi import bundle as constant
from cotenant.abi import limit
from cotenant.board import Device
from cotenant.bundle_struct import (
    Bundle,
    BundleBoard,
    BundleDevice,
    BundleHandedTree,
    BundleNextStage,
    BundleTenant,
    BundleVhart,
    MonitorHeader,
)
from cotenant.config import TenantConfig
from cotenant.errors import BuildError
from cotenant.plan import System, TenantPlan
from cotenant.units import align_up
from cotenant.vharts import VhartPlan

PAGE = 4096
_DIVISOR_HIGH = 0xFFFF
_GUARDED = "DEVICE_RESET_VIRTIO_MMIO"
"""how devices are reset that may be guarded: the monitor has them behind the others"""
_CONSOLE_MODES = {"mux": "CONSOLE_MUX", "framed": "CONSOLE_FRAMED"}
CONSOLE_MODES = tuple(_CONSOLE_MODES)


class Store:
    """The images behind struct bundle, each at a multiple of 4096 and only once."""

    def __init__(self) -> None:
        self._offsets: dict[bytes, int] = {}
        self.chunks: list[bytes] = []
        self.size = header_size()

    def add(self, data: bytes) -> int:
        """Store bytes and return their offset from the start of struct bundle."""
        if data not in self._offsets:
            self._offsets[data] = self.size
            padded = data.ljust(align_up(len(data), PAGE), b"\0")
            self.chunks.append(padded)
            self.size += len(padded)
        return self._offsets[data]


def header_size() -> int:
    """Return the bytes from struct bundle to the first part."""
    return align_up(sizeof(Bundle), PAGE)


def encode(system: System, monitor: bytes) -> bytes:
    """Return the whole bundle file."""
    store = Store()
    header = Bundle()
    header.magic = constant("BUNDLE_MAGIC")
    header.version = constant("BUNDLE_VERSION")
    header.size = sizeof(Bundle)
    header.tenant_count = len(system.tenants)
    _fill_board(header.board, system)
    header.console.mode = constant(_CONSOLE_MODES[system.console_mode])
    header.console.escape = system.config.console.escape
    header.console.focus = system.focus
    if system.trace_ring:
        header.trace.base, header.trace.ring_size = system.trace.base, system.trace_ring
    if system.vector_size:
        header.vectors.base, header.vectors.size = system.vector_area.base, system.vector_size
    _fill_next_stage(header.next_stage, system, store)
    _fill_handed_tree(header.handed_tree, system, store)
    for index, tenant in enumerate(system.tenants):
        _fill_tenant(header.tenants[index], tenant, system, store)
        header.tenants[index].vhart_first = header.vhart_count
        header.tenants[index].vhart_count = len(tenant.vharts)
        header.tenants[index].device_first = header.device_count
        header.tenants[index].device_count = len(tenant.virtual_devices)
        for device in tenant.virtual_devices:
            made = header.devices[header.device_count]
            made.tenant, made.kind, made.source = index, device.kind, device.source
            header.device_count += 1
        for vhart in tenant.vharts:
            out = header.vharts[header.vhart_count]
            out.tenant = index
            _fill_vhart(out, tenant.config, vhart, system)
            header.vhart_count += 1
    _fill_channels(header, system)
    for place, name in enumerate(sorted(features.used(system))):
        header.features[place].value = name.encode()
    header.total_size = store.size
    header.crc32 = zlib.crc32(bytes(header))
    image = _with_early_console(monitor, system).ljust(align_up(len(monitor), PAGE), b"\0")
    return b"".join([image, bytes(header).ljust(header_size(), b"\0"), *store.chunks])


def _fill_next_stage(out: BundleNextStage, system: System, store: Store) -> None:
    """Tell where in the store the parts of tenants are that the previous boot stage brings."""
    for tenant in system.tenants:
        if tenant.config.next_stage is not None:
            out.store_offset = store.add(tenant.parts[0].data)
            out.size = tenant.config.next_stage.size


def _fill_handed_tree(out: BundleHandedTree, system: System, store: Store) -> None:
    """Tell where the plan for a tree that is handed over is, and the place of what comes of it."""
    for tenant in system.tenants:
        if tenant.tree_plan is not None:
            tree = tenant.parts[-1]
            out.plan_offset, out.plan_size = store.add(tenant.tree_plan), len(tenant.tree_plan)
            out.store_offset, out.size = store.add(tree.data), len(tree.data)


def _with_early_console(monitor: bytes, system: System) -> bytes:
    """Return the monitor image with the board's UART and reset device in its header."""
    header = MonitorHeader.from_buffer_copy(monitor)
    if header.magic != constant("MONITOR_MAGIC"):
        raise BuildError("the monitor image has no header; build it again (make build)")
    board = Bundle().board
    _fill_board(board, system)
    header.uart_base, header.uart_kind = board.uart_base, board.uart_kind
    header.uart_register_shift = board.uart_register_shift
    header.reset_base, header.reset_kind = board.reset_base, board.reset_kind
    for write, (address, value) in zip(header.uart_setup, system.board.uart.setup, strict=False):
        write.address, write.value = address, value
    return bytes(header) + monitor[sizeof(header) :]


def _number(value: int | None) -> int:
    return constant("NONE") if value is None else value


def _flags(prefix: str, **present: bool) -> int:
    return sum(constant(f"{prefix}_{name.upper()}") for name, set_ in present.items() if set_)


def _fill_board(out: BundleBoard, system: System) -> None:
    board = system.board
    out.ram_base, out.ram_size = system.ram.base, system.ram.size
    out.monitor_base, out.monitor_size = system.monitor.base, system.monitor.size
    out.mtime_address = board.aclint.mtime
    out.mtimecmp_base = board.aclint.mtimecmp
    out.msip_base = board.aclint.msip
    out.plic_base = board.plic.range.base
    out.plic_sources = board.plic.sources
    out.uart_base = board.uart.range.base
    out.uart_kind = board.uart.kind
    out.uart_register_shift = board.uart.register_shift
    out.uart_source = board.uart.source
    out.uart_divisor = board.uart.divisor
    out.reset_base = 0 if board.reset.range is None else board.reset.range.base
    out.reset_kind = board.reset.kind
    out.timebase_hz = board.timebase
    out.flags = system.board_flags
    out.pmp_entries = board.pmp_entries
    out.pmp_grain = board.pmp_grain
    out.hart_count = len(system.harts)
    out.boot_hart = system.boot_hart
    if board.bus_protection is not None:
        out.bus_kind, out.bus_base = board.bus_protection.kind, board.bus_protection.range.base
    out.master_count = len(system.masters)
    for place, plan in zip(out.masters, system.masters, strict=False):
        place.number, place.entries = plan.master.number, plan.master.entries
        place.tenants = _bits(system, plan.reaches)
    for index, hart in enumerate(system.harts):
        out.harts[index].id = hart.id
        out.harts[index].plic_m_context = _number(hart.plic_m_context)
        out.harts[index].plic_s_context = _number(hart.plic_s_context)


def _fill_tenant(out: BundleTenant, tenant: TenantPlan, system: System, store: Store) -> None:
    config = tenant.config
    out.name = config.name.encode()
    out.flags = _flags(
        "TENANT",
        autostart=config.autostart and config.served_by is None,
        awaits_server=config.autostart and config.served_by is not None,
        fp=config.fp,
        vector=vectors.are_kept(config, system.board),
        uart=config.uart,
        restart_on_crash=config.restart_on_crash,
        restart_on_shutdown=config.restart_on_shutdown,
        doorbells=tenant.has_doorbells,
        trusted=config.trusted,
        machine=config.machine,
        keep_code=not config.rewrite,
        s_mode=config.s_mode,
    )
    out.entry = tenant.entry
    out.devicetree = tenant.devicetree
    if tenant.uart_source is not None:
        out.uart_source = tenant.uart_source
        out.uart_base = system.board.uart.range.base
    if tenant.virtual_devices:
        out.virtual_base = tenant.virtual_devices[0].range.base
    if tenant.has_plic:
        out.plic_base = system.board.plic.range.base
    for device in tenant.devices:
        for source in device.interrupts:
            out.sources[source // 32] |= 1 << source % 32
    for number, area in enumerate(tenant.own_memory):
        out.memory[number].base, out.memory[number].size = area.base, area.size
    for number, part in enumerate(tenant.parts):
        out.parts[number].store_offset = store.add(part.data)
        out.parts[number].destination = part.destination
        out.parts[number].file_size = len(part.data)
        out.parts[number].memory_size = part.memory_size
    _fill_resets(out, tenant)
    out.may_see = _bits(system, tenant.config.may_see or ())
    out.may_control = _bits(system, tenant.config.may_control)
    out.group = _number(system.group_number(tenant))
    group = system.config.group_of(tenant.name)
    if group is not None:
        out.refusal = constant("REFUSAL_FORCE" if group.force else "REFUSAL_SAY")
        out.patience_ms = group.patience_us // 1000
    _fill_watch(out, tenant)
    _fill_guests(out, tenant, system)


def _fill_guests(out: BundleTenant, tenant: TenantPlan, system: System) -> None:
    wanted = tenant.config.guests
    place = guests.registers(tenant.config, system.board)
    if wanted is None or place is None:
        return
    own = sum(area.size for area in tenant.own_memory)
    out.guest_base = place.base
    out.guest_count, out.guest_vharts = wanted.count, wanted.harts
    out.guest_memory = own if wanted.memory is None else min(wanted.memory, own)
    out.guest_entries = guests.entries(system.board)


def _fill_watch(out: BundleTenant, tenant: TenantPlan) -> None:
    watch = tenant.config.watch
    if watch is None or tenant.watchdog is None:
        return
    out.watchdog_base = tenant.watchdog.base
    out.watch_policy = constant(f"WATCH_{watch.policy.upper()}")
    out.watch_within_us = watch.within_us
    out.watch_boot_us = watch.boot_us or 0


def _bits(system: System, names: Iterable[str]) -> int:
    """Return a set of tenants, a bit each."""
    numbers = {tenant.name: number for number, tenant in enumerate(system.tenants)}
    return sum(1 << number for number in {numbers[name] for name in names})


def _fill_channels(header: Bundle, system: System) -> None:
    devices = [device for tenant in system.tenants for device in tenant.virtual_devices]
    for out, channel in zip(header.channels, system.channels, strict=False):
        out.name = channel.config.name.encode()
        out.kind = constant(f"CHANNEL_{channel.config.kind.upper()}")
        out.end_count = len(channel.ends)
        for place, end in zip(out.ends, channel.ends, strict=False):
            place.device, place.port = devices.index(end.device), end.port
            place.mac[: len(end.mac)] = list(end.mac)
            place.events = channel.config.events
            _limit_wake_ups(header.devices[place.device], channel.config.wake_ups)
        if channel.window is not None:
            out.window.base, out.window.size = channel.window.base, channel.window.size
    header.channel_count = len(system.channels)


def _limit_wake_ups(device: BundleDevice, wake_ups: int | None) -> None:
    """Let a device keep to the least that its channels say."""
    if wake_ups is not None:
        device.wake_ups = min(wake_ups, device.wake_ups or wake_ups)


def _fill_resets(out: BundleTenant, tenant: TenantPlan) -> None:
    resets = [
        (device, devices.RESETS[name])
        for device in tenant.devices
        for name in device.compatible
        if name in devices.RESETS
    ]
    resets.sort(key=lambda each: each[1] == _GUARDED)
    if len(resets) > limit("MAX_RESETS"):
        raise BuildError(
            f"tenant {tenant.name} owns {len(resets)} devices that are reset when it stops, and "
            f"the monitor resets at most {limit('MAX_RESETS')} of a tenant; give some of them to "
            "another tenant"
        )
    for number, (device, kind) in enumerate(resets):
        out.resets[number].base = device.range.base
        out.resets[number].kind = constant(kind)
        if kind == "DEVICE_RESET_NS16550":
            out.resets[number].register_shift = _integer(device, "reg-shift")
            out.resets[number].divisor = _divisor(device)


def _integer(device: Device, name: str) -> int:
    value = device.properties.get(name, 0)
    return value if isinstance(value, int) else 0


def _divisor(device: Device) -> int:
    """Return that of a 16550 whose speed the board tells; 0: it does not matter."""
    clock, speed = _integer(device, "clock-frequency"), _integer(device, "current-speed")
    return min((clock + 8 * speed) // (16 * speed), _DIVISOR_HIGH) if speed else 0


def _fill_vhart(out: BundleVhart, config: TenantConfig, vhart: VhartPlan, system: System) -> None:
    out.id = vhart.id
    out.hart = system.harts.index(vhart.hart)
    out.priority = config.priority
    out.flags = _flags(
        "VHART",
        wfi_yields=vhart.interrupts.wfi_yields,
        plic_passthrough=vhart.interrupts.passthrough,
    )
    out.slice_us = config.slice_us
    if config.budget is not None:
        out.budget_us, out.period_us = config.budget.budget_us, config.budget.period_us
    out.plic_m_context = _number(vhart.interrupts.machine_context)
    out.plic_s_context = _number(vhart.interrupts.plic_context)
    for number, (address, byte) in enumerate(
        zip(vhart.pmp.addresses, vhart.pmp.configs, strict=True)
    ):
        out.pmp_address[number] = address
        out.pmp_config[number] = byte
    assert len(vhart.pmp.addresses) <= limit("PMP_ENTRIES")
    out.plic_claim_entry = _number(vhart.pmp.claim_entry)
