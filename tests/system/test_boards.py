# SPDX-License-Identifier: BSD-2-Clause
"""QEMU's models of products: Debian beside FreeRTOS with the product's own UART, timer and harts.

Hart 0 of each has no S-mode and stays parked.
"""

import random
import re
import zlib
from pathlib import Path

import pytest
from systems import (
    LATENCY_READY,
    VERDICT,
    Boot,
    Build,
    freertos,
    keep_ticking,
    linux,
    payload,
    system,
    type_and_count,
)
from test_malformed_bundle import set_field, spoil
from test_terminal import ESCAPE, Terminal

PRODUCTS = ["microchip-icicle", "sifive-unleashed"]
TYPED = 5000

pytestmark = pytest.mark.parametrize("board", PRODUCTS)


def test_linux_beside_freertos(boot: Boot, board: str) -> None:
    data = random.Random(1).randbytes(TYPED)
    rtos = freertos(hart=2)
    session = boot(system(linux(harts=[1, 2]), rtos, board=board, sstc=False))
    session.wait_ready("linux")
    session.expect("linux", "# ")
    # Every character arrives, in both directions.
    assert type_and_count(session, data) == (TYPED, zlib.crc32(data))
    exit_code, output = session.command("linux", "seq 3000")
    assert exit_code == 0
    assert re.findall(r"\d+", output) == [str(number) for number in range(1, 3001)]
    exit_code, output = session.command("linux", "nproc; cat /proc/cpuinfo")
    assert output.startswith("2\n")
    assert "sstc" not in output and "zba" not in output
    keep_ticking(session, ["freertos"])
    stats = session.stats()
    assert {each.state for each in stats.tenants.values()} == {"running"}
    assert all(each.faults == 0 for each in stats.tenants.values())


def test_harts_that_nobody_needs_take_no_exception(boot: Boot, board: str, tmp_path: Path) -> None:
    log = tmp_path / "interrupts.log"
    tenants = (payload("hello", hart=4), freertos(hart=4))
    session = boot(system(*tenants, board=board, sstc=False), extra=("-d", "int", "-D", str(log)))
    session.expect("hello", "^PASS hello$")
    session.wait_ready("freertos")
    session.kill()
    taken = re.findall(r"^riscv_cpu_do_interrupt: hart:(\d+)", log.read_text(), re.MULTILINE)
    assert set(taken) == {"4"}


def test_each_hart_with_s_mode_runs_tenants(boot: Boot, board: str) -> None:
    rtoses = [freertos(f"rtos{hart}", hart=hart) for hart in (1, 2, 3, 4)]
    session = boot(system(*rtoses, board=board, sstc=False))
    for hart in (1, 2, 3, 4):
        session.expect(f"rtos{hart}", LATENCY_READY)


def test_the_pmp_of_the_product_keeps_tenants_apart(boot: Boot, board: str, build: Build) -> None:
    def describe(arguments: str) -> str:
        hostile = payload("hostile-memory", hart=1, arguments=arguments)
        return system(hostile, freertos(hart=1), board=board, sstc=False)

    planned = build(describe("")).built.system
    timer = planned.board.aclint
    places = [planned.monitor.base, planned.tenants[1].memory.base, timer.msip, timer.mtimecmp]
    session = boot(describe("touch=" + ",".join(map(hex, places))))
    assert session.expect("hostile-memory", VERDICT)[1] == "PASS hostile-memory"
    assert session.stats().tenants["hostile-memory"].faults > 40 * len(places)
    session.expect("freertos", LATENCY_READY + r".*\n")
    keep_ticking(session, ["freertos"], 100)


def test_a_bundle_is_refused_on_the_products_uart(boot: Boot, build: Build, board: str) -> None:
    launch = build(system(payload("hello", hart=1), board=board, sstc=False))
    session = boot(spoil(launch, set_field("board.harts[1].plic_s_context", 1)))
    said = "refused the bundle: board.harts.plic_s_context: used twice [1]"
    session.console.wait(lambda: said in session.console.noise or None, 60)
    assert session.output("hello") == ""


def test_at_a_terminal_qemus_own_key_ends_the_run(tmp_path: Path, board: str) -> None:
    description = tmp_path / "terminal.toml"
    echo = payload("uart-echo", name="echo", hart=1)
    description.write_text(system(echo, freertos(hart=1), board=board, sstc=False))
    terminal = Terminal(description)
    try:
        terminal.expect("leave QEMU with Ctrl-A x")
        terminal.expect("^uart-echo: ready")
        terminal.type(b"hello there\n")
        terminal.expect("hello there")
        terminal.type(ESCAPE + b"q")
        terminal.type(b"\x01x")
        assert terminal.end() == 0
    finally:
        terminal.close()
