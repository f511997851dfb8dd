# SPDX-License-Identifier: BSD-2-Clause
"""Two Linuxes connect to each other by AF_VSOCK."""

import pytest
from systems import Boot, freertos, is_long, keep_ticking, linux, system
from test_channels import channel, latency_of, outcome, run, start

MODULES = "console=ttyS0 loglevel=4 modules=virtio_mmio,vmw_vsock_virtio_transport"
pytestmark = pytest.mark.timeout(3600)
# In each direction.
MESSAGES = 500_000 if is_long() else 100
LONGEST = 16384


def check(where: str, send: int, receive: int) -> str:
    """Return the command that exchanges so many messages over a socket."""
    return f"streamcheck vsock:{where} {send} {receive} {LONGEST}"


@pytest.mark.long_form
def test_sockets_between_two_linuxes(boot: Boot) -> None:
    """Both ways at once, from either side; whose other end goes away is told, and can go on."""
    text = system(
        linux("red", arguments=MODULES, slice="2ms"),
        linux("blue", arguments=MODULES, slice="2ms"),
        freertos(),
        channel("line", "red", "blue", kind="socket"),
    )
    session = boot(text, icount=4)
    for name in ("red", "blue"):
        session.wait_ready(name)
    for listener, address, other in (("red", 3, "blue"), ("blue", 4, "red")):
        start(session, listener, check("listen:1234", MESSAGES, MESSAGES))
        run(session, other, "sleep 0.1")
        run(session, other, check(f"{address}:1234", MESSAGES, MESSAGES))
        output, status = outcome(session, listener)
        assert status == 0, output
    keep_ticking(session, ["freertos"])
    assert latency_of(session).missed == 0

    start(session, "blue", check("listen:99", 0, 1_000_000))
    start(session, "red", check("4:99", 1_000_000, 0))
    run(session, "blue", "sleep 0.2")
    driver = "cd /sys/bus/virtio/drivers/vmw_vsock_virtio_transport"
    run(session, "red", f"{driver}; ls -d virtio* >/tmp/device; cat /tmp/device >unbind")
    output, status = outcome(session, "blue")
    assert status == 3, output
    assert "received=0 " not in output
    run(session, "red", f"{driver}; cat /tmp/device >bind")
    start(session, "blue", check("listen:99", 10, 10))
    run(session, "red", "sleep 0.1")
    run(session, "red", check("4:99", 10, 10))
