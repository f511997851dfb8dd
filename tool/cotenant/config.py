# SPDX-License-Identifier: BSD-2-Clause
"""A system as the user describes it: one TOML file, read into typed values.

Only what the file says by itself is checked here; what depends on the board, the images or the
other tenants is checked by the modules that know about it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cotenant import abi, paths, qemu_config
from cotenant.board import HART_ID_HIGH
from cotenant.errors import Mistakes
from cotenant.reader import TableReader, kind_of, read_toml, suggestion
from cotenant.units import format_size, is_power_of_two, parse_duration

PAGE = 4096
SLICE_LOW_US, SLICE_HIGH_US = 100, 1_000_000
SLICE_DEFAULT_US = 10_000
BUDGET_LOW_US, PERIOD_HIGH_US = 10, 1_000_000
PATIENCE_LOW_US, PATIENCE_HIGH_US = 1_000, 600_000_000
PATIENCE_DEFAULT_US = 5_000_000
WATCH_HIGH_US = 3_600_000_000
WATCH_POLICIES = ("off", "log", "restart", "stop")
PRIORITY_HIGH = 255
_SEED_HIGH = (1 << 63) - 1
MAX_ARGUMENTS = 2048
MONITOR_NAME = "monitor"
NEXT_STAGE = "next-stage"
NEXT_STAGE_MOST = 1 << 30
EVENTS = 100
"""changes of other ends that an end of a channel is told of a second, if not said otherwise"""
_MOST_EVENTS = 10_000
_MOST_WAKE_UPS = 1_000_000
CHANNEL_KINDS = ("stream", "net", "memory", "socket")
SERVED_DEVICES = ("disk", "net", "rng", "console", "share")
"""what a tenant can have that a program of another tenant serves"""
WINDOW_HIGH = 1 << 30

_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_RATE = re.compile(r"[0-9]{1,9}/s")
_MAC = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")
_USER = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
_ESCAPE = re.compile(r"ctrl-([a-z])")
# Backspace, tab, line feed and carriage return: a shell needs them.
_ESCAPES_IN_USE = "hijm"


@dataclass(frozen=True)
class MemoryRequest:
    """Wanted memory: `base` None lets the tool choose the place."""

    size: int
    base: int | None = None


@dataclass(frozen=True)
class Budget:
    """At most `budget_us` of hart time in each `period_us`."""

    budget_us: int
    period_us: int


@dataclass(frozen=True)
class Watch:
    """A heartbeat is expected within a time; else what `policy` says follows."""

    policy: str
    within_us: int
    boot_us: int | None = None
    """time for the first one; None: whenever it likes"""


@dataclass(frozen=True)
class Guests:
    """A tenant may have guests: `count` at a time, of at most `harts` each. See abi/hosted.h."""

    count: int
    harts: int
    memory: int | None = None
    """bytes that they can be lent, all together; None: all that the tenant has"""
    window: int = 0
    """bytes of its memory that the tenant's kernel leaves to them"""


