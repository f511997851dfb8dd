# SPDX-License-Identifier: BSD-2-Clause
"""A stock Debian as a process of another one: cohost on a tenant that hosts guests."""

import json

from systems import Boot, Value, freertos, linux, system

from cotenant.run.session import Session

LONG = 300.0
EXEC = "cohost exec --memory 128M"
QUIET = "--append 'quiet start=\"{}\"' </dev/null >/tmp/out"


def host(**keys: Value) -> str:
    """Return the table of a Debian that hosts two guests."""
    return linux("linux", memory="768M", guests=2, initrd="debian-host-initramfs", **keys)


def huge_pages(session: Session) -> str:
    return session.command("linux", "grep HugePages_Total /proc/meminfo")[1].split()[-1]


def test_guests_on_one_hart_below_an_rtos(boot: Boot) -> None:
    session = boot(system(host(), freertos()), timeout=LONG)
    session.wait_ready("freertos")
    session.wait_ready("linux")

    own = session.command("linux", "uname -r")[1]
    assert session.command("linux", f"{EXEC} -- uname -r") == (0, own)
    code, output = session.command("linux", f"{EXEC} -- sh -c 'seq 3000; hostname; exit 7'")
    assert code == 7
    assert output.split() == [str(number) for number in range(1, 3001)] + ["(none)"]
    assert session.command("linux", f"{EXEC} -- no-such-program")[0] == 127

    run = "cohost run --memory 100M " + QUIET
    assert session.command("linux", run.format("poweroff -f"))[0] == 0
    assert session.command("linux", run.format("echo c >/proc/sysrq-trigger"))[0] == 4
    code, output = session.command("linux", "cohost exec --memory 760M -- true")
    assert code == 125 and "not there" in output

    for seconds in ("0.3", "1", "3", "6"):
        kill = f"{run.format('')} & sleep {seconds}; kill -9 $!; wait $!"
        assert session.command("linux", kill)[0] == 137
    assert session.command("linux", f"{EXEC} -- true")[0] == 0
    assert huge_pages(session) == "0"
    assert session.stats().tenants["freertos"].state == "running"


def test_two_guests_with_two_harts(boot: Boot) -> None:
    session = boot(system(host(harts=[0, 1])), timeout=LONG)
    session.wait_ready("linux")
    assert session.command("linux", f"{EXEC} --cpus 2 -- nproc") == (0, "2\n")

    # One runs beside the other, is stopped for a while and goes on.
    run = "cohost run --name web --cpus 2 --memory 100M " + QUIET.format("sleep 1; reboot -f")
    session.command("linux", f"{run} &")
    assert session.command("linux", f"{EXEC} -- uname -s") == (0, "Linux\n")
    assert session.command("linux", "cohost pause web; sleep 3")[0] == 0
    listed = json.loads(session.command("linux", "cohost --json list")[1])["guests"]
    assert [(each["name"], each["state"], each["cpus"]) for each in listed] == [
        ("web", "paused", 2)
    ]
    assert session.command("linux", "cohost resume web; >/tmp/out")[0] == 0
    wait = "for i in $(seq 100); do ! grep -q 'Restarting system' /tmp/out || break; sleep 1; done"
    session.command("linux", wait)
    assert session.command("linux", "cohost stop web")[0] == 0
    assert json.loads(session.command("linux", "cohost --json list")[1])["guests"] == []


def test_a_disk_outlives_its_guest(boot: Boot) -> None:
    session = boot(system(host()), timeout=LONG)
    session.wait_ready("linux")
    make = "dd if=/dev/zero of=/tmp/disk bs=1M count=8 2>/dev/null"
    assert session.command("linux", make)[0] == 0
    write = "seq 100000 >/dev/vda; md5sum </dev/vda; sync"
    code, first = session.command("linux", f"{EXEC} --disk /tmp/disk -- sh -c '{write}'")
    assert code == 0, first
    read = f"{EXEC} --disk /tmp/disk,readonly -- sh -c 'md5sum </dev/vda'"
    assert session.command("linux", read) == (0, first)
    assert session.command("linux", "md5sum </tmp/disk") == (0, first)
