# SPDX-License-Identifier: BSD-2-Clause
"""Harts that have the H extension: everything runs as without it."""

from pathlib import Path

from systems import VERDICT, Boot, freertos, linux, payload, run_without_a_miss, system
from test_machine import machine

from cotenant import paths


def board_with_h(folder: Path) -> str:
    """Return QEMU's board, of harts that cannot turn their H extension off."""
    board = folder / "with-h.toml"
    text = (paths.BOARDS / "qemu-virt.toml").read_text()
    assert "h=off" in text
    board.write_text(text.replace("h=off", "h=on"))
    return str(board)


def test_linux_beside_freertos_with_h(boot: Boot, tmp_path: Path) -> None:
    session = boot(system(linux(), freertos(), board=board_with_h(tmp_path)), icount=3)
    session.wait_ready("linux")
    # Nothing of H is shown: a tenant's kernel does not use it.
    exit_code, output = session.command("linux", "grep -m1 '^isa' /proc/cpuinfo")
    assert exit_code == 0 and "h" not in output.split()[-1].partition("_")[0]
    stats, _ = run_without_a_miss(session, 1)
    assert all(each.faults == 0 for each in stats.tenants.values())


def test_what_machine_mode_has_is_refused_with_h(boot: Boot, tmp_path: Path) -> None:
    hostile = payload("hostile-csr", arguments="h=1")
    session = boot(system(hostile, freertos(), board=board_with_h(tmp_path)), icount=3)
    assert session.expect("hostile-csr", VERDICT)[1] == "PASS hostile-csr"


def test_a_hostile_tenant_with_guests_of_its_own(boot: Boot, tmp_path: Path) -> None:
    other = payload("world-keeper", priority=9, arguments="role=1 rounds=400")
    tenants = (payload("hostile-virtual", priority=5), other, freertos())
    session = boot(system(*tenants, board=board_with_h(tmp_path)), icount=3)
    for name in ("hostile-virtual", "world-keeper"):
        assert session.expect(name, VERDICT)[1] == f"PASS {name}"
    run_without_a_miss(session, 1)


def test_a_guest_of_a_hostile_tenant_in_machine_mode(boot: Boot, tmp_path: Path) -> None:
    whole = machine("machine-hostile-virtual", priority=1)
    session = boot(system(whole, freertos(), board=board_with_h(tmp_path)), icount=3)
    session.wait_ready("freertos")
    assert session.expect("whole", VERDICT)[1] == "PASS hostile-virtual"
    run_without_a_miss(session, 1)
