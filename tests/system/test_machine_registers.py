# SPDX-License-Identifier: BSD-2-Clause
"""Every number of a CSR, as a tenant in machine mode finds it and as the bare machine does.

Where the two differ, the privileged ISA lets them, or QEMU's machine is not what it says. These
differences are listed here, each with what the tenant finds: there is no other one.
"""

import re
from collections.abc import Iterator

import pytest
from systems import Boot, system
from test_machine import PLACE, machine, on_the_bare_machine

ALL = 0xFFFF_FFFF_FFFF_FFFF
ILLEGAL = "illegal"
READ_ONLY = "is read only: 1"
NUMBERS = 4096


def left(ones: int, zeros: int = 0) -> str:
    """Return what is printed of a CSR by what writes of all ones and all zeros leave of it."""
    return f"ones {ones:#x} zeros {zeros:#x}"


def several(first: int, last: int, found: str) -> dict[int, str]:
    """Return the same for CSRs that follow each other."""
    return dict.fromkeys(range(first, last + 1), found)


BOTH = {
    # Of machine mode's the basic counters are all that there is to show to a lower mode.
    0x306: left(7),
    # No other counter counts, and all of them are there: 3.1.10. The bare machine lacks some.
    0x320: left(0),
    **several(0x323, 0x33F, left(0)),
    **several(0xB03, 0xB1F, left(0)),
    **several(0xC13, 0xC1F, READ_ONLY),
    # Bits 5 and 6 of pmpcfg are 0, and addresses have 56 bits: 3.7.1. They are written last of
    # all: what all ones have locked, all zeros leave.
    0x3A0: left(0x9F9F_9F9F_9F9F_9F9F, 0x9F9F_9F9F_9F9F_9F9F),
    0x3A2: left(0x9F9F_9F9F_9F9F_9F9F, 0x9F9F_9F9F_9F9F_9F9F),
    **several(0x3B0, 0x3BF, left((1 << 54) - 1)),
    # Of debugging.
    **several(0x7A0, 0x7A4, ILLEGAL),
}
"""of every tenant"""

WITHOUT_S_MODE = BOTH | {
    # It has no floating point here.
    **several(0x001, 0x003, ILLEGAL),
    # No S-mode: these are the hart's, and hold what belongs to machine mode itself.
    0x104: left(0x222),
    0x105: left(0x8000_0500),
    0x144: left(0x2),
    # MIE, MPIE, MPP, MPRV, TW and UXL; misa without S, F and D; interrupts of machine mode.
    0x300: left(0x2_0022_1888, 0x2_0000_0000),
    0x301: left(0x8000_0000_0010_1105, 0x8000_0000_0010_1105),
    0x302: left(0),
    0x303: left(0),
    0x304: left(0x888),
    0x344: left(0),
    0x30A: left(1),
}
"""and of one that has machine mode and U-mode; mepc is as on the bare machine, the hart's"""

WITH_S_MODE = BOTH | {
    # No vector registers, and UXL and SXL are fixed.
    0x100: left(0x8000_0002_000C_6122, 0x2_0000_0000),
    0x300: left(0x8000_000A_007E_79AA, 0xA_0000_0000),
    0x106: left(7),
    # QEMU's machine lets bits of the hypervisor extension be set, which it has been made without.
    0x302: left(0xB3FF),
    0x303: left(0x222),
    0x304: left(0xAAA),
    # Bit 0 is always 0: 3.1.14.
    0x341: left(ALL - 1),
    # SSIP, STIP and SEIP: 3.1.9.
    0x344: left(0x222),
}
"""and of one that has S-mode as well"""

# Of menvcfg FIOM, and STCE if the hart has Sstc.
STCE = 1 << 63


def parsed(printed: str) -> Iterator[dict[int, str]]:
    """Return what each hart has found, by the numbers."""
    for part in re.split("^hart [0-9]+\n", printed, flags=re.MULTILINE)[1:]:
        found: dict[int, str] = {}
        for line in part.splitlines():
            place = re.match(r"0x(\w+)(?: to 0x(\w+))? (.*)", line)
            if place:
                first, last, what = place.groups()
                found |= several(int(first, 16), int(last or first, 16), what)
        yield found


@pytest.mark.parametrize(
    ("sstc", "harts"), [(True, [0, 1]), (False, [0])], ids=["two-harts", "no-sstc"]
)
def test_every_number_is_what_it_is_on_the_bare_machine(
    boot: Boot, sstc: bool, harts: list[int]
) -> None:
    """Of tenants without and with S-mode, side by side on each hart."""
    keys: dict[str, object] = {"priority": 5, "slice": "1ms", "harts": harts}
    beside = {"memory": PLACE | {"base": 0x8040_0000}, "fp": True}
    described = {
        "plain": machine("machine-registers", "plain", **keys),
        "below": machine("machine-registers-beside", "below", s_mode=True, **keys | beside),
    }
    session = boot(system(*described.values(), sstc=sstc), icount=3 if len(harts) == 1 else None)
    bare = list(parsed(on_the_bare_machine("machine-registers", len(harts), sstc)))
    assert len(bare) == len(harts)
    differences = {
        "plain": WITHOUT_S_MODE,
        "below": WITH_S_MODE | {0x30A: left(STCE + 1 if sstc else 1)},
    }
    for name in described:
        session.expect(name, "^PASS registers$")
        printed = session.output(name).replace("\r", "").replace("0x80400", "0x80000")
        tenant = list(parsed(printed))
        assert len(tenant) == len(harts)
        for own, other in zip(tenant, bare, strict=True):
            assert own.keys() == other.keys() == set(range(NUMBERS))
            found = {number: own[number] for number in own if own[number] != other[number]}
            # vstimecmp, which QEMU's machine has with Sstc alone, is the hypervisor extension's.
            assert other[0x24D] == (left(ALL) if sstc else ILLEGAL)
            assert own[0x24D] == ILLEGAL
            found.pop(0x24D, None)
            assert found == differences[name]
