# SPDX-License-Identifier: BSD-2-Clause
"""Ends of channels that break the protocol of their virtual devices, beside tenants that must not
notice."""

import re

import pytest
from systems import VERDICT, Boot, Build, freertos, payload, system
from test_channels import channel, latency_of

# Offset of the page that the victim watches in its memory, behind its image and before its stack.
WATCHED = 0x200000


@pytest.mark.parametrize(("kind", "device"), [("net", 1), ("socket", 19)])
def test_a_queue_that_moves_into_another_tenant(
    build: Build, boot: Boot, kind: str, device: int
) -> None:
    """Nothing is written to where a queue says that it is after it was checked."""

    def describe(address: int) -> str:
        common = f"device={device} victim={address:#x}"
        return system(
            payload("hostile-queue", "sender", arguments=f"{common} role=sender"),
            payload("hostile-queue", "receiver", arguments=f"{common} role=receiver"),
            payload("hostile-queue", "victim", arguments=f"{common} role=victim rounds=40"),
            freertos(),
            channel("wire", "sender", "receiver", kind=kind),
        )

    planned = build(describe(0xFFFFFFFF)).built.system
    victim = next(each for each in planned.tenants if each.name == "victim")
    session = boot(describe(victim.memory.base + WATCHED), icount=3)
    assert session.expect("victim", VERDICT)[1] == "PASS hostile-queue"
    for name in ("sender", "receiver"):
        assert "FAIL" not in session.output(name)
        assert session.stats().tenants[name].state == "running"
    assert latency_of(session).missed == 0


def test_a_receivers_stores_are_its_own(boot: Boot) -> None:
    """What another end makes available and needs no buffer for is not done in them."""
    text = system(
        payload("hostile-frames", "sender", arguments="role=sender"),
        payload("hostile-frames", "receiver", priority=8, arguments="role=receiver"),
        freertos(),
        channel("wire", "sender", "receiver", kind="net"),
    )
    session = boot(text, icount=3)
    session.wait_ready("freertos")
    assert session.expect("receiver", VERDICT)[1] == "PASS hostile-frames"
    found = re.search(r"ticks least=(\d+)", session.output("receiver"))
    assert found
    # Ticks of 100 ns, in each of which are 12 instructions: the store alone, and no frame.
    assert int(found[1]) * 100 // 8 < 1000
    assert latency_of(session).missed == 0


def test_a_link_that_flaps(boot: Boot) -> None:
    """What becomes of the other end's link is told so often and not more, and in the end."""
    text = system(
        payload("hostile-link", "flapper", priority=1, arguments="role=flapper"),
        payload("hostile-link", "counter", priority=8, arguments="role=counter"),
        freertos(),
        channel("wire", "flapper", "counter", kind="net"),
    )
    session = boot(text, icount=4)
    assert session.expect("counter", VERDICT)[1] == "PASS hostile-link"
    assert "FAIL" not in session.output("flapper")
    assert latency_of(session).missed == 0
