# SPDX-License-Identifier: BSD-2-Clause
"""Reads boards/NAME.toml and checks that the board makes sense in itself."""

from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

from cotenant import abi, paths
from cotenant.board import (
    HART_ID_HIGH,
    PCI_BUS_SIZE,
    PCI_INTERRUPTS,
    Aclint,
    Board,
    BoardHart,
    BusMaster,
    BusProtection,
    Device,
    PciWindows,
    Plic,
    PropertyValue,
    QemuOptions,
    Reset,
    SdCard,
    Uart,
)
from cotenant.errors import Mistakes
from cotenant.ranges import Range
from cotenant.reader import TableReader, read_toml, suggestion

_UART_KINDS = {"none": "UART_NONE", "sifive": "UART_SIFIVE", "ns16550": "UART_NS16550"}
_RESET_KINDS = {"none": "RESET_NONE", "sifive-test": "RESET_SIFIVE_TEST"}
_BUS_KINDS = {"mpfs-mpu": "BUS_MPFS_MPU"}
_MAX_ADDRESS = (1 << 55) - 1
_MOST_SERIAL_LINES = 8
_SUFFIX = ".toml"
# Bits of a vector register (unprivileged ISA, chapter "V", sections 2 and 18.3).
_VLEN_LOW, _VLEN_HIGH = 128, 65536
_PAGE = 4096
# Behind a partition table (34 sectors), and so low that a card's image stays small.
_LEAST_SECTOR, _MOST_SECTOR = 34, 1 << 21


def names(folder: Path = paths.BOARDS) -> list[str]:
    """Return the names of the boards that exist."""
    return sorted(path.stem for path in folder.glob("*.toml"))


def load(
    name: str, mistakes: Mistakes, folder: Path = paths.BOARDS, beside: Path | None = None
) -> Board | None:
    """Read a board by its name. An unknown name is a mistake of the file that names it.

    One that ends in .toml is a file, by its path from the folder `beside`. Mistakes in the board's
    own file raise ConfigError: nothing else can be said without it.
    """
    if beside is not None and name.endswith(_SUFFIX):
        path = beside / name
        name = path.stem
        if not path.is_file():
            mistakes.add("board", f"there is no file {path}", "correct the path")
            return None
    elif name not in names(folder):
        mistakes.add("board", f'unknown board "{name}"', suggestion(name, names(folder)))
        return None
    else:
        path = folder / f"{name}{_SUFFIX}"
    own = Mistakes(paths.shown(path))
    data = _read_data(path, own, folder)
    board = _read(name, TableReader(data, "", own)) if data is not None else None
    own.stop_if_any()
    return board


def _read_data(path: Path, mistakes: Mistakes, folder: Path) -> dict[str, object] | None:
    """Read a board's file, over that of the board that it is based on, if it is."""
    data = read_toml(path, mistakes)
    if data is None or "based_on" not in data:
        return data
    base, without = data.pop("based_on"), data.pop("without", [])
    known = names(folder)
    if base not in known:
        mistakes.add("based_on", f"{base!r} is no board", suggestion(str(base), known))
        return None
    below = read_toml(folder / f"{base}{_SUFFIX}", mistakes)
    if below is None:
        return None
    devices = below.get("device")
    if isinstance(devices, dict) and isinstance(without, list):
        below["device"] = {name: each for name, each in devices.items() if name not in without}
    return _merged(below, data)


def _merged(below: dict[str, object], above: dict[str, object]) -> dict[str, object]:
    """Return tables one over the other; what is no table in both is that of `above`."""
    merged = dict(below)
    for name, value in above.items():
        under = merged.get(name)
        both = isinstance(value, dict) and isinstance(under, dict)
        merged[name] = _merged(under, value) if both else value  # type: ignore[arg-type]
    return merged


