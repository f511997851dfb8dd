# SPDX-License-Identifier: BSD-2-Clause
"""Harts that have the H extension: everything runs as without it."""

from pathlib import Path

from systems import Boot, freertos, linux, run_without_a_miss, system

from cotenant import paths


def test_linux_beside_freertos_with_h(boot: Boot, tmp_path: Path) -> None:
    board = tmp_path / "with-h.toml"
    text = (paths.BOARDS / "qemu-virt.toml").read_text()
    assert "h=off" in text
    board.write_text(text.replace("h=off", "h=on"))
    session = boot(system(linux(), freertos(), board=str(board)), icount=3)
    session.wait_ready("linux")
    # Nothing of H is shown: a tenant's kernel does not use it.
    exit_code, output = session.command("linux", "grep -m1 '^isa' /proc/cpuinfo")
    assert exit_code == 0 and "h" not in output.split()[-1].partition("_")[0]
    stats, _ = run_without_a_miss(session, 1)
    assert all(each.faults == 0 for each in stats.tenants.values())