@dataclass(frozen=True)
class TenantConfig:
    """One [tenant.NAME] table."""

    name: str
    priority: int
    memory: MemoryRequest
    image: str
    next_stage: MemoryRequest | None = None
    """an image that the previous boot stage brings, and where it goes; `image` only names it"""
    image_address: int | None = None
    """where an image without an address of its own goes; None: to the start of the memory"""
    initrd: str | None = None
    kernel: str | None = None
    """what its image, firmware, starts, so many bytes behind the image's start:"""
    kernel_offset: int = 0
    devicetree: str | None = None
    """the file of the board's own device tree, which it gets edited; None: it gets a made one"""
    tree_is_handed_over: bool = False
    """whether the previous boot stage brings the tree, and the file only says what it is like"""
    arguments: str = ""
    ready: str | None = None
    login: str | None = None
    """the user to log in, without a password, before a command; None: there is no login"""
    prompt: str | None = None
    """what it prints when it takes a command, if that is no shell's prompt"""
    devices: tuple[str, ...] = ()
    trusted: bool = False
    """whether it may have devices that reach all memory; otherwise those that can be are guarded"""
    uart: bool = True
    harts: tuple[int, ...] = ()
    """ids of the physical harts of its vharts, in the order of the ids that the tenant sees; none
    as long as the file names none and the board is not known"""
    harts_key: str = "harts"
    """how the file names them: "hart" is the short form for one"""
    fp: bool = True
    vector: bool | None = None
    """whether it may use vector registers; None: if it has floating point and the board has them"""
    slice_us: int = SLICE_DEFAULT_US
    budget: Budget | None = None
    autostart: bool = True
    restart_on_crash: bool = False
    restart_on_shutdown: bool = False
    watch: Watch | None = None
    may_see: tuple[str, ...] | None = None
    """names of tenants that it may ask the monitor about; None: it has no control port"""
    may_control: tuple[str, ...] = ()
    guests: Guests | None = None
    served_by: str | None = None
    """name of the tenant a program of which serves its devices; None: it has none of these"""
    served: tuple[str, ...] = ()
    """those devices, each by what it is, of SERVED_DEVICES"""
    machine: bool = False
    """whether it sees machine mode; otherwise it begins in supervisor mode, above SBI"""
    s_mode: bool = False
    """with machine: whether it sees supervisor mode as well, for a kernel of its own below it"""
    rewrite: bool = True
    """whether instructions of machine mode may be replaced where the hart has one that does it"""

    @property
    def key(self) -> str:
        """The place of the table in the file."""
        return f"tenant.{self.name}"

    @property
    def harts_place(self) -> str:
        """The place of the key that names its harts."""
        return f"{self.key}.{self.harts_key}"


@dataclass(frozen=True)
class GroupConfig:
    """One [group.NAME] table: tenants that take turns on the same harts with the same devices."""

    name: str
    members: tuple[str, ...]
    devices: tuple[str, ...] = ()
    patience_us: int = PATIENCE_DEFAULT_US
    force: bool = False
    """whether a member that does not suspend in time is stopped"""

    @property
    def key(self) -> str:
        """The place of the table in the file."""
        return f"group.{self.name}"


@dataclass(frozen=True)
class ChannelConfig:
    """One [channel.NAME] table. `ends`: names of tenants."""

    name: str
    kind: str
    ends: tuple[str, ...]
    macs: Mapping[str, bytes]
    """Addresses of the ends of a network, by the tenants' names, where they are given."""
    size: int | None = None
    """Bytes of the window of a memory channel, a power of two; None: it is none."""
    events: int = EVENTS
    """Changes of the other ends that an end is told of, a second."""
    wake_ups: int | None = None
    """Interrupts for data that the device of an end raises, a second; None: as many as come."""

    @property
    def key(self) -> str:
        """The place of the table in the file."""
        return f"channel.{self.name}"


@dataclass(frozen=True)
class ConsoleConfig:
    """The [console] table. `escape`: the control character, 1..26."""

    focus: str | None = None
    escape: int = 20


@dataclass(frozen=True)
class MonitorConfig:
    """The [monitor] table. The lists name features of a lean build: see features.py."""

    lean: bool = False
    """whether the monitor is built without what the system does not use"""
    with_: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class SystemConfig:
    """A whole file. `tenants` holds those that could be read."""

    path: Path
    board: str | None
    sstc: bool | None
    memory: int | None
    harts: int | None
    seed: int | None
    """where the tenants' random numbers start; None: somewhere else in every build"""
    console: ConsoleConfig
    qemu_devices: Mapping[str, qemu_config.QemuDevice]
    """what QEMU plugs into which device of the board: [qemu.devices]"""
    qemu_modern: bool
    """whether QEMU's virtio slots speak the modern transport only"""
    tenants: tuple[TenantConfig, ...]
    groups: tuple[GroupConfig, ...] = ()

    def group_of(self, tenant: str) -> GroupConfig | None:
        """Return the group that a tenant is a member of, or None."""
        return next((group for group in self.groups if tenant in group.members), None)

    def active_at_boot(self, group: GroupConfig) -> str:
        """Return the member that is in the foreground first, as the monitor chooses it."""
        members = [each for each in self.tenants if each.name in group.members]
        return next((each for each in members if each.autostart), members[0]).name

    channels: tuple[ChannelConfig, ...] = ()
    monitor: MonitorConfig = MonitorConfig()