def _read(name: str, top: TableReader) -> Board | None:
    title = top.string("name", "QEMU virt", required=True)
    compatible = top.string("compatible", "riscv-virtio", required=True)
    timebase = top.integer("timebase", 1, (1 << 32) - 1, "10_000_000", required=True)
    isa = top.strings("isa", '["i", "m", "a", "c"]', required=True)
    mmu = top.string("mmu", "riscv,sv39", required=True)
    envcfg = top.boolean("envcfg") or False
    sstc = top.boolean("sstc") or False
    misaligned = top.boolean("misaligned") or False
    vlen = top.integer("vlen", _VLEN_LOW, _VLEN_HIGH, "256") or 0
    ram_base, ram_default, ram_limit = _read_ram(top.table("ram", required=True))
    pmp_entries, pmp_grain = _read_pmp(top.table("pmp", required=True))
    harts = [_read_hart(reader) for reader in top.table_list("hart")]
    all_harts = top.boolean("all_harts") or False
    aclint = _read_aclint(top.table("aclint", required=True))
    plic = _read_plic(top.table("plic", required=True))
    uart = _read_uart(top.table("uart", required=True))
    reset = _read_reset(top.table("reset", required=True))
    virtual_devices = _read_virtual_devices(top.table("virtual_devices"))
    devices = [_read_device(reader) for reader in top.tables("device")]
    bus_protection = _read_bus_protection(top.table("bus_protection"))
    sd_card = _read_sd_card(top.table("sd_card"))
    qemu = _read_qemu(top.table("qemu"))
    top.finish()
    if not 1 <= len(harts) <= abi.limit("MAX_HARTS"):
        top.wrong("hart", f"{len(harts)} harts", f"list 1 to {abi.limit('MAX_HARTS')} of them")
    if sstc and qemu is not None and qemu.cpu is None:
        top.wrong("qemu.cpu", "is needed to choose sstc", 'give it, such as "rv64,h=off"')
    if sstc and not envcfg:
        top.wrong("sstc", "needs menvcfg", "set envcfg = true, or sstc = false")
    if isa is not None:
        _check_vlen(vlen, isa, top)
    top.mistakes.stop_if_any()
    assert title is not None and compatible is not None and timebase is not None
    assert isa is not None and mmu is not None
    assert aclint is not None and plic is not None and uart is not None and reset is not None
    board = Board(
        id=name,
        name=title,
        compatible=compatible,
        timebase=timebase,
        isa=isa,
        mmu=mmu,
        envcfg=envcfg,
        sstc=sstc,
        misaligned=misaligned,
        vlen=vlen,
        ram_base=ram_base,
        ram_default=ram_default,
        ram_limit=ram_limit,
        pmp_entries=pmp_entries,
        pmp_grain=pmp_grain,
        harts=tuple(hart for hart in harts if hart is not None),
        all_harts=all_harts,
        aclint=aclint,
        plic=plic,
        uart=uart,
        reset=reset,
        virtual_devices=virtual_devices,
        devices={device.name: device for device in devices if device is not None},
        qemu=qemu,
        bus_protection=bus_protection,
        sd_card=sd_card,
    )
    _check_overlaps(board, top)
    _check_sources(board, top)
    _check_masters(board, top)
    return board


def _check_vlen(vlen: int, isa: Sequence[str], top: TableReader) -> None:
    if vlen & (vlen - 1):
        top.wrong("vlen", f"{vlen} is not a power of two", "give the bits of a vector register")
    if vlen and "v" not in isa:
        top.wrong("vlen", "the harts have no vector registers", 'add "v" to isa, or take it out')
    if "v" in isa and not vlen:
        top.wrong("isa", 'with "v", the length of a vector register is needed', "add: vlen = 256")
    if "v" in isa and "d" not in isa:
        top.wrong("isa", '"v" needs "d"', "correct the list")


def _read_range(reader: TableReader) -> Range:
    base = reader.integer("base", 0, _MAX_ADDRESS, "0x1000_0000", required=True)
    size = reader.integer("size", 4, 1 << 40, "0x1000", required=True)
    return Range(base or 0, size or 4)


