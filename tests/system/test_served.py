# SPDX-License-Identifier: BSD-2-Clause
"""Tenants whose devices a process of a Debian serves, with the drivers that they have anyway."""

import pytest
from systems import (
    VERDICT,
    Boot,
    Build,
    Value,
    freertos,
    is_long,
    keep_ticking,
    linux,
    payload,
    system,
)
from test_channels import run, start
from test_hostile_virtio import places

from cotenant.run.session import Session

LONG = 600.0
MODULES = "console=ttyS0 loglevel=4 modules=virtio_mmio"
DRIVERS = f"{MODULES},virtio_blk,virtio_net,virtio_rng"
MEBIBYTES = 32 if is_long() else 2
ROUNDS = 5000 if is_long() else 300
KILLS = 50 if is_long() else 2
SERVED: dict[str, Value] = {"served-by": "linux", "served": ["disk", "net", "rng"]}
SERVE = "cohost serve second --disk /tmp/disk --net tap0 >>/tmp/log 2>&1 &"


def server() -> str:
    """Return the table of the tenant that serves."""
    return linux(arguments=MODULES, memory="512M", initrd="debian-host-initramfs")


def client() -> str:
    """Return the table of the tenant that is served; it has no hardware."""
    keys: dict[str, Value] = {"arguments": DRIVERS, "hart": 1, **SERVED}
    return linux(**{"name": "second", **keys})  # type: ignore[arg-type]


def begin(session: Session) -> None:
    """Let the server begin; the client then starts by itself."""
    session.wait_ready("linux")
    make = f"modprobe tun; dd if=/dev/zero of=/tmp/disk bs=1M count={MEBIBYTES} 2>/dev/null"
    # A tap device that outlives the program keeps its address.
    run(session, "linux", f"{make}; tunctl -t tap0; ip addr add 10.1.0.1/24 dev tap0")
    run(session, "linux", f"ip link set tap0 up; {SERVE}")
    session.wait_ready("second")
    run(session, "second", "ip addr add 10.1.0.2/24 dev eth0; ip link set eth0 up")


def try_devices(session: Session) -> None:
    """Each of them works."""
    run(session, "second", "ping -c 3 10.1.0.1")
    run(session, "linux", "ping -c 3 10.1.0.2")
    assert run(session, "second", "hexdump -n 16 /dev/hwrng | wc -l").strip() == "2"


def try_kills(session: Session) -> None:
    """The program dies in the middle of writes, and comes again: nothing is lost."""
    make = f"dd if=/dev/urandom of=/tmp/bytes bs=1M count={MEBIBYTES} 2>/dev/null"
    digest = run(session, "second", f"{make}; md5sum </tmp/bytes")
    write = "dd if=/dev/zero of=/dev/vda bs=64k conv=fsync 2>/dev/null; "
    write += "dd if=/tmp/bytes of=/dev/vda bs=64k conv=fsync"
    start(session, "second", write)
    for _ in range(KILLS):
        run(session, "linux", f"usleep 200000; killall -9 cohost; {SERVE}")
    run(session, "linux", "usleep 200000; killall -9 cohost; sleep 1")
    # Without a server the client's driver waits.
    assert run(session, "second", "ls /tmp | grep -c out").strip() == "1"
    run(session, "linux", SERVE)
    wait = "until grep -q status= /tmp/out; do usleep 100000; done; grep -q status=0 /tmp/out"
    drop = "echo 3 >/proc/sys/vm/drop_caches"
    assert run(session, "second", f"{wait} && {drop}; md5sum </dev/vda") == digest
    assert run(session, "linux", "md5sum </tmp/disk") == digest
    try_devices(session)


def try_restarts(session: Session) -> None:
    """The client begins anew with the same program, which does not touch what it had before."""
    digest = run(session, "linux", "md5sum </tmp/disk")
    session.skip_output("second")
    assert session.control("restart second").exit_code == 0
    session.expect("second", "^cotenant: ready$")
    assert run(session, "second", "md5sum </dev/vda") == digest


def try_hostile_server(session: Session) -> None:
    """A server that stores whatever it likes to its registers spoils no more than its client."""
    find = "cd /proc/device-tree/served/hostile*; hexdump -n 8 -e '8/1 \"%02x\"' reg"
    base = int(run(session, "linux", find), 16)
    value = f"x=$(((x * 1103515245 + 12345) % 2147483648)); at=$(({base} + x / 8 % 1536 * 8))"
    access = "devmem $at 64 $x; devmem $at 64 >/dev/null"
    store = f"x=7; for i in $(seq {ROUNDS}); do {value}; {access}; done"
    run(session, "linux", store)


@pytest.mark.long_form
def test_hostile_ends(boot: Boot, build: Build) -> None:
    """A client breaks every rule; then its server does."""
    keys: dict[str, Value] = {"memory": "1M", "hart": 1, **SERVED}

    def described(touch: str) -> str:
        arguments = f"rounds={ROUNDS} {touch}"
        hostile = payload("hostile-virtio", None, **{"arguments": arguments, **keys})
        return system(server(), hostile, freertos(hart=0))

    planned = build(described("")).built.system
    session = boot(described(places(planned, "hostile-virtio")), timeout=LONG)
    session.wait_ready("linux")
    make = "modprobe tun; dd if=/dev/urandom of=/tmp/disk bs=1M count=1 2>/dev/null"
    serve = "cohost serve hostile-virtio --disk /tmp/disk --net tap0 >>/tmp/log 2>&1 &"
    run(session, "linux", f"{make}; cp /tmp/disk /tmp/other; md5sum </tmp/other >/tmp/sum; {serve}")
    assert session.expect("hostile-virtio", VERDICT)[1] == "PASS hostile-virtio"
    # The program serves on, and what is the server's is as it was.
    run(session, "linux", "pidof cohost && md5sum </tmp/other | cmp - /tmp/sum")
    try_hostile_server(session)
    run(session, "linux", "md5sum </tmp/other | cmp - /tmp/sum")
    keep_ticking(session, ["freertos"])


@pytest.mark.long_form
def test_devices_kills_and_restarts(boot: Boot) -> None:
    session = boot(system(server(), client(), freertos(hart=0)), timeout=LONG)
    begin(session)
    try_devices(session)
    try_kills(session)
    try_restarts(session)
    assert "another process serves" in run(
        session, "linux", "cohost serve second --disk /tmp/disk 2>&1; :"
    )
    keep_ticking(session, ["freertos"])