def load(path: Path, mistakes: Mistakes) -> SystemConfig | None:
    """Read a system file, noting every mistake; None if it is not a TOML file at all."""
    data = read_toml(path, mistakes)
    if data is None:
        return None
    top = TableReader(data, "", mistakes)
    board = top.string("board", "qemu-virt", required=True)
    sstc = top.boolean("sstc")
    memory = _page_multiple(top, "memory", top.size("memory", "2G"))
    harts = top.integer("harts", 1, abi.limit("MAX_HARTS"), "1")
    seed = top.integer("seed", 0, _SEED_HIGH, "1")
    qemu = top.table("qemu")
    qemu_modern = qemu is None or qemu.parsed("virtio", _parse_transport, "modern") is not False
    qemu_devices = qemu_config.read(qemu)
    readers = top.tables("tenant")
    names = [reader.key.rpartition(".")[2] for reader in readers]
    console = _read_console(top.table("console"), names)
    tenants = [
        _read_tenant(name, reader, names) for name, reader in zip(names, readers, strict=True)
    ]
    groups = [_read_group(reader) for reader in top.tables("group")]
    channels = [_read_channel(reader) for reader in top.tables("channel")]
    monitor = _read_monitor(top.table("monitor"))
    top.finish()
    if "tenant" not in data or data["tenant"] == {}:
        top.wrong("tenant", "there is no tenant", "add one, for example: [tenant.linux]")
    if len(names) > abi.limit("MAX_TENANTS"):
        top.wrong("tenant", f"{len(names)} tenants", f"keep to {abi.limit('MAX_TENANTS')}")
    valid = tuple(tenant for tenant in tenants if tenant is not None)
    _check_groups([group for group in groups if group is not None], names, valid, mistakes)
    return SystemConfig(
        path,
        board,
        sstc,
        memory,
        harts,
        seed,
        console,
        qemu_devices,
        qemu_modern,
        valid,
        tuple(group for group in groups if group is not None),
        tuple(channel for channel in channels if channel is not None),
        monitor,
    )


def _read_console(reader: TableReader | None, names: list[str]) -> ConsoleConfig:
    if reader is None:
        return ConsoleConfig()
    focus = reader.string("focus", names[0] if names else "linux")
    if focus is not None and focus not in names:
        reader.wrong("focus", f'there is no tenant "{focus}"', suggestion(focus, names))
    escape = reader.parsed("escape", parse_escape, "ctrl-t")
    reader.finish()
    return ConsoleConfig(focus, escape if escape is not None else ConsoleConfig.escape)


def _read_monitor(reader: TableReader | None) -> MonitorConfig:
    if reader is None:
        return MonitorConfig()
    lean = reader.parsed("build", _parse_build, "lean")
    with_ = reader.strings("with", '["pmu"]') or ()
    without = reader.strings("without", '["misaligned"]') or ()
    reader.finish()
    return MonitorConfig(lean is True, with_, without)


