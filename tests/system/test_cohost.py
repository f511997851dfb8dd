# SPDX-License-Identifier: BSD-2-Clause
"""A stock Debian as a process of another one: cohost on a tenant that hosts guests."""

import json
from pathlib import Path

from systems import NO_SELF_TESTS, Boot, Value, freertos, keep_ticking, linux, system

from cotenant import images
from cotenant.images.cpio import Archive
from cotenant.images.initramfs_images import append
from cotenant.images.programs import compile_program
from cotenant.run.results import parse_latency
from cotenant.run.session import Session

LONG = 300.0
EXEC = f"cohost exec --memory 128M --append '{NO_SELF_TESTS}'"
QUIET = f"--append 'quiet {NO_SELF_TESTS} start=\"{{}}\"' </dev/null >/tmp/out"
INITRD = "debian-host-initramfs"
WINDOW_MIB = 96
SECRET = "0x5EC12E7A0BADCAFE"


def host(initrd: str = INITRD, **keys: Value) -> str:
    """Return the table of a Debian that hosts two guests."""
    return linux("linux", memory="768M", guests=2, initrd=initrd, **keys)


def with_chrt(folder: Path) -> str:
    """Return the host's initramfs with what its busybox lacks."""
    archive = Archive()
    archive.add_file("bin/realtime", compile_program([Path(__file__).parent / "realtime.c"]), 0o755)
    file = folder / "initramfs"
    file.write_bytes(append(images.resolve(INITRD).read_bytes(), archive.to_bytes()))
    return str(file)


def answer(session: Session, command: str) -> str:
    """Return what a command of the host prints; it succeeds."""
    code, output = session.command("linux", command)
    assert code == 0, output
    return output


def huge_pages(session: Session) -> str:
    return session.command("linux", "grep HugePages_Total /proc/meminfo")[1].split()[-1]


def try_governors(session: Session) -> None:
    """What governs a process governs its guest, which competes with a process of the host."""
    busy = '-- sh -c "while :; do :; done"'
    append = f"quiet {NO_SELF_TESTS} rdinit=/bin/busybox {busy}"
    guest = f"cohost run --name busy --memory 64M --append '{append}'"
    answer(session, f"{guest} </dev/null >/dev/null 2>&1 & echo $! >/tmp/guest")
    answer(session, "sh -c 'while :; do :; done' & echo $! >/tmp/other")
    threads = "$(ls /proc/$(cat /tmp/guest)/task)"
    answer(session, "realtime 2 $PPID")  # the shell's commands need not wait for them
    ticks = "cut -d ' ' -f 14,15 /proc/$(cat /tmp/guest)/stat /proc/$(cat /tmp/other)/stat"

    def share(before: str = "true", after: str = "true") -> float:
        """Return the guest's share of the time that both had in a while."""
        command = f"{before} && {ticks}; usleep 400000; {ticks}; {after}"
        said = [int(each) for each in answer(session, command).split() if each.isdigit()]
        user, system_, other, other_system = (said[i + 4] - said[i] for i in range(4))
        return (user + system_) / (user + system_ + other + other_system)

    assert 0.4 < share() < 0.6
    assert 0.05 < share(f"renice -n 10 -p {threads}") < 0.2  # by weights: 110 of 1,134
    # The kernel's threads have no time meanwhile, nor so the console.
    assert share(f"realtime 1 {threads}", f"realtime 0 {threads}") > 0.9
    group = "/tmp/groups/few"
    limit = f"echo +cpu >/tmp/groups/cgroup.subtree_control; echo 2000 10000 >{group}/cpu.max"
    answer(session, f"mkdir /tmp/groups; mount -t cgroup2 none /tmp/groups; mkdir {group}; {limit}")
    move = f"cat /tmp/guest >{group}/cgroup.procs"
    assert 0.15 < share(f"renice -n -20 -p {threads} && {move}") < 0.25
    answer(session, "kill $(cat /tmp/other); cohost stop busy; realtime 0 $PPID")


