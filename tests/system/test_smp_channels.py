# SPDX-License-Identifier: BSD-2-Clause
"""A stream and a network between a Linux on two harts and RTOS on others.

Without -icount, which lets one hart run at a time. What each end sends is checked by the other one.
"""

import pytest
from systems import LONG_WAIT, Boot, freertos, is_long, keep_ticking, linux, payload, system
from test_channels import PORT, channel, outcome, run, start
from test_nets import ADDRESS, NET, exchange, net_rtos

# In each direction.
MESSAGES = 5000 if is_long() else 100


@pytest.mark.long_form
def test_channels_from_hart_to_hart(boot: Boot) -> None:
    """Both at once and both ways; an end goes and comes back; a flood leaves others their time."""
    exchanges = f"send={MESSAGES} receive={MESSAGES}"
    text = system(
        linux(harts=[0, 1], arguments=NET),
        net_rtos(hart=2),
        freertos("below", hart=2, priority=5),
        payload("stream-check", hart=3, arguments=exchanges),
        channel("lan", "linux", "freertos", kind="net"),
        channel("talk", "linux", "stream-check"),
    )
    session = boot(text, timeout=LONG_WAIT)
    for name in ("linux", "freertos", "below"):
        session.wait_ready(name)
    start(session, "linux", f"streamcheck {PORT} {MESSAGES} {MESSAGES}")
    for hart in (1, 2):  # as masks
        exchange(session, MESSAGES, f"taskset {hart} ")
    output, status = outcome(session, "linux")
    assert status == 0, output

    session.wait_state("stream-check", "stopped")
    run(session, "linux", "sleep 0.5")  # its driver has seen both ends go
    assert session.control("start stream-check").exit_code == 0
    start(session, "linux", f"streamcheck {PORT} 0 1000000000")
    run(session, "linux", "sleep 0.2")
    assert session.control("stop stream-check").exit_code == 0
    output, status = outcome(session, "linux")
    assert status == 3, output
    assert session.control("start stream-check").exit_code == 0
    start(session, "linux", f"netflood {ADDRESS} 1")
    assert " good\n" in run(session, "linux", f"streamcheck {PORT} {MESSAGES} {MESSAGES}")
    keep_ticking(session, ["below", "freertos"], wake_ups=100)
    output, status = outcome(session, "linux")
    assert status == 0, output

    # It goes while frames wait for it, and comes back for them.
    start(session, "linux", f"netflood {ADDRESS} 1")
    assert session.control("restart freertos").exit_code == 0
    output, status = outcome(session, "linux")
    assert status == 0, output
    exchange(session, MESSAGES)
    assert "FAIL" not in session.output("stream-check")
