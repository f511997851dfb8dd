# SPDX-License-Identifier: BSD-2-Clause
"""Writes a board file. What it says is data, so that nothing but numbers and names varies."""

import json
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

from cotenant.board import PropertyValue
from cotenant.ranges import Range
from cotenant.units import format_size

if TYPE_CHECKING:
    from cotenant.board_import.devices import Found
    from cotenant.board_import.importer import Board

_WIDTH = 100
_GIB_4 = 4 << 30
_ONE_GROUP = 0xFFFF


def board_text(board: "Board", source: str, notes: Iterable[str]) -> str:
    """Return the file, with what a person should look at in front."""
    head = [
        f"{board.name}, imported from the device tree {_plain(source)} by `cotenant board import`.",
        "Nothing of it was tried on the machine.",
    ]
    lines = ["# SPDX-License-Identifier: BSD-2-Clause", "#"]
    lines += _comment(" ".join(_plain(each) for each in head))
    for note in notes:
        lines += ["#", *_comment(f"- {_plain(note)}", "  ")]
    parts = (
        _machine(board),
        _monitor_devices(board),
        _harts(board),
        *(_device(each) for each in board.devices),
    )
    for part in parts:
        lines += ["", *part]
    return "\n".join(lines) + "\n"


def _comment(text: str, indent: str = "") -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(text, _WIDTH - 2, subsequent_indent=indent)]


def _plain(text: str) -> str:
    """A name out of a tree is no more than a line of printable characters."""
    return "".join(each if each.isprintable() else "?" for each in text)


def _string(text: str) -> str:
    """JSON's strings are TOML's basic strings."""
    return json.dumps(_plain(text))


def _value(value: PropertyValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _string(value)
    return f"[{', '.join(_value(each) for each in value)}]"


def _hex(number: int) -> str:
    if number <= _ONE_GROUP:
        return f"{number:#06x}"
    return f"{number:#_x}"


def _place(area: Range) -> list[str]:
    return [f"base = {_hex(area.base)}", f"size = {_hex(area.size)}"]


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _machine(board: "Board") -> list[str]:
    size = format_size(board.ram.size)
    default = format_size(min(board.ram.size, _GIB_4))
    return [
        f"name = {_string(board.name)}",
        f"compatible = {_string(board.compatible)}",
        f"timebase = {board.timebase:_}",
        f"isa = {_value(board.harts.isa)}",
        *([f"vlen = {board.harts.vlen}"] if board.harts.vlen else []),
        f"mmu = {_string(board.harts.mmu)}",
        f"envcfg = {_flag(board.harts.envcfg)}",
        f"sstc = {_flag(board.harts.sstc)}",
        f"all_harts = {_flag(board.all_harts)}",
        "",
        "[ram]",
        f"base = {_hex(board.ram.base)}",
        f'default = "{default}"',
        f'limit = "{size}"',
        "",
        "[pmp]",
        f"entries = {board.pmp_entries}",
        "grain = 4",
    ]


def _monitor_devices(board: "Board") -> list[str]:
    timer, uart = board.timer, board.uart
    lines = [
        "[aclint]",
        *_place(timer.range),
        f"mtime = {_hex(timer.mtime)}",
        f"mtimecmp = {_hex(timer.mtimecmp)}",
        f"msip = {_hex(timer.msip)}",
        "",
        "[plic]",
        *_place(board.plic.range),
        f"sources = {board.plic.sources}",
        f"compatible = {_value(board.plic.compatible)}",
        f"virtual_sources = {_value(board.virtual_sources)}",
        "",
        "[uart]",
        f'kind = "{uart.kind}"',
        *_place(uart.range),
        f"source = {uart.source}",
        f"register_shift = {uart.register_shift}",
        *([f"register_width = {uart.register_width}"] if uart.register_width != 1 else []),
        f"clock = {uart.clock:_}",
    ]
    if board.virtual_devices is not None:
        lines += ["", "[virtual_devices]", *_place(board.virtual_devices)]
    lines += ["", "[reset]", f'kind = "{board.reset.kind}"']
    return lines if board.reset.range is None else [*lines, *_place(board.reset.range)]


def _harts(board: "Board") -> list[str]:
    lines: list[str] = []
    for hart in board.harts.all:
        machine, supervisor = board.plic.contexts.get(hart.id, (None, None))
        lines += ["[[hart]]", f"id = {hart.id}"]
        lines += [] if machine is None else [f"plic_m_context = {machine}"]
        if supervisor is not None and hart.mmu is not None:
            lines.append(f"plic_s_context = {supervisor}")
        lines.append("")
    return lines[:-1]


def _device(device: "Found") -> list[str]:
    properties = ", ".join(f"{name} = {_value(each)}" for name, each in device.properties.items())
    lines = [f"[device.{device.name}]", *_place(device.range)]
    lines += [f"interrupts = {_value(device.interrupts)}"] if device.interrupts else []
    lines += ["dma = true"] if device.dma else []
    lines += [f"node = {_string(device.node)}", f"properties = {{ {properties} }}"]
    if device.pci is not None:
        memory, ports = (f"{{ base = {_hex(w.base)}, size = {_hex(w.size)} }}" for w in device.pci)
        lines += ["", f"[device.{device.name}.pci]", f"memory = {memory}", f"ports = {ports}"]
    return lines