def _read_ram(reader: TableReader | None) -> tuple[int, int, int | None]:
    if reader is None:
        return 0, 0, None
    base = reader.integer("base", 0, _MAX_ADDRESS, "0x8000_0000", required=True)
    default = reader.size("default", "2G", required=True)
    limit = reader.size("limit", "2G")
    reader.finish()
    if limit is not None and default is not None and default > limit:
        reader.wrong("default", "is more than the limit", "correct one of them")
    return base or 0, default or 0, limit


def _read_pmp(reader: TableReader | None) -> tuple[int, int]:
    if reader is None:
        return 0, 4
    entries = reader.integer("entries", 1, 64, "16", required=True)
    grain = reader.integer("grain", 4, 1 << 30, "4", required=True) or 4
    reader.finish()
    if grain & (grain - 1):
        reader.wrong("grain", f"{grain} is not a power of two", "give the harts' granularity")
    return min(entries or 0, abi.limit("PMP_ENTRIES")), grain


def _read_hart(reader: TableReader) -> BoardHart | None:
    hart_id = reader.integer("id", 0, HART_ID_HIGH, "0", required=True)
    machine = reader.integer("plic_m_context", 0, 15871, "0")
    supervisor = reader.integer("plic_s_context", 0, 15871, "1")
    reader.finish()
    return None if hart_id is None else BoardHart(hart_id, machine, supervisor)


def _read_aclint(reader: TableReader | None) -> Aclint | None:
    if reader is None:
        return None
    area = _read_range(reader)
    registers = [
        reader.integer(name, 0, _MAX_ADDRESS, "0x0200_4000", required=True) or 0
        for name in ("mtime", "mtimecmp", "msip")
    ]
    reader.finish()
    return Aclint(area, registers[0], registers[1], registers[2])


def _read_plic(reader: TableReader | None) -> Plic | None:
    if reader is None:
        return None
    area = _read_range(reader)
    sources = reader.integer("sources", 2, abi.limit("MAX_SOURCES"), "96", required=True) or 2
    compatible = reader.strings("compatible", '["riscv,plic0"]', required=True) or ()
    virtual = reader.integers("virtual_sources", 1, sources - 1, "[12]", required=True) or ()
    checked = reader.boolean("checks_completions") is True
    reader.finish()
    return Plic(area, sources, compatible, virtual, checked)


def _read_kind(reader: TableReader, kinds: dict[str, str]) -> int:
    kind = reader.string("kind", next(reversed(kinds)), required=True)
    if kind is not None and kind not in kinds:
        reader.wrong("kind", f'unknown kind "{kind}"', suggestion(kind, kinds))
    return abi.bundle(kinds[kind]) if kind in kinds else 0


def _read_uart(reader: TableReader | None) -> Uart | None:
    if reader is None:
        return None
    kind = _read_kind(reader, _UART_KINDS)
    area = _read_range(reader)
    source = reader.integer("source", 0, abi.limit("MAX_SOURCES") - 1, "10", required=True) or 0
    shift = reader.integer("register_shift", 0, 4, "0") or 0
    kind = _with_width(reader, kind)
    divisor = reader.integer("divisor", 0, 0xFFFF, "0") or 0
    clock = reader.integer("clock", 1, (1 << 32) - 1, "3_686_400", required=True) or 1
    writes = reader.table_list("setup") if "setup" in reader.data else []
    setup = tuple(_read_setup(each) for each in writes)
    reader.finish()
    if len(setup) > abi.bundle("UART_SETUP_WRITES"):
        most = abi.bundle("UART_SETUP_WRITES")
        reader.wrong("setup", f"{len(setup)} writes", f"there can be {most}")
    return Uart(kind, area, source, shift, divisor, clock, setup)


def _with_width(reader: TableReader, kind: int) -> int:
    """Return the kind that a 16550 is with its `register_width`, in bytes."""
    width = reader.integer("register_width", 1, 4, "1") or 1
    if width not in (1, 4):
        reader.wrong("register_width", f"accesses of {width} bytes", "it is 1 or 4")
    elif width == 4 and kind != abi.bundle("UART_NS16550"):
        reader.wrong("register_width", "only a 16550 has it", "take it out")
    elif width == 4:
        return abi.bundle("UART_NS16550_32")
    return kind


