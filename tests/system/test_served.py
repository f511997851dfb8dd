# SPDX-License-Identifier: BSD-2-Clause
"""Tenants whose devices a process of a Debian serves, with the drivers that they have anyway."""

from pathlib import Path

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
from test_channels import VIRTIO, run, start
from test_cohost_backends import COHOST, DIRECTORY, ROOT
from test_examples import as_tested
from test_hostile_virtio import places

from cotenant import paths
from cotenant.run.session import Session

LONG = 600.0
MEBIBYTES = 32 if is_long() else 2
ROUNDS = 5000 if is_long() else 300
KILLS = 50 if is_long() else 2
SERVED: dict[str, Value] = {"served-by": "linux", "served": ["disk", "net", "rng"]}
SERVE = "cohost serve second --disk /tmp/disk --net tap0 >>/tmp/log 2>&1 &"
EXAMPLE = paths.ROOT / "examples" / "served.toml"


def digest_of(session: Session, tenant: str, file: str) -> str:
    """Return the digest of what the test has written to a disk."""
    return run(session, tenant, f"dd if={file} bs=1M count={MEBIBYTES} 2>/dev/null | md5sum")


def try_devices(session: Session) -> None:
    """Each of them works."""
    run(session, "second", "ping -c 3 10.1.0.1")
    run(session, "linux", "ping -c 3 10.1.0.2")
    assert run(session, "second", "hexdump -n 16 /dev/hwrng | wc -l").strip() == "2"


def try_kills(session: Session) -> None:
    """The program dies in the middle of writes, and comes again: nothing is lost."""
    make = f"dd if=/dev/urandom of=/tmp/bytes bs=1M count={MEBIBYTES} 2>/dev/null"
    digest = run(session, "second", f"{make}; md5sum </tmp/bytes")
    write = f"dd if=/dev/zero of=/dev/vda bs=64k count={16 * MEBIBYTES} conv=fsync 2>/dev/null; "
    write += "dd if=/tmp/bytes of=/dev/vda bs=64k conv=fsync"
    start(session, "second", write)
    for _ in range(KILLS):
        run(session, "linux", f"usleep 200000; killall -9 cohost; {SERVE}")
    wait = "until grep -q status= /tmp/out; do usleep 100000; done; grep -q status=0 /tmp/out"
    drop = "echo 3 >/proc/sys/vm/drop_caches"
    run(session, "second", f"{wait} && {drop}")
    assert digest_of(session, "second", "/dev/vda") == digest
    assert digest_of(session, "linux", "/tmp/disk") == digest
    # Without a server a request waits, however long.
    run(session, "linux", "killall -9 cohost")
    start(session, "second", f"dd if=/dev/vda of=/dev/null bs=64k count=1 skip={32 * MEBIBYTES}")
    run(session, "second", "sleep 1; ! grep status= /tmp/out")
    run(session, "linux", SERVE)
    run(session, "second", wait)
    try_devices(session)


def try_restarts(session: Session) -> None:
    """The client begins anew with the same program, which does not touch what it had before."""
    digest = digest_of(session, "linux", "/tmp/disk")
    session.skip_output("second")
    assert session.control("restart second").exit_code == 0
    session.expect("second", "^cotenant: ready$")
    assert digest_of(session, "second", "/dev/vda") == digest


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

    server = linux(memory="512M", initrd="debian-host-initramfs", arguments=VIRTIO)

    def described(touch: str) -> str:
        arguments = f"rounds={ROUNDS} {touch}"
        hostile = payload("hostile-virtio", None, **{"arguments": arguments, **keys})
        return system(server, hostile, freertos(hart=0))

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
def test_the_example_through_kills_and_restarts(boot: Boot, tmp_path: Path) -> None:
    session = boot(as_tested(EXAMPLE, tmp_path), timeout=LONG)
    session.wait_ready("linux")
    session.wait_ready("second")
    try_devices(session)
    try_kills(session)
    try_restarts(session)
    list_again = "cohost serve second --disk /tmp/disk 2>&1; cohost list"
    shown = run(session, "linux", list_again)
    assert "another process serves" in shown and "second           served" in shown
    keep_ticking(session, ["freertos"])


@pytest.mark.long_form
def test_a_share_and_a_console(boot: Boot) -> None:
    """Both work, and again after their processes were killed."""
    server = linux(memory="512M", initrd="debian-backends-initramfs", arguments=VIRTIO)
    keys: dict[str, Value] = {"served-by": "linux", "served": ["share", "console"]}
    shell = 'start="while :; do getty -n -l /bin/sh 0 hvc0; done"'
    client = linux("second", hart=1, arguments=f"{VIRTIO} hostname=second {shell}", **keys)
    session = boot(system(server, client), timeout=LONG)
    session.wait_ready("linux")
    serve = f"{COHOST} serve second --share {DIRECTORY}=srv --console >>/tmp/log 2>&1 &"
    run(session, "linux", f"{ROOT}; echo hello >{DIRECTORY}/here; {serve}")
    session.wait_ready("second")

    mount = "mkdir -p /mnt; mount -t virtiofs srv /mnt; cat /mnt/here"
    write = "seq 100000 >/mnt/there; md5sum </mnt/there"
    digest = run(session, "second", f"{mount}; {write}; umount /mnt").splitlines()
    assert digest == ["hello", run(session, "linux", f"md5sum <{DIRECTORY}/there").strip()]
    attach = "cohost console second </tmp/keys | sed '/^end/q' | tr -d '\\r'"
    for number in range(KILLS):
        run(session, "linux", "echo 'hostname; seq 100; echo e''nd; echo' >/tmp/keys")
        seen = run(session, "linux", f"{attach} | grep -c -e '^[0-9]' -e ^second$")
        assert int(seen) == 101 + (10 if number > 0 else 0)  # what waited is not lost
        # The back end is started again; then the program is. The client waits meanwhile.
        run(session, "linux", "kill -9 $(pidof virtiofsd)")
        assert run(session, "second", f"{mount}; umount /mnt") == "hello\n"
        run(session, "linux", "kill -9 $(pidof cohost)")
        # Its driver of the console waits with interrupts off: no prompt comes before the server.
        wait = "seq 10 >/dev/hvc0; mount -t virtiofs srv /mnt; cat /mnt/here; echo status=$?"
        session.send("second", f"rm -f /tmp/out; ({wait}) >/tmp/out 2>&1 &\n".encode())
        run(session, "linux", f"usleep 300000; {serve}")
        run(session, "second", "until grep -q status= /tmp/out; do usleep 100000; done")
        assert run(session, "second", "head -n 1 /tmp/out; umount /mnt") == "hello\n"
