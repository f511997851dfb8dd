# SPDX-License-Identifier: BSD-2-Clause
"""The one-purpose payloads that judge for themselves, beside an RTOS that must miss nothing."""

import pytest
from systems import VERDICT, Boot, freertos, payload, system

from cotenant.run.results import parse_latency

PAYLOADS = [
    "hello",
    "sbi-conformance",
    "sbi-suspend",
    "sbi-fwft",
    "sbi-sta",
    "sbi-sse",
    "sbi-dbtr",
    "mmio-decode",
    "timer-storm",
    "fp-keeper",
    "freertos-selftest",
]


@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
@pytest.mark.parametrize("name", PAYLOADS)
def test_payload_passes(boot: Boot, name: str, sstc: bool) -> None:
    session = boot(system(payload(name, priority=5), freertos(), sstc=sstc), icount=3)
    verdict = session.expect(name, VERDICT)[1]
    assert verdict == f"PASS {name}"
    session.expect_monitor(f"^monitor: tenant {name}: shutdown$")
    session.run_for(1)
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


@pytest.mark.parametrize("above", [True, False], ids=["emulated", "passed-through"])
def test_a_driver_that_has_the_number_of_the_board_built_in(boot: Boot, above: bool) -> None:
    """The source of the board's UART is that of the virtual one, whatever the device tree says."""
    other = payload("spin", priority=1) if above else freertos()
    session = boot(system(payload("uart-echo", arguments="source=10"), other), icount=3)
    session.expect("uart-echo", "^uart-echo: ready")
    session.send("uart-echo", b"a key\x04")
    assert session.expect("uart-echo", VERDICT)[1] == "PASS uart-echo"
    assert "a key" in session.output("uart-echo")


@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
def test_uart_echo_returns_what_is_typed(boot: Boot, sstc: bool) -> None:
    session = boot(system(payload("uart-echo"), freertos(), sstc=sstc))
    session.wait_ready("freertos")
    text = "".join(f"line {number}\n" for number in range(2000))
    session.send("uart-echo", text.encode())
    session.expect("uart-echo", "^line 1999\n")
    assert text in session.output("uart-echo")
