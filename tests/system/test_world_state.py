# SPDX-License-Identifier: BSD-2-Clause
"""Each register that a tenant can reach is its own, as monitor/state.toml says."""

import re
import shutil
import struct
from pathlib import Path

import pytest
import state
from systems import VERDICT, Boot, Build, payload, put_monitor, system

from cotenant import paths
from cotenant.run.session import Session

# All of QEMU's extensions that tenants may have.
CPU = (
    "rv64,h=off,sstc=on,sscofpmf=on,svinval=on,svnapot=on,svpbmt=on,Zfh=on,zbkb=on,zbkc=on,zbkx=on,"
    "zk=on,zmmul=on,x-epmp=on,xventanacondops=on"
)
WITH_H = CPU.replace("h=off", "h=on")
# And what is refused, for registers that would tell tenants of each other: siselect, vstart.
REFUSED = ("x-ssaia=on", "v=on")

PAIR = (
    payload("world-keeper", "low", priority=1),
    payload("world-keeper", "high", priority=5, arguments="role=1 rounds=150"),
)
# Each is exchanged in world_enter and what it branches to, or on harts with H.
MUTANTS = ("sepc", "scounteren", "senvcfg")
MUTANTS_WITH_H = ("vsscratch",)
CSRRW = 0x1073
CSRRW_FIELDS = 0x707F
NOP = 0x00000013


def found_in(session: Session, name: str) -> dict[int, str]:
    """Return what a payload says of the CSRs that it reaches."""
    lines = re.findall(r"^world-keeper: csr=(0x\w+) (\S+)$", session.output(name), re.MULTILINE)
    return {int(number, 16): kind for number, kind in lines}


@pytest.mark.parametrize("cpu", [None, CPU, WITH_H], ids=["board", "extensions", "h"])
@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
def test_what_a_tenant_reaches_is_as_stated(boot: Boot, sstc: bool, cpu: str | None) -> None:
    if cpu is not None:
        cpu = cpu.replace("sstc=on", f"sstc={'on' if sstc else 'off'}")
    extra = ("-cpu", cpu) if cpu else ()
    session = boot(system(*PAIR, sstc=sstc), icount=3, extra=extra)
    for name in ("low", "high"):
        assert session.expect(name, VERDICT)[1] == "PASS world-keeper"
        assert not state.contradictions(state.read(), found_in(session, name))


@pytest.mark.parametrize("extension", REFUSED)
def test_a_hart_with_registers_that_are_not_kept_apart_is_refused(
    boot: Boot, extension: str
) -> None:
    session = boot(system(*PAIR), icount=3, extra=("-cpu", f"rv64,h=off,{extension}"))
    assert session.wait_end() == 0
    text = session.console.noise + session.monitor_log
    assert "not this hart's, or it has jvt, siselect," in text and "starting" not in text


@pytest.mark.parametrize("register", MUTANTS + MUTANTS_WITH_H)
def test_a_register_that_is_not_switched_is_found(
    boot: Boot, build: Build, tmp_path: Path, register: str
) -> None:
    image = tmp_path / "monitor.bin"
    shutil.copy(paths.BUILD / "monitor" / "monitor.bin", image)
    with_h = register in MUTANTS_WITH_H
    switch = (
        ("hypervisor_exchange", "machine_entry")
        if with_h
        else ("world_enter", "load_pmp_addresses")
    )
    leave_out(image, state.numbers()[register], *switch)
    extra = ("-cpu", WITH_H) if with_h else ()
    session = boot(put_monitor(build(system(*PAIR)), image), icount=3, extra=extra)
    assert session.expect("high", VERDICT)[1].startswith("FAIL world-keeper: CSR ")


def leave_out(image: Path, csr: int, first: str, last: str) -> None:
    """Put nops in the places where a CSR is exchanged, between two labels of the world switch."""
    code = bytearray(image.read_bytes())
    function = slice(state.address_of(first), state.address_of(last))
    words = struct.unpack(f"<{(function.stop - function.start) // 2}H", code[function])
    found = False
    for index, low in enumerate(words[:-1]):
        word = low | words[index + 1] << 16
        if word & CSRRW_FIELDS == CSRRW and word >> 20 == csr:
            struct.pack_into("<I", code, function.start + 2 * index, NOP)
            found = True
    if not found:
        pytest.fail(f"the world switch has no instruction that writes CSR {csr:#x}")
    image.write_bytes(code)