def _read_tenant(name: str, reader: TableReader, tenants: list[str]) -> TenantConfig | None:
    before = len(reader.mistakes.found)
    _check_name(name, reader)
    priority = reader.integer("priority", 0, PRIORITY_HIGH, "1", required=True)
    memory = _read_memory(reader)
    image, image_address, next_stage = _read_image(reader)
    initrd = reader.string("initrd", "debian-initramfs")
    kernel, kernel_offset = _read_kernel(reader)
    devicetree, tree_is_handed_over = _read_devicetree(reader)
    arguments = reader.parsed("arguments", _parse_arguments, "console=ttyS0")
    ready = reader.parsed("ready", _parse_pattern, "login:")
    login = reader.parsed("login", _parse_user, "root")
    prompt = reader.parsed("prompt", _parse_prompt, "myrtos> ")
    if prompt is not None and login is not None:
        reader.wrong("prompt", "a tenant with a login has a shell's prompt", "keep one of the two")
    devices = reader.strings("devices", '["virtio*"]')
    trusted = reader.boolean("trusted")
    uart = reader.boolean("uart")
    harts, harts_key = _read_harts(reader)
    fp = reader.boolean("fp")
    vector = reader.boolean("vector")
    if vector and fp is False:
        reader.wrong("vector", "vectors need floating point", "take one of the two keys out")
    slice_us = reader.duration("slice", SLICE_LOW_US, SLICE_HIGH_US, "10ms")
    budget = reader.parsed("budget", parse_budget, "300us/1ms")
    start = reader.parsed("start", _parse_start, "auto")
    on_crash = reader.parsed("on-crash", _parse_end, "restart")
    on_shutdown = reader.parsed("on-shutdown", _parse_end, "restart")
    watch = _read_watch(reader.table("watch"))
    rights = _read_control(reader, tenants)
    guests = _read_guests(reader, len(harts) or 1)
    served_by, served = _read_served(reader, name, tenants)
    machine, s_mode, rewrite = _read_mode(reader)
    if guests is not None and budget is not None:
        reader.wrong("guests", "a tenant with a budget has none", "take one of them out")
    reader.finish()
    if len(reader.mistakes.found) > before:
        return None
    assert priority is not None and memory is not None and image is not None
    return TenantConfig(
        name=name,
        priority=priority,
        memory=memory,
        image=image,
        next_stage=next_stage,
        image_address=image_address,
        initrd=initrd,
        kernel=kernel,
        kernel_offset=kernel_offset,
        devicetree=devicetree,
        tree_is_handed_over=tree_is_handed_over,
        arguments=arguments or "",
        ready=ready,
        login=login,
        prompt=prompt,
        devices=devices or (),
        trusted=trusted is True,
        uart=uart is not False,
        harts=harts,
        harts_key=harts_key,
        fp=fp is not False,
        vector=vector,
        slice_us=slice_us or SLICE_DEFAULT_US,
        budget=budget,
        autostart=start is not False,
        restart_on_crash=on_crash is True,
        restart_on_shutdown=on_shutdown is True,
        watch=watch,
        may_see=rights[0] if rights else None,
        may_control=rights[1] if rights else (),
        guests=guests,
        served_by=served_by,
        served=served,
        machine=machine,
        s_mode=s_mode,
        rewrite=rewrite,
    )


def _read_mode(reader: TableReader) -> tuple[bool, bool, bool]:
    """Return whether a tenant sees machine mode, S-mode too, and may have its code rewritten."""
    machine = reader.parsed("mode", _parse_mode, "machine") is True
    s_mode = reader.boolean("s-mode")
    rewrite = reader.boolean("rewrite")
    if not machine:
        for key, value in {"s-mode": s_mode, "rewrite": rewrite}.items():
            if value is not None:
                reader.wrong(key, "the tenant is not in machine mode", 'add: mode = "machine"')
        return False, False, True
    if s_mode and rewrite:
        reader.wrong("rewrite", "with S-mode below it no instruction is replaced", "take it out")
    for key, why in {
        "guests": "guests are for a tenant above SBI",
        "devicetree": "a board's tree does not tell of the timer that it sees",
    }.items():
        if key in reader.data:
            reader.wrong(key, f"a tenant in machine mode has none: {why}", "take it out")
    return True, s_mode is True, rewrite is not False


def _read_guests(reader: TableReader, harts: int) -> Guests | None:
    count = reader.integer("guests", 0, abi.hosted("MAX_SLOTS"), "1")
    most = reader.integer("guest-harts", 1, abi.hosted("SLOT_PAGES"), "1")
    memory = reader.size("guest-memory", "128M")
    window = reader.size("guest-window", "128M") or 0
    if not count:
        for key in ("guest-harts", "guest-memory", "guest-window"):
            if key in reader.data:
                reader.wrong(key, "the tenant has no guests", "add: guests = 1")
        return None
    if window % abi.hosted("GRAIN"):
        reader.wrong("guest-window", "it is no multiple of 2 MiB", "round it up")
    return Guests(count, most or harts, memory, window)


