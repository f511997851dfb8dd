# SPDX-License-Identifier: BSD-2-Clause
"""Tenants talk to each other over channels, with the drivers that they have anyway."""

import re

from systems import VERDICT, Boot, is_long, linux, payload, system

from cotenant.run.session import Session

PORT = "/dev/virtio-ports/talk"
VIRTIO = "console=ttyS0 loglevel=4 modules=virtio_mmio"
MESSAGES = 1_000_000 if is_long() else 2000


def channel(name: str, *ends: str) -> str:
    """Return the table of a stream."""
    return f'[channel.{name}]\nkind = "stream"\nends = {list(ends)}\n'


def run(session: Session, tenant: str, command: str) -> str:
    """Run a command that has to succeed; return what it printed."""
    exit_code, output = session.command(tenant, command)
    assert exit_code == 0, output
    return output


def start(session: Session, tenant: str, command: str) -> None:
    """Run a command in the background; its output and status go to /tmp/out."""
    run(session, tenant, f"({command}; echo status=$?) >/tmp/out 2>&1 &")


def outcome(session: Session, tenant: str) -> tuple[str, int]:
    """Return the output and the status of what runs in the background, when it has ended."""
    wait = "until grep -q status= /tmp/out; do usleep 100000; done; cat /tmp/out"
    output = run(session, tenant, wait)
    found = re.search(r"status=(\d+)", output)
    assert found
    return output, int(found[1])


def test_a_stream_between_two_linuxes(boot: Boot) -> None:
    """Both ways at once; the end of one is seen by the other, which goes on with the next."""
    red = linux("red", arguments=VIRTIO, slice="2ms")
    blue = linux("blue", arguments=VIRTIO, slice="2ms")
    text = system(red, blue, channel("other", "blue", "red"), channel("talk", "red", "blue"))
    session = boot(text, icount=4)
    for name in ("red", "blue"):
        session.wait_ready(name)
        assert run(session, name, "ls /dev/virtio-ports").split() == ["other", "talk"]

    start(session, "red", f"streamcheck {PORT} {MESSAGES} {MESSAGES}")
    exit_code, output = session.command("blue", f"streamcheck {PORT} {MESSAGES} {MESSAGES}")
    assert exit_code == 0, output
    output, status = outcome(session, "red")
    assert status == 0, output

    # Restarted in the middle: the other end hangs up, and is there again for the next one.
    start(session, "blue", f"streamcheck {PORT} 0 1000000")
    start(session, "red", f"streamcheck {PORT} 1000000 0")
    run(session, "blue", "sleep 0.2")
    session.skip_output("red")
    assert session.control("restart red").exit_code == 0
    output, status = outcome(session, "blue")
    assert status == 3, output
    assert "received=0 " not in output
    session.wait_ready("red")
    start(session, "red", f"streamcheck {PORT} 100 100")
    exit_code, output = session.command("blue", f"streamcheck {PORT} 100 100")
    assert exit_code == 0, output


def test_streams_of_an_rtos(boot: Boot) -> None:
    """To Linux and to another RTOS, both ways at once; each end comes and goes."""
    text = system(
        linux(arguments=VIRTIO),
        payload(
            "stream-check",
            "one",
            priority=8,
            arguments=f"send={MESSAGES} receive={MESSAGES} rounds=2",
        ),
        payload("stream-check", "two", arguments=f"channel=direct send={MESSAGES}"),
        payload("stream-check", "three", arguments=f"channel=direct receive={MESSAGES}"),
        channel("talk", "linux", "one"),
        channel("direct", "two", "three"),
    )
    session = boot(text, icount=4)
    session.wait_ready("linux")
    for _ in range(2):
        exit_code, output = session.command("linux", f"streamcheck {PORT} {MESSAGES} {MESSAGES}")
        assert exit_code == 0, output
    for name in ("one", "two", "three"):
        assert session.expect(name, VERDICT)[1] == "PASS stream-check"
