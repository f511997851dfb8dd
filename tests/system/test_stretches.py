# SPDX-License-Identifier: BSD-2-Clause
"""How long the monitor goes without a look at interrupts where a tenant starts, prints and ends."""

from cotenant.bench import stops

BUDGET = 400


def test_neither_a_start_nor_a_console_write_nor_a_stop_is_longer_than_the_budget() -> None:
    found = stops.trace()
    seen = {name for path in found for name in path.functions}
    assert seen >= {"halt", "teardown_step", "tenant_load_step", "vuart_console_write"}
    late = {path.profile: path.longest_stretch for path in found if path.longest_stretch > BUDGET}
    assert not late