def _read_served(
    reader: TableReader, name: str, tenants: list[str]
) -> tuple[str | None, tuple[str, ...]]:
    """Return who serves a tenant's devices, and what these are."""
    server = reader.string("served-by", "linux")
    devices = reader.strings("served", '["disk", "net"]') or ()
    if server is None:
        if devices:
            reader.wrong("served", "nobody serves these devices", 'add: served-by = "linux"')
        return None, ()
    if server not in tenants:
        reader.wrong("served-by", f'there is no tenant "{server}"', suggestion(server, tenants))
    elif server == name:
        reader.wrong("served-by", "a tenant cannot serve itself", "name another tenant")
    unknown = [each for each in devices if each not in SERVED_DEVICES]
    if unknown:
        remedy = suggestion(unknown[0], SERVED_DEVICES)
        reader.wrong("served", f'"{unknown[0]}" is no device that can be served', remedy)
    most = abi.limit("MAX_CHANNEL_ENDS") - 1
    if not 1 <= len(devices) <= most:
        what = f"{len(devices)} devices" if devices else "no devices are named"
        reader.wrong("served", what, f'list 1 to {most}, for example: served = ["disk", "net"]')
    return server, devices


def _read_group(reader: TableReader) -> GroupConfig | None:
    before = len(reader.mistakes.found)
    members = reader.strings("members", '["one", "two"]', required=True)
    devices = reader.strings("devices", '["rtc", "virtio*"]')
    patience = reader.duration("patience", PATIENCE_LOW_US, PATIENCE_HIGH_US, "5s")
    force = reader.parsed("refusal", _parse_refusal, "say")
    reader.finish()
    if len(reader.mistakes.found) > before:
        return None
    return GroupConfig(
        name=reader.key.rpartition(".")[2],
        members=members or (),
        devices=devices or (),
        patience_us=patience or PATIENCE_DEFAULT_US,
        force=force is True,
    )


def _check_groups(
    groups: list[GroupConfig],
    names: list[str],
    tenants: tuple[TenantConfig, ...],
    mistakes: Mistakes,
) -> None:
    seen: dict[str, str] = {}
    priorities = {tenant.name: tenant.priority for tenant in tenants}
    for group in groups:
        key = f"{group.key}.members"
        for member in group.members:
            if member not in names:
                mistakes.add(key, f'there is no tenant "{member}"', suggestion(member, names))
            elif member in seen:
                mistakes.add(
                    key,
                    f'tenant "{member}" is in group "{seen[member]}" already',
                    "list it once: a tenant is in one group at most",
                )
            seen.setdefault(member, group.name)
        if len(group.members) < 2:
            mistakes.add(key, "a group of less than two", "list two or more tenants")
        given = {priorities[each] for each in group.members if each in priorities}
        if len(given) > 1:
            listed = " and ".join(map(str, sorted(given)))
            mistakes.add(
                key,
                f"its members have the priorities {listed}",
                "give all of them the same: they take each other's place",
            )


def _read_channel(reader: TableReader) -> ChannelConfig | None:
    before = len(reader.mistakes.found)
    name = reader.key.rpartition(".")[2]
    longest = abi.limit("NAME_SIZE") - 1
    if not _NAME.fullmatch(name) or len(name) > longest:
        reader.mistakes.add(
            reader.key,
            f'"{name}" cannot be the name of a channel',
            f"use a to z, 0 to 9, - and _, beginning with a letter, at most {longest} characters",
        )
    kind = reader.parsed("kind", _parse_kind, "stream", required=True)
    ends = reader.strings("ends", '["linux", "freertos"]', required=True)
    macs = _read_macs(reader.table("mac"), ends or ()) if kind == "net" else {}
    size = _read_window_size(reader) if kind == "memory" else None
    events = _read_rate(reader, "events", _MOST_EVENTS)
    wake_ups = _read_rate(reader, "wake_ups", _MOST_WAKE_UPS)
    reader.finish()
    if len(reader.mistakes.found) > before:
        return None
    assert kind is not None and ends is not None
    return ChannelConfig(name, kind, ends, macs, size, events or EVENTS, wake_ups)


