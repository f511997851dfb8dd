# SPDX-License-Identifier: BSD-2-Clause
"""How many lines the ports of FreeRTOS and lwIP have, comments and blank lines included."""

from pathlib import Path

from cotenant import paths
from cotenant.bench.row import Row, row
from cotenant.errors import BenchError

_TENANTS = paths.ROOT / "tenants"
# The files of each port, and of what every application writes, by their place in one of these.
_FOLDERS = (_TENANTS / "freertos", _TENANTS)
_FILES = {
    "FreeRTOS port": ("port/port.c", "port/port_asm.S", "port/portmacro.h", "port/port.h"),
    "FreeRTOS configuration and hooks": ("FreeRTOSConfig.h", "hooks.c"),
    "lwIP port": (
        "lwip/network.c",
        "lwip/network.h",
        "lwip/lwipopts.h",
        "lwip/arch/cc.h",
        "rt/lwip_port.h",
    ),
}


def run(quick: bool) -> list[Row]:
    """Count; `quick` is no less."""
    del quick
    rows = []
    for what, names in _FILES.items():
        lines = {name: _lines(_place(name)) for name in names}
        rows += [row(name, "lines", count) for name, count in lines.items()]
        rows.append(row(what, "lines", sum(lines.values())))
    return rows


def _place(name: str) -> Path:
    places = [folder / name for folder in _FOLDERS]
    return next((place for place in places if place.exists()), places[0])


def _lines(file: Path) -> int:
    try:
        return len(file.read_text(encoding="utf-8").splitlines())
    except OSError as error:
        raise BenchError(f"{paths.shown(file)} cannot be read: {error.strerror}") from error
