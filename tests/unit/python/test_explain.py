# SPDX-License-Identifier: BSD-2-Clause
"""What `check -v` and `check --json` tell of a system with several harts."""

from io import StringIO

import pytest
from made_images import LINUX, RTOS, Workshop, workshop
from rich.console import Console

from cotenant import explain
from cotenant.system import System, load

__all__ = ["workshop"]


@pytest.fixture
def system(workshop: Workshop) -> System:
    linux = LINUX.replace("priority", "harts = [2, 1]\npriority")
    return load(workshop.system(linux + RTOS + "hart = 1\n"))


def rows(system: System) -> list[list[str]]:
    """Return the cells of all tables that `check -v` prints."""
    output = StringIO()
    explain.show(system, Console(file=output, width=200))
    lines = [line.split("│")[1:-1] for line in output.getvalue().splitlines() if "│" in line]
    return [[cell.strip() for cell in line] for line in lines]


def test_harts_of_each_tenant(system: System) -> None:
    virtio = ", ".join(f"virtio{number}" for number in range(8))
    assert ["linux", "2, 1", "1", "slice 10ms", f"rtc, {virtio}"] in rows(system)
    assert ["rtos", "1", "10", "slice 10ms", "-"] in rows(system)


def test_who_shares_each_hart(system: System) -> None:
    cells = rows(system)
    start = cells.index(["1", "5 of 16", "rtos/0", "10", "emulated", "yields the hart"])
    assert cells[start + 1 : start + 3] == [
        ["", "", "linux/1", "1", "passed through", "keeps the hart"],
        ["2", "4 of 16", "linux/0", "1", "passed through", "keeps the hart"],
    ]


def test_pmp_entries_of_each_hart(system: System) -> None:
    """The rights of each tenant where they share a hart; the claim register is the hart's own."""
    claims = [row for row in rows(system) if row[2] == "NA4"]
    assert [row[3:] for row in claims] == [
        ["0xc203004..0xc203007", "r--", "---"],
        ["0xc205004..0xc205007", "r--"],
    ]


def test_json(system: System) -> None:
    data = explain.as_dict(system)
    assert (data["harts"], data["boot_hart"]) == (3, 2)
    tenants, vharts, registers = data["tenants"], data["vharts"], data["pmp"]
    assert isinstance(tenants, dict) and isinstance(vharts, list) and isinstance(registers, dict)
    assert {name: each["harts"] for name, each in tenants.items()} == {"linux": [2, 1], "rtos": [1]}
    keys = ("tenant", "id", "hart", "priority", "plic_context", "plic_passthrough", "wfi_yields")
    assert [[each[key] for key in keys] for each in vharts] == [
        ["linux", 0, 2, 1, 5, True, False],
        ["linux", 1, 1, 1, 3, True, False],
        ["rtos", 0, 1, 10, 3, False, True],
    ]
    claims = [region["base"] for each in vharts for region in each["access"] if region["size"] == 4]
    assert claims == [0x0C20_5004, 0x0C20_3004]
    assert {hart: each["used"] for hart, each in registers.items()} == {"1": 5, "2": 4}
    assert registers["1"]["entries"][2] == {
        "entry": 2,
        "form": "allow",
        "mode": "NA4",
        "base": 0x0C20_3004,
        "size": 4,
        "rights": {"linux": "r--", "rtos": "---"},
    }
