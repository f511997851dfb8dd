# SPDX-License-Identifier: BSD-2-Clause
"""The unit of PolarFire SoC that confines bus masters: what the monitor writes to it, and when.

QEMU has nothing at its registers: it notes each access, and reads give 0.
"""

import re
from pathlib import Path

from systems import LATENCY_READY, VERDICT, Boot, freertos, payload, system

from cotenant.run.session import Session

OPEN = 0b11011 << 56
LOCKED = 1 << 63
GEM0, GEM1 = 4, 5
ENTRIES = [16, 16, 8, 4, 8, 8, 4, 4, 8, 2]
GROUP = "[group.desk]\nmembers = ['one', 'two']\ndevices = ['mac0']\n"
ACCESS = re.compile(
    r"^microchip\.pfsoc\.mpucfg: unimplemented device write "
    r"\(size 8, offset (0x\w+), value (0x\w+)\)$",
    re.MULTILINE,
)


def start(boot: Boot, log: Path, *tables: str) -> Session:
    description = system(*tables, board="microchip-icicle", sstc=False)
    return boot(description, extra=("-d", "unimp", "-D", str(log)))


def written(session: Session, log: Path) -> dict[tuple[int, int], list[int]]:
    """End the run, and return what was written to each entry of each master."""
    session.kill()
    values: dict[tuple[int, int], list[int]] = {}
    for offset, value in ACCESS.findall(log.read_text()):
        master, place = divmod(int(offset, 16), 0x100)
        values.setdefault((master, place // 8), []).append(int(value, 16))
    return values


def opened(base: int, size: int) -> int:
    return OPEN | base >> 2 | (size >> 3) - 1


def test_a_device_reaches_its_tenants_memory(boot: Boot, tmp_path: Path) -> None:
    log = tmp_path / "unimplemented.log"
    owner = freertos("owner", hart=1, memory="6M", devices=["mac1"])
    session = start(boot, log, owner, freertos(hart=2))
    # QEMU does not confine it, and the monitor finds that out.
    session.expect_monitor("monitor: bus master 5 is not confined: ")
    session.expect("owner", LATENCY_READY)
    assert session.control("stop owner").output == "ok"
    session.wait_state("owner", "stopped")
    assert session.control("start owner").output == "ok"
    session.expect("owner", "^FreeRTOS ")
    values = written(session, log)
    first, second = opened(0x8000_0000, 4 << 20), opened(0x8040_0000, 2 << 20)
    for master, entries in enumerate(ENTRIES):
        for entry in range(entries):
            last = values.pop((master, entry))
            if master != GEM1:
                assert last == [LOCKED], (master, entry)
                continue
            assert last[:2] == [first, 0]  # tried at boot
            if entry < 2:
                memory = (first, second)[entry]
                assert last[2:] == [memory, 0, memory]
            else:
                assert len(last) == 2
    assert not values  # no entry that a master has not


def test_it_follows_the_turns_of_a_group(boot: Boot, tmp_path: Path) -> None:
    log = tmp_path / "unimplemented.log"
    members = [
        payload("switch-harts", name, harts=[1, 2], arguments="rounds=3") for name in ("one", "two")
    ]
    session = start(boot, log, GROUP, *members)
    for name in ("one", "two"):
        assert session.expect(name, VERDICT)[1] == "PASS switch-harts"
    one, two = opened(0x8000_0000, 4 << 20), opened(0x8040_0000, 4 << 20)
    turns = written(session, log)[GEM0, 0]
    assert turns[:2] == [one, 0]  # tried at boot
    del turns[:2]
    assert set(turns[1::2]) == {0}
    assert turns[0::2][:4] == [one, two, one, two]