def try_taskset(session: Session, name: str) -> None:
    """The harts of a guest run where the threads of its process may."""
    listed = json.loads(answer(session, "cohost --json list"))["guests"]
    [(pid, cpus)] = ((each["pid"], each["cpus"]) for each in listed if each["name"] == name)
    # A thread for each, two more for the process and its devices; it is listed before they start.
    started = f"[ $(ls /proc/{pid}/task | wc -l) -ge {2 + cpus} ]"
    answer(session, f"until {started}; do usleep 50000; done")
    look = f"cut -d ' ' -f 1,14,39 /proc/{pid}/task/*/stat"  # thread, ticks of user time, hart
    for hart in (0, 1):
        each = f"taskset -p {1 << hart} $thread"
        answer(session, f"for thread in $(ls /proc/{pid}/task); do {each}; done")
        said = [int(word) for word in answer(session, f"{look}; usleep 500000; {look}").split()]
        before, after = said[: len(said) // 2], said[len(said) // 2 :]
        assert before[::3] == after[::3]
        ticks = zip(before[1::3], after[1::3], after[2::3], strict=True)
        ran = [place for earlier, later, place in ticks if later > earlier]
        assert ran and set(ran) == {hart}, said


def test_guests_on_one_hart_below_an_rtos(boot: Boot, tmp_path: Path) -> None:
    initrd = with_chrt(tmp_path)
    session = boot(system(host(initrd), freertos()), timeout=LONG, icount=3)
    session.wait_ready("freertos")
    session.wait_ready("linux")

    try_governors(session)
    code, output = session.command("linux", f"{EXEC} -- sh -c 'seq 3000; hostname; exit 7'")
    assert code == 7
    assert output.split() == [str(number) for number in range(1, 3001)] + ["(none)"]
    assert session.command("linux", f"{EXEC} -- no-such-program")[0] == 127

    run = "cohost run --memory 100M " + QUIET
    assert session.command("linux", run.format("poweroff -f"))[0] == 0
    assert session.command("linux", run.format("echo c >/proc/sysrq-trigger"))[0] == 4
    code, output = session.command("linux", "cohost exec --memory 760M -- true")
    assert code == 125 and "not there" in output

    for seconds in ("0.3", "1"):
        kill = f"{run.format('')} & sleep {seconds}; kill -9 $!; wait $!"
        assert session.command("linux", kill)[0] == 137
    own = session.command("linux", "uname -r")[1]
    assert session.command("linux", f"{EXEC} -- uname -r") == (0, own)
    assert huge_pages(session) == "0"
    keep_ticking(session, ["freertos"])
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


def test_two_guests_with_two_harts(boot: Boot) -> None:
    session = boot(system(host(harts=[0, 1])), timeout=LONG)
    session.wait_ready("linux")
    assert session.command("linux", f"{EXEC} --cpus 2 -- nproc") == (0, "2\n")

    # One runs beside the other, is stopped for a while and goes on.
    run = "cohost run --name web --cpus 2 --memory 100M " + QUIET.format("sleep 1; reboot -f")
    session.command("linux", f"{run} &")
    session.command("linux", "until cohost list | grep -q web; do usleep 50000; done")
    try_taskset(session, "web")
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


def test_a_guest_powers_off_when_it_is_asked_to(boot: Boot) -> None:
    """Its power key is pressed again until its system is up and has a driver for it."""
    session = boot(system(host()), timeout=LONG)
    session.wait_ready("linux")
    run = f"cohost run --name web --memory 100M --append 'quiet {NO_SELF_TESTS}'"
    answer(session, f"({run} </dev/null; echo $? >/tmp/code) >/tmp/out 2>&1 &")
    answer(session, "until cohost list | grep -q web; do usleep 50000; done")
    assert answer(session, "cohost shutdown web") == "shutdown web: ok\n"
    assert answer(session, "until [ -s /tmp/code ]; do :; done; cat /tmp/code") == "0\n"


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


def test_a_guest_in_the_window_finds_nothing_of_another(boot: Boot) -> None:
    """Its first hart clears what its kernel and its initrd do not fill."""
    tenant = linux(
        "linux", memory="512M", guests=1, initrd=INITRD, **{"guest-window": f"{WINDOW_MIB}M"}
    )
    session = boot(system(tenant), timeout=LONG)
    session.wait_ready("linux")
    said = answer(
        session, 'hexdump -e \'8/1 "%02x" "\\n"\' /proc/device-tree/reserved-memory/guests@*/reg'
    )
    base, size = (int(word, 16) for word in said.split())
    assert size == WINDOW_MIB << 20
    # A word in each 2 MiB, each in another place, and some of the last pages.
    places = [base + (i << 21) + i * 0x8208 for i in range(WINDOW_MIB // 2 - 1)]
    places += [base + size - i for i in (0x80, 0x1000, 0x1008)]
    words = " ".join(f"0x{place:x}" for place in places)
    answer(session, f"for i in {words}; do devmem $i 64 {SECRET}; done")
    read = f"for i in {words}; do devmem $i 64; done"
    assert answer(session, read).split() == [SECRET] * len(places)
    answer(session, f"cohost exec --memory {WINDOW_MIB}M --append '{NO_SELF_TESTS}' -- true")
    assert SECRET not in answer(session, read)
    assert "guest0" not in answer(session, "cohost list")