def _read_rate(reader: TableReader, name: str, most: int) -> int | None:
    """Return how often in a second."""
    rate = reader.parsed(name, _parse_rate, "1000/s")
    if rate is not None and not 1 <= rate <= most:
        reader.wrong(
            name, f"{rate}/s is not 1/s to {most}/s", f'write for example: {name} = "1000/s"'
        )
    return rate


def _read_window_size(reader: TableReader) -> int | None:
    size = reader.size("size", "64K", required=True)
    if size is not None and (not is_power_of_two(size) or not PAGE <= size <= WINDOW_HIGH):
        reader.wrong(
            "size",
            f"{format_size(size)} is no power of two from 4K to {format_size(WINDOW_HIGH)}",
            'write for example: size = "64K"',
        )
    return size


def _read_macs(reader: TableReader | None, ends: tuple[str, ...]) -> dict[str, bytes]:
    if reader is None:
        return {}
    found = {name: reader.parsed(name, _parse_mac, "02:c0:7e:00:00:01") for name in ends}
    reader.finish()
    given = {name: mac for name, mac in found.items() if mac is not None}
    if len(set(given.values())) < len(given):
        reader.mistakes.add(reader.key, "an address is given twice", "give each end its own")
    return given


def _check_name(name: str, reader: TableReader) -> None:
    longest = abi.limit("NAME_SIZE") - 1
    if not _NAME.fullmatch(name) or len(name) > longest or name == MONITOR_NAME:
        reader.mistakes.add(
            reader.key,
            f'"{name}" cannot be the name of a tenant',
            f"use a to z, 0 to 9, - and _, beginning with a letter, at most {longest} characters, "
            f'and not "{MONITOR_NAME}"',
        )


def _read_harts(reader: TableReader) -> tuple[tuple[int, ...], str]:
    """Return the ids of a tenant's harts, none if the file names none, and the key for them."""
    one = reader.integer("hart", 0, HART_ID_HIGH, "0")
    several = reader.integers("harts", 0, HART_ID_HIGH, "[0, 1]")
    if "hart" in reader.data and "harts" in reader.data:
        reader.wrong("hart", 'says the same as the key "harts"', "keep one of the two")
    if several is None:
        return () if one is None else (one,), "hart"
    most = abi.limit("MAX_HARTS")
    if not 1 <= len(several) <= most:
        reader.wrong("harts", f"lists {len(several)} harts", f"list 1 to {most} of them")
    twice = [hart for number, hart in enumerate(several) if hart in several[:number]]
    if twice:
        reader.wrong("harts", f"lists hart {twice[0]} twice", "list each hart once")
    return several, "harts"


def _read_watch(reader: TableReader | None) -> Watch | None:
    if reader is None:
        return None
    least = abi.bundle("WATCH_LEAST_US")
    within = reader.duration("within", least, WATCH_HIGH_US, "50ms", required=True)
    policy = reader.parsed("policy", _parse_policy, "restart", required=True)
    boot = reader.duration("boot", least, WATCH_HIGH_US, "60s")
    reader.finish()
    return None if within is None or policy is None else Watch(policy, within, boot)


def _page_multiple(reader: TableReader, name: str, value: int | None) -> int | None:
    """Return the value if it can be an address or size of memory, else note a mistake."""
    if value is not None and (value % PAGE or (value == 0 and name not in ("base", "address"))):
        reader.wrong(
            name,
            f"{format_size(value)} is not a multiple of 4K" if value else "is zero",
            "round it up to a multiple of 4K",
        )
        return None
    return value


