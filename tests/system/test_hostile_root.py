# SPDX-License-Identifier: BSD-2-Clause
"""Root in a stock Debian does to its virtual devices what their drivers never would."""

import re

from systems import Boot, Build, freertos, linux, payload, run_without_a_miss, system
from test_channels import channel, run

# All ways to break the protocol, at each of the places.
ROUNDS = 60
DRIVER = "/sys/bus/platform/drivers/virtio-mmio"
ARGUMENTS = "console=ttyS0 loglevel=4 modules=virtio_mmio,virtio_net"


def test_rings_of_a_device_without_a_driver_reach_no_other_memory(build: Build, boot: Boot) -> None:
    """The peer floods the device meanwhile; FreeRTOS and a tenant full of a pattern are above."""
    launch = build(
        system(
            linux(arguments=ARGUMENTS),
            payload("net-flood", priority=2, budget="200us/1ms"),
            payload("neighbour", priority=9),
            freertos(),
            channel("lan", "linux", "net-flood", kind="net"),
        )
    )
    planned = launch.built.system
    others = [each.memory for each in planned.tenants if each.name != "linux"]
    middles = [each.base + each.size // 2 & ~0xFFFF for each in others]
    places = [*middles, planned.monitor.base, planned.monitor.base + 0x20000]
    session = boot(launch, icount=4)
    session.wait_ready("linux")
    session.expect("net-flood", "^flood$")
    (device,) = re.findall(
        r"^([0-9a-f]+)\.\S+$", run(session, "linux", f"ls -1 {DRIVER}"), re.MULTILINE
    )
    run(session, "linux", f"echo {DRIVER}/{device}.* | sed 's,.*/,,' >{DRIVER}/unbind")
    addresses = " ".join(map(hex, places))
    output = run(session, "linux", f"virtiobreak 0x{device} {ROUNDS} {addresses}")
    found = re.search(r"received=(\d+) refused=(\d+)\n", output)
    assert found, output
    assert int(found[1]) > ROUNDS // 2
    assert int(found[2]) == 2 * ROUNDS // 5
    session.skip_output("neighbour")
    for _ in range(2):
        assert session.expect("neighbour", r"^neighbour: wakes=(\d+) ")[1] == "500"
    assert "FAIL" not in session.output("neighbour")
    stats, _ = run_without_a_miss(session, 1)
    assert {each.state for each in stats.tenants.values()} == {"running"}
    assert run(session, "linux", "echo alive") == "alive\n"