def _read_setup(reader: TableReader) -> tuple[int, int]:
    address = reader.integer("address", 4, _MAX_ADDRESS, "0x3000_0000", required=True) or 4
    value = reader.integer("value", 0, (1 << 32) - 1, "1", required=True) or 0
    reader.finish()
    if address % 4:
        reader.wrong("address", f"{address:#x} is not a multiple of 4", "correct it")
    return address, value


def _read_reset(reader: TableReader | None) -> Reset | None:
    if reader is None:
        return None
    kind = _read_kind(reader, _RESET_KINDS)
    area = None if reader.data.get("kind") == "none" else _read_range(reader)
    reader.finish()
    return Reset(kind, area)


def _read_virtual_devices(reader: TableReader | None) -> Range | None:
    if reader is None:
        return None
    area = _read_range(reader)
    reader.finish()
    return area


def _read_bus_protection(reader: TableReader | None) -> BusProtection | None:
    if reader is None:
        return None
    kind = _read_kind(reader, _BUS_KINDS)
    area = _read_range(reader)
    masters = [_read_master(each) for each in reader.tables("master")]
    reader.finish()
    numbers = [master.number for master in masters]
    if not masters or len(masters) > abi.limit("MAX_MASTERS"):
        most = abi.limit("MAX_MASTERS")
        reader.wrong("master", f"{len(masters)} bus masters", f"list all of them, {most} at most")
    if len(set(numbers)) < len(numbers):
        reader.wrong("master", "two have the same number", "give each its own")
    return BusProtection(kind, area, {master.name: master for master in masters})


def _read_master(reader: TableReader) -> BusMaster:
    name = reader.key.rpartition(".")[2]
    number = reader.integer("number", 0, 0xFFFF, "0", required=True) or 0
    entries = reader.integer("entries", 1, 0xFFFF, "8", required=True) or 1
    reader.finish()
    return BusMaster(name, number, entries)


def _read_device(reader: TableReader) -> Device | None:
    name = reader.key.rpartition(".")[2]
    area = _read_range(reader)
    interrupts = reader.integers("interrupts", 1, abi.limit("MAX_SOURCES") - 1, "[11]") or ()
    dma = reader.boolean("dma") or False
    master = reader.string("master", "gem0")
    node = reader.string("node", "rtc", required=True) or name
    qemu_bus = reader.string("qemu_bus", "virtio-mmio-bus.0")
    qemu_serial = reader.integer("qemu_serial", 0, _MOST_SERIAL_LINES - 1, "1")
    properties = reader.table("properties", required=True)
    pci = _read_pci(reader.table("pci"))
    reader.finish()
    if pci is not None and area.size != PCI_BUS_SIZE:
        reader.wrong("size", f"{area.size:#x} is not one bus", f"give {PCI_BUS_SIZE:#x}")
    if pci is not None and len(interrupts) != PCI_INTERRUPTS:
        reader.wrong("interrupts", "are not those of INTA to INTD", "list four of them")
    values = _read_properties(properties) if properties is not None else {}
    if master is not None and not dma:
        reader.wrong("master", "is for devices that do DMA", "add: dma = true")
    return Device(name, area, interrupts, dma, node, values, qemu_bus, qemu_serial, pci, master)


def _read_pci(reader: TableReader | None) -> PciWindows | None:
    if reader is None:
        return None
    memory, ports = (reader.table(name, required=True) for name in ("memory", "ports"))
    reader.finish()
    if memory is None or ports is None:
        return None
    windows = PciWindows(_read_range(memory), _read_range(ports))
    memory.finish()
    ports.finish()
    return windows


def _read_properties(reader: TableReader) -> dict[str, PropertyValue]:
    values: dict[str, PropertyValue] = {}
    for name, value in reader.data.items():
        if isinstance(value, list):
            words = tuple(value)
            if all(isinstance(word, str) for word in words) or all(
                isinstance(word, int) for word in words
            ):
                values[name] = words
                continue
        elif isinstance(value, (str, bool, int)):
            values[name] = value
            continue
        reader.wrong(name, "cannot be a property", "use a string, a number, true, or a list")
    return values


