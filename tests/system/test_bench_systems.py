# SPDX-License-Identifier: BSD-2-Clause
"""The benchmarks of switches that rewrite PMP addresses run systems that do not fit otherwise."""

from pathlib import Path

import pytest

from cotenant import system
from cotenant.bench import switch
from cotenant.bench.rtl import systems as rtl_systems

SYSTEMS = {
    "rtl": (rtl_systems.rtos_beside_spin_with_many_regions(5), False),
    "rtl, resident": (rtl_systems.rtos_beside_spin(5, sv39=False), True),
    "eight": (switch.many_tenants(8, with_devices=True), False),
    "eight, resident": (switch.many_tenants(8), True),
}


@pytest.mark.parametrize(("text", "fits"), SYSTEMS.values(), ids=SYSTEMS.keys())
def test_entries_fit_together_or_not(tmp_path: Path, text: str, fits: bool) -> None:
    file = tmp_path / "system.toml"
    file.write_text(text)
    assert system.load(file).pmp[0].shared is fits
