# SPDX-License-Identifier: BSD-2-Clause
"""The network of the component OS, with Linux at its other end."""

from systems import Boot, linux, payload, system
from test_channels import channel, run

from cotenant.run.results import parse_latency
from cotenant.run.session import Session

ADDRESS = "10.0.0.2"
NET = "console=ttyS0 loglevel=4 modules=virtio_mmio,virtio_net addresses=eth0=10.0.0.1/24"


def missed(session: Session) -> int:
    """Return how many periods the control component has missed so far."""
    session.skip_output("components")
    session.expect("components", "^latency: samples=")
    latency = parse_latency(session.output("components"))
    assert latency and latency.samples > 100
    return latency.missed


def test_pages_come_again_whatever_crashes(boot: Boot) -> None:
    components = payload(
        "components-web",
        "components",
        priority=10,
        memory="8M",
        fp=False,
        arguments=f"address={ADDRESS}/24 report=100 pause=20000",
    )
    text = system(linux(arguments=NET), components, channel("lan", "linux", "components", kind="net"))
    session = boot(text, icount=4)
    session.wait_ready("linux")
    run(session, "linux", f"ping -c 3 {ADDRESS}")
    run(session, "linux", f"udpecho {ADDRESS} 100")
    assert missed(session) == 0