def _read_qemu(reader: TableReader | None) -> QemuOptions | None:
    if reader is None:
        return None
    machine = reader.string("machine", "virt", required=True)
    cpu = reader.string("cpu", "rv64,h=off")
    memory = reader.size("memory", "2G")
    starts_bundle = reader.boolean("starts_bundle")
    console = reader.string("console", "pci-serial,addr=1")
    reader.finish()
    if machine is None:
        return None
    return QemuOptions(machine, cpu, memory, starts_bundle is not False, console)


def _read_sd_card(reader: TableReader | None) -> SdCard | None:
    if reader is None:
        return None
    types = [
        reader.parsed(name, _parse_guid, "5b193300-fc78-40cd-8002-e86c45580b47", required=True)
        for name in ("spl_type", "firmware_type")
    ]
    sectors = [
        reader.integer(name, _LEAST_SECTOR, _MOST_SECTOR, "2082", required=True)
        for name in ("spl_sector", "firmware_sector")
    ]
    bundle = reader.integer("bundle", 0, (1 << 32) - 1, "0x9000_0000", required=True)
    reader.finish()
    if None in types or None in sectors or bundle is None:
        return None
    assert types[0] and types[1] and sectors[0] and sectors[1]
    if bundle % _PAGE:
        reader.wrong("bundle", "is not a multiple of 4096", "the bundle starts at such ones only")
    if sectors[1] <= sectors[0]:
        reader.wrong("firmware_sector", "is not behind the SPL", "put it behind spl_sector")
    return SdCard(types[0], sectors[0], types[1], sectors[1], bundle)


def _parse_guid(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError as error:
        raise ValueError(f'"{text}" is no GUID') from error


def _check_overlaps(board: Board, top: TableReader) -> None:
    taken = [(name, area) for name, area in board.monitor_ranges.items()]
    taken.append(("ram", Range(board.ram_base, board.ram_default)))
    if board.virtual_devices is not None:
        for name, area in taken:
            if area.overlaps(board.virtual_devices):
                top.wrong("virtual_devices", f"overlaps {name} at {area}", "correct one of them")
        taken.append(("virtual_devices", board.virtual_devices))
    for device in board.devices.values():
        key = f"device.{device.name}"
        for own in device.ranges:
            for name, area in taken:
                if area.overlaps(own):
                    top.wrong(key, f"{own} overlaps {name} at {area}", "correct one of them")
            taken.append((device.name, own))
            if own.base % board.pmp_grain or own.size % board.pmp_grain:
                top.wrong(
                    key,
                    f"{own} is not a multiple of the PMP grain {board.pmp_grain}",
                    "round it to the grain",
                )


def _check_masters(board: Board, top: TableReader) -> None:
    unit = board.bus_protection
    known = {} if unit is None else unit.masters
    for device in board.devices.values():
        key = f"device.{device.name}.master"
        if device.master is not None and device.master not in known:
            top.wrong(key, f'unknown master "{device.master}"', suggestion(device.master, known))
        elif device.master is not None and device.is_virtio:
            top.wrong(key, "the unit does not know the rings of a guard", "leave it out")


def _check_sources(board: Board, top: TableReader) -> None:
    owners = dict.fromkeys(board.plic.virtual_sources, "plic.virtual_sources")
    wanted: list[tuple[str, tuple[int, ...]]] = []
    if board.uart.source:
        wanted.append(("uart", (board.uart.source,)))
    wanted += [(f"device.{name}", each.interrupts) for name, each in board.devices.items()]
    for key, sources in wanted:
        for source in sources:
            if source >= board.plic.sources:
                top.wrong(key, f"interrupt {source} is not of this PLIC", "correct the number")
            if source in owners:
                top.wrong(
                    key,
                    f"interrupt {source} is that of {owners[source]} as well",
                    "give each its own",
                )
            owners[source] = key