def _read_image(tenant: TableReader) -> tuple[str | None, int | None, MemoryRequest | None]:
    """Return the name of the image and its address, if one is given.

    And its size and place if the previous boot stage brings it.
    """
    if not isinstance(tenant.data.get("image"), dict):
        return tenant.string("image", "debian-kernel", required=True), None, None
    reader = tenant.table("image")
    assert reader is not None
    if "file" in reader.data:
        file = reader.string("file", "./kernel.bin", required=True)
        address = _read_address(reader)
        reader.finish()
        return file, address, None
    size = _page_multiple(reader, "next-stage", reader.size("next-stage", "2M", required=True))
    if size is not None and size > NEXT_STAGE_MOST:
        reader.wrong("next-stage", f"{format_size(size)} are too much", "keep to 1G")
        size = None
    base = _read_address(reader)
    reader.finish()
    return NEXT_STAGE, None, None if size is None else MemoryRequest(size, base)


def _read_kernel(tenant: TableReader) -> tuple[str | None, int]:
    """Return the name of a second image, and how far behind the start of the first it goes."""
    reader = tenant.table("kernel")
    if reader is None:
        return None, 0
    file = reader.string("file", "debian-kernel", required=True)
    offset = _page_multiple(reader, "offset", reader.size("offset", "2M", required=True))
    reader.finish()
    return file, offset or 0


def _read_devicetree(tenant: TableReader) -> tuple[str | None, bool]:
    """Return the file of the board's own device tree, and whether it is handed over at boot."""
    if not isinstance(tenant.data.get("devicetree"), dict):
        return tenant.string("devicetree", "./board.dtb"), False
    reader = tenant.table("devicetree")
    assert reader is not None
    file = reader.string("handed-over", "./board.dtb", required=True)
    reader.finish()
    return file, True


def _read_address(image: TableReader) -> int | None:
    base = image.integer("address", 0, (1 << 55) - 1, "0x8020_0000")
    return _page_multiple(image, "address", base)


