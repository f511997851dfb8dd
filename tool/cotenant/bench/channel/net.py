# SPDX-License-Identifier: BSD-2-Clause
"""Datagrams between a Linux process and an RTOS on the same hart, beside the same Linux' loopback.

The RTOS is FreeRTOS with lwIP; time is counted in instructions, one a nanosecond. Part of
`cotenant bench channel`.
"""

from cotenant.bench.channel.figures import Figures, cost_rows, parse, way_rows
from cotenant.bench.channel.sender import channel, costs
from cotenant.bench.row import Row
from cotenant.bench.systems import linux, payload, running, system
from cotenant.errors import BenchError

_WAYS = ("net", "loopback")
_IMAGE = "bench-net"
# What a kernel does by itself in its first moments is not to be measured; nor is the first packet,
# before which both ends ask for each other's address.
_REST = "ip link set lo up; sleep 2; ping -c 1 10.0.0.2 >/tmp/ping"


def run(quick: bool) -> list[Row]:
    """Measure both directions of datagrams, their throughput, and what the monitor does."""
    figures = exchange(200 if quick else 2000)
    rows = way_rows(figures, "UDP datagram of 32 bytes", "datagrams", *_WAYS)
    return rows + cost_rows("frames", costs("net", _IMAGE))


def exchange(count: int) -> Figures:
    """Return the times of each direction, and MB/s by the size of datagrams."""
    description = system(
        linux(
            arguments="console=ttyS0 loglevel=4 modules=virtio_mmio,virtio_net "
            "addresses=eth0=10.0.0.1/24"
        ),
        payload(
            "rtos", "freertos-net", priority=10, memory="4M", fp=False,
            arguments="address=10.0.0.2/24", ready="latency: samples=",
        ),
        channel("net", "linux", "rtos"),
    )  # fmt: skip
    with running(description, sstc=True) as session:
        session.wait_ready("rtos")
        session.wait_ready("linux")
        code, output = session.command("linux", f"{_REST}; netbench {count} 10.0.0.2")
    if code != 0:
        raise BenchError(f"netbench ended with {code}: {output}")
    return parse("netbench", output, *_WAYS)
