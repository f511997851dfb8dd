# SPDX-License-Identifier: BSD-2-Clause
"""Who is on which hart is free: different mixes of stock Debian and RTOS come up and work."""

import pytest
from systems import Boot, freertos, is_long, keep_ticking, linux, system

# By name: the Linuxes with their harts, and the RTOS with theirs. With and without Sstc in turn;
# both for each in the long form (COTENANT_LONG_TESTS=1).
MIXES = {
    "two-linuxes-share-two-harts": ({"a": [0, 1], "b": [1, 0]}, {}),
    "linux-boots-on-hart-2": ({"a": [2, 0, 1]}, {"r": 0}),
    "rtos-has-the-console-hart": ({"a": [1, 2]}, {"r": 0, "s": 2}),
    "linux-on-eight-harts": ({"a": list(range(8))}, {"r": 7}),
}
CASES = [
    (mix, sstc)
    for number, mix in enumerate(MIXES)
    for sstc in (True, False)
    if is_long() or sstc == (number % 2 == 1)
]


@pytest.mark.long_form
@pytest.mark.parametrize(("mix", "sstc"), CASES)
def test_mix_comes_up_and_works(boot: Boot, mix: str, sstc: bool) -> None:
    linuxes, rtos = MIXES[mix]
    session = boot(
        system(
            *(linux(name, harts=harts) for name, harts in linuxes.items()),
            *(freertos(name, hart=hart) for name, hart in rtos.items()),
            sstc=sstc,
        )
    )
    for name in (*linuxes, *rtos):
        session.wait_ready(name)
    for name, harts in linuxes.items():
        online = session.command(name, "cat /sys/devices/system/cpu/online")
        assert online == (0, f"0-{len(harts) - 1}\n")
        masks = " ".join(str(1 << cpu) for cpu in range(len(harts)))
        status, output = session.command(
            name, f"for mask in {masks}; do taskset $mask ticks 10 || exit 1; done"
        )
        assert status == 0, output
    keep_ticking(session, rtos, wake_ups=500)
    stats = session.stats()
    for name in (*linuxes, *rtos):
        assert stats.tenants[name].state == "running"
        assert stats.tenants[name].faults == 0
