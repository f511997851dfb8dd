# SPDX-License-Identifier: BSD-2-Clause
"""Tenants talk to each other over channels, with the drivers that they have anyway."""

import re

import pytest
from systems import (
    LONG_WAIT,
    VERDICT,
    Boot,
    freertos,
    is_long,
    keep_ticking,
    linux,
    payload,
    system,
)

from cotenant.run.results import Latency, parse_latency
from cotenant.run.session import DEFAULT_TIMEOUT, Session

PORT = "/dev/virtio-ports/talk"
VIRTIO = "console=ttyS0 loglevel=4 modules=virtio_mmio"
# In each direction.
MESSAGES = 500_000 if is_long() else 500
PATIENCE = LONG_WAIT if is_long() else DEFAULT_TIMEOUT
# About as many frames of 1,448 bytes.
FILE_SIZE = MESSAGES * 1448


def channel(name: str, *ends: str, kind: str = "stream") -> str:
    """Return the table of a channel."""
    return f'[channel.{name}]\nkind = "{kind}"\nends = {list(ends)}\n'


def run(session: Session, tenant: str, command: str) -> str:
    """Run a command that has to succeed; return what it printed."""
    exit_code, output = session.command(tenant, command)
    assert exit_code == 0, output
    return output


def latency_of(session: Session) -> Latency:
    """Return what FreeRTOS measured so far."""
    latency = parse_latency(session.output("freertos"))
    assert latency
    return latency


def start(session: Session, tenant: str, command: str) -> None:
    """Run a command in the background; its output and status go to /tmp/out."""
    run(session, tenant, f"rm -f /tmp/out; ({command}; echo status=$?) >/tmp/out 2>&1 &")


def outcome(session: Session, tenant: str) -> tuple[str, int]:
    """Return the output and the status of what runs in the background, when it has ended."""
    wait = "until grep -q status= /tmp/out; do usleep 100000; done; cat /tmp/out"
    output = run(session, tenant, wait)
    found = re.search(r"status=(\d+)", output)
    assert found
    return output, int(found[1])


@pytest.mark.long_form
def test_a_stream_between_two_linuxes(boot: Boot) -> None:
    """Both ways at once; the end of one is seen by the other, which goes on with the next."""
    red = linux("red", arguments=VIRTIO, slice="2ms")
    blue = linux("blue", arguments=VIRTIO, slice="2ms")
    text = system(red, blue, channel("other", "blue", "red"), channel("talk", "red", "blue"))
    session = boot(text, icount=4, timeout=PATIENCE)
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


@pytest.mark.long_form
def test_streams_of_an_rtos(boot: Boot) -> None:
    """To Linux and to another RTOS, both ways at once; each end comes and goes.

    Meanwhile a third one keeps its deadlines.
    """
    count = MESSAGES // 2
    text = system(
        linux(arguments=VIRTIO),
        payload(
            "stream-check",
            "one",
            priority=8,
            arguments=f"send={count} receive={count} rounds=2",
        ),
        payload("stream-check", "two", arguments=f"channel=direct send={count}"),
        payload("stream-check", "three", arguments=f"channel=direct receive={count}"),
        freertos(),
        channel("talk", "linux", "one"),
        channel("direct", "two", "three"),
    )
    session = boot(text, icount=4, timeout=PATIENCE)
    session.wait_ready("linux")
    for _ in range(2):
        exit_code, output = session.command("linux", f"streamcheck {PORT} {count} {count}")
        assert exit_code == 0, output
    for name in ("one", "two", "three"):
        assert session.expect(name, VERDICT)[1] == "PASS stream-check"
    keep_ticking(session, ["freertos"])
    assert latency_of(session).missed == 0


def serve_file(session: Session, tenant: str, address: str) -> None:
    """Give a tenant its address, and let it offer a file by HTTP: some MiB of random bytes."""
    run(session, tenant, f"ip addr add {address}/24 dev eth0; ip link set eth0 up")
    run(session, tenant, f"mkdir -p /tmp/www; head -c {FILE_SIZE} /dev/urandom >/tmp/www/file")
    run(session, tenant, "httpd -p 80 -h /tmp/www")


def fetch_file(address: str) -> str:
    """Return the command that fetches the other's file and prints its checksum."""
    return f"wget -q -O - http://{address}/file | md5sum"


@pytest.mark.long_form
def test_a_network_between_two_linuxes(boot: Boot) -> None:
    """Files both ways at once while an RTOS keeps its deadlines; the link of one that restarts."""
    virtio = f"{VIRTIO},virtio_net"
    red = linux("red", arguments=virtio, slice="2ms")
    blue = linux("blue", arguments=virtio, slice="2ms")
    text = system(red, blue, freertos(), channel("lan", "red", "blue", kind="net"))
    session = boot(text, icount=4, timeout=PATIENCE)
    for name, address in (("red", "10.0.0.1"), ("blue", "10.0.0.2")):
        session.wait_ready(name)
        serve_file(session, name, address)
    wanted = {name: run(session, name, "md5sum </tmp/www/file") for name in ("red", "blue")}
    before = latency_of(session)
    start(session, "red", fetch_file("10.0.0.2"))
    assert run(session, "blue", fetch_file("10.0.0.1")) == wanted["red"]
    output, status = outcome(session, "red")
    assert status == 0 and wanted["blue"] in output
    keep_ticking(session, ["freertos"])
    assert latency_of(session).missed == before.missed == 0

    carrier = "cat /sys/class/net/eth0/carrier"
    assert run(session, "blue", carrier) == "1\n"
    assert session.control("restart red").exit_code == 0
    run(session, "blue", f"until [ $({carrier}) = 0 ]; do usleep 10000; done")
    session.wait_ready("red")
    run(session, "blue", f"until [ $({carrier}) = 1 ]; do usleep 10000; done")
    serve_file(session, "red", "10.0.0.1")
    wanted["red"] = run(session, "red", "md5sum </tmp/www/file")
    assert run(session, "blue", fetch_file("10.0.0.1")) == wanted["red"]


@pytest.mark.long_form
def test_hostile_rings_and_a_flood(boot: Boot) -> None:
    """Neither is noticed by the Linux at the other end, nor by the RTOS that has deadlines.

    Linux boots before them, in the long form beside them.
    """
    text = system(
        linux(arguments=VIRTIO, slice="2ms"),
        payload("hostile-rings", priority=1, start="boot" if is_long() else "manual"),
        freertos(),
        channel("talk", "linux", "hostile-rings"),
    )
    session = boot(text, icount=4, timeout=PATIENCE)
    session.wait_ready("linux")
    if not is_long():
        assert session.control("start hostile-rings").output == "ok"
    assert session.expect("hostile-rings", VERDICT)[1] == "PASS hostile-rings"
    run(session, "linux", f"timeout 2 cat {PORT} | wc -c >/tmp/count; [ $(cat /tmp/count) -gt 0 ]")
    assert latency_of(session).missed == 0
    keep_ticking(session, ["freertos"])
    assert latency_of(session).missed == 0
    assert session.stats().tenants["freertos"].faults == 0
