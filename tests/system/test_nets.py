# SPDX-License-Identifier: BSD-2-Clause
"""An RTOS with an IP stack on a network with Linux; and channels from hart to hart."""

import pytest
from systems import (
    LONG_WAIT,
    Boot,
    Value,
    freertos,
    is_long,
    keep_ticking,
    linux,
    payload,
    system,
)
from test_channels import channel, latency_of, outcome, run, start

from cotenant.run.session import DEFAULT_TIMEOUT, Session

ADDRESS = "10.0.0.2"
NET = (
    "console=ttyS0 loglevel=4 modules=virtio_mmio,virtio_net "
    "addresses=eth0=10.0.0.1/24,eth1=10.0.1.1/24"
)
# In each direction.
MESSAGES = 500_000 if is_long() else 2000
PATIENCE = LONG_WAIT if is_long() else DEFAULT_TIMEOUT


def net_rtos(**keys: Value) -> str:
    """Return the table of FreeRTOS with lwIP."""
    arguments = f"address={ADDRESS}/24 report=500ms"
    return freertos("freertos", image="freertos-net", arguments=arguments, **keys)


def exchange(session: Session, messages: int, prefix: str = "") -> None:
    """Exchange so many datagrams in each direction: all come, in order, with the right bytes."""
    output = run(session, "linux", f"{prefix}netcheck {ADDRESS} {messages} {messages}")
    assert f"sent={messages} received={messages} lost=0 wrong=0 good" in output


def wait_for_link(session: Session, carrier: int) -> None:
    """Wait until Linux' driver says that the other end is there, or gone."""
    file = "/sys/class/net/eth0/carrier"
    run(session, "linux", f"until [ $(cat {file}) = {carrier} ]; do usleep 10000; done")


@pytest.mark.long_form
def test_an_rtos_with_an_ip_stack(boot: Boot) -> None:
    """It keeps its deadlines: with datagrams both ways at once, beside a flood, after a restart."""
    text = system(
        linux(arguments=NET),
        net_rtos(),
        payload("net-flood", priority=5, budget="500us/1ms", start="manual"),
        channel("lan", "linux", "freertos", kind="net"),
        channel("storm", "linux", "net-flood", kind="net"),
    )
    session = boot(text, icount=4, timeout=PATIENCE)
    for name in ("linux", "freertos"):
        session.wait_ready(name)
    exchange(session, MESSAGES)
    assert latency_of(session).missed == 0

    # An RTOS that floods Linux, then Linux that floods the RTOS: what they do besides goes on.
    assert session.control("start net-flood").exit_code == 0
    session.expect("net-flood", "^flood$")
    exchange(session, 200)
    session.expect("net-flood", "^flood$")
    assert session.control("stop net-flood").exit_code == 0
    start(session, "linux", f"netflood {ADDRESS} 1")
    exchange(session, 200)
    output, status = outcome(session, "linux")
    assert status == 0, output
    keep_ticking(session, ["freertos"])
    assert latency_of(session).missed == 0

    # It dies in the middle of an exchange: Linux loses its link, and finds it again.
    start(session, "linux", f"netcheck {ADDRESS} 1000000 1000000")
    run(session, "linux", "sleep 0.2")
    assert session.control("stop freertos").exit_code == 0
    wait_for_link(session, 0)
    session.skip_output("freertos")
    assert session.control("start freertos").exit_code == 0
    wait_for_link(session, 1)
    run(session, "linux", "killall netcheck")
    exchange(session, 200)
    session.expect("freertos", "^net: link=up ")
    assert session.control("stop linux").exit_code == 0
    session.expect("freertos", "^net: link=down ")
    keep_ticking(session, ["freertos"])
    assert latency_of(session).missed == 0