def _read_control(
    tenant: TableReader, tenants: list[str]
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the tenants that a tenant may see, and may control; None: it has no control port."""
    raw = tenant.data.get("control")
    if not isinstance(raw, dict):
        all_of_them = tuple(tenants)
        return (all_of_them, all_of_them) if tenant.boolean("control") else None
    reader = tenant.table("control")
    assert reader is not None
    rights = tuple(_read_names(reader, key, tenants) for key in ("see", "control"))
    reader.finish()
    return rights[0], rights[1]


def _read_names(reader: TableReader, key: str, tenants: list[str]) -> tuple[str, ...]:
    """Return a list of tenants, which may be the word "all"."""
    if reader.data.get(key) == "all":
        reader.value(key, False, '"all"')
        return tuple(tenants)
    names = reader.strings(key, '["freertos"], or "all"') or ()
    for name in names:
        if name not in tenants:
            reader.wrong(key, f'there is no tenant "{name}"', suggestion(name, tenants))
    return names


def _read_memory(tenant: TableReader) -> MemoryRequest | None:
    raw = tenant.data.get("memory")
    if isinstance(raw, dict):
        reader = tenant.table("memory")
        assert reader is not None
        size = _page_multiple(reader, "size", reader.size("size", "512M", required=True))
        base = reader.integer("base", 0, (1 << 55) - 1, "0x9000_0000", required=True)
        base = _page_multiple(reader, "base", base)
        reader.finish()
        return None if size is None or base is None else MemoryRequest(size, base)
    if raw is not None and not isinstance(raw, (str, int)):
        tenant.value("memory", True, '"512M"')
        tenant.wrong(
            "memory",
            f"is {kind_of(raw)}",
            'write a size such as "512M", or { base = 0x9000_0000, size = "512M" }',
        )
        return None
    size = _page_multiple(tenant, "memory", tenant.size("memory", "512M", required=True))
    return None if size is None else MemoryRequest(size)


def parse_budget(text: str) -> Budget:
    """Parse a share of hart time such as `300us/1ms`; raises ValueError with the problem."""
    parts = text.split("/")
    if len(parts) != 2:
        raise ValueError(f'"{text}" is not of the form TIME/PERIOD')
    budget = Budget(parse_duration(parts[0]), parse_duration(parts[1]))
    if budget.period_us > PERIOD_HIGH_US:
        raise ValueError(f'"{text}" has a period of more than {PERIOD_HIGH_US // 1_000_000}s')
    if not BUDGET_LOW_US <= budget.budget_us < budget.period_us:
        raise ValueError(
            f'"{text}" does not lie between {BUDGET_LOW_US}us and less than its period'
        )
    return budget


def parse_escape(text: str) -> int:
    """Parse a key such as `ctrl-t` into its control character; ValueError with the problem."""
    found = _ESCAPE.fullmatch(text.lower())
    if found is None:
        raise ValueError(f'"{text}" is not a control key')
    if found[1] in _ESCAPES_IN_USE:
        raise ValueError(f'"{text}" is a key that every shell needs')
    return ord(found[1]) - ord("a") + 1


def _parse_arguments(text: str) -> str:
    if len(text.encode()) > MAX_ARGUMENTS:
        raise ValueError(f"is longer than {MAX_ARGUMENTS} bytes")
    if not text.isascii() or not (text.isprintable() or not text):
        raise ValueError("contains a character other than printable ASCII")
    return text


def _parse_pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f'"{text}" is not a regular expression ({error})') from error
    return text


def _parse_prompt(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError(f"{text!r} is no prompt")
    return text


def _parse_user(text: str) -> str:
    if not _USER.fullmatch(text):
        raise ValueError(f'"{text}" cannot be the name of a user')
    return text


def _parse_mac(text: str) -> bytes:
    if not _MAC.fullmatch(text):
        raise ValueError(f'"{text}" is not of the form 02:c0:7e:00:00:01')
    mac = bytes.fromhex(text.replace(":", ""))
    if mac[0] & 1 or not any(mac):
        raise ValueError(f'"{text}" is no address of a single device')
    return mac


def _parse_rate(text: str) -> int:
    if not _RATE.fullmatch(text):
        raise ValueError(f'"{text}" is not so many times a second')
    return int(text.removesuffix("/s"))


def _parse_kind(text: str) -> str:
    if text not in CHANNEL_KINDS:
        raise ValueError(f'"{text}" is no kind of channel')
    return text


def _parse_transport(text: str) -> bool:
    """Return whether it is the modern one."""
    if text not in ("legacy", "modern"):
        raise ValueError(f'"{text}" is neither "legacy" nor "modern"')
    return text == "modern"


def _parse_build(text: str) -> bool:
    """Return whether the monitor is built without what the system does not use."""
    if text not in ("full", "lean"):
        raise ValueError(f'"{text}" is neither "full" nor "lean"')
    return text == "lean"


def _parse_start(text: str) -> bool:
    if text not in ("auto", "manual"):
        raise ValueError(f'"{text}" is neither "auto" nor "manual"')
    return text == "auto"


def _parse_mode(text: str) -> bool:
    """Return whether it is machine mode."""
    if text not in ("supervisor", "machine"):
        raise ValueError(f'"{text}" is neither "supervisor" nor "machine"')
    return text == "machine"


def _parse_refusal(text: str) -> bool:
    """Return whether a member that does not suspend is stopped."""
    if text not in ("say", "force"):
        raise ValueError(f'"{text}" is neither "say" nor "force"')
    return text == "force"


def _parse_end(text: str) -> bool:
    """Return whether the tenant starts again."""
    if text not in ("stop", "restart"):
        raise ValueError(f'"{text}" is neither "stop" nor "restart"')
    return text == "restart"


def _parse_policy(text: str) -> str:
    if text not in WATCH_POLICIES:
        known = ", ".join(f'"{each}"' for each in WATCH_POLICIES)
        raise ValueError(f'"{text}" is none of {known}')
    return text


def shown_path(path: Path) -> str:
    """Return how mistakes name a system file."""
    return paths.shown(path)
