# SPDX-License-Identifier: BSD-2-Clause
"""Operating systems that take turns on the same hart and devices, by suspend to RAM."""

from systems import LATENCY_READY, Boot, freertos, linux, system

from cotenant.run.results import parse_latency
from cotenant.run.session import Session

SUSPEND = b"echo mem > /sys/power/state; echo back $((40 + 2))\n"
BACK = "^back 42$"


def group(*members: str, **keys: str | list[str]) -> str:
    """Return the table of a group."""
    listed = {"members": list(members), **keys}
    return "\n".join(["[group.desk]", *(f"{key} = {value!r}" for key, value in listed.items()), ""])


def one_and_two(**keys: str | list[str]) -> str:
    """Return two Debian Linux that share the clock and a device, and an RTOS beside them."""
    arguments = "console=ttyS0 loglevel=4 modules=virtio_mmio,virtio_rng"
    return system(
        '[qemu.devices]\nvirtio7 = "virtio-rng-device"\n',
        group("one", "two", devices=["rtc", "virtio7"], **keys),
        linux("one", arguments=arguments),
        linux("two", arguments=arguments),
        freertos(),
    )


def both_have_been_active(session: Session) -> None:
    """Boot the first one, then the second one, which is in the foreground afterwards."""
    session.wait_ready("one")
    session.send("one", SUSPEND)
    session.wait_ready("two")
    session.wait_state("one", "dormant")


def no_deadline_was_missed(session: Session) -> None:
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


def test_two_linux_take_turns_beside_an_rtos(boot: Boot) -> None:
    session = boot(one_and_two(), icount=4)
    session.expect("freertos", LATENCY_READY)
    both_have_been_active(session)
    for active, other in (("two", "one"), ("one", "two")) * 3:
        assert session.command(active, "ticks 20")[0] == 0
        random = session.command(active, "dd if=/dev/hwrng bs=32 count=1 2>/dev/null | wc -c")
        assert random == (0, "32\n")
        session.send(active, SUSPEND)
        session.expect(other, BACK)
        states = {name: each.state for name, each in session.stats().tenants.items()}
        assert states == {active: "dormant", other: "running", "freertos": "running"}
    no_deadline_was_missed(session)
    assert session.quit() == 0


def test_commands_of_a_group(boot: Boot) -> None:
    session = boot(one_and_two(patience="100ms"), icount=4)
    session.wait_ready("one")
    assert session.control("switch freertos").output == "refused, it is running"
    assert session.control("switch one").output == "refused, it is running"
    assert session.control("start two").output == "refused, it is empty, and not in the foreground"
    # Nobody in there obeys.
    assert session.control("switch two").output == "ok"
    session.expect_monitor("tenant one: asked to suspend for two\n")
    session.expect_monitor("one: did not suspend in time and stays in the foreground, instead of")
    assert session.command("one", "ticks 20")[0] == 0
    # The end of the active one is the turn of the next.
    assert session.control("stop one").output == "ok"
    session.wait_ready("two")
    assert session.control("switch one").output == "ok"
    session.send("two", SUSPEND)
    session.expect("one", "^cotenant: ready$")
    session.send("one", b"poweroff -f\n")
    session.expect("two", BACK)
    no_deadline_was_missed(session)


def test_a_switch_by_force(boot: Boot) -> None:
    session = boot(one_and_two(patience="500ms", refusal="force"), icount=4)
    session.wait_ready("one")
    assert session.control("switch two").output == "ok"
    session.expect_monitor("tenant one: stopped by force: ")
    session.wait_ready("two")
    assert session.command("two", "ticks 20")[0] == 0
    assert session.stats().tenants["one"].state == "stopped"
    no_deadline_was_missed(session)
