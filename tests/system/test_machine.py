# SPDX-License-Identifier: BSD-2-Clause
"""Tenants in machine mode: images that were built for the bare machine, as they are."""

import re
import subprocess

import pytest
from systems import (
    LATENCY_READY,
    LINUX_READY,
    NO_SELF_TESTS,
    Boot,
    Build,
    freertos,
    is_long,
    keep_ticking,
    payload,
    run_without_a_miss,
    system,
)

from cotenant import paths
from cotenant.run.results import parse_latency
from cotenant.run.session import Session

PLACE = {"base": 0x8000_0000, "size": "4M"}


def machine(image: str, name: str = "whole", *, s_mode: object = False, **keys: object) -> str:
    """Return the table of a tenant that is linked to the start of the board's RAM."""
    own = {"mode": "machine", "s-mode": s_mode, "memory": PLACE, "fp": False}
    return payload(image, name, **own | keys)  # type: ignore[arg-type]


def above_opensbi(image: str, name: str, **keys: object) -> str:
    """Return the table of Debian's OpenSBI, which starts an image for S-mode."""
    kernel = {"file": image, "offset": "2M"}
    return machine("opensbi", name, s_mode=True, kernel=kernel, **keys)


def restart(session: Session, tenant: str) -> None:
    """Restart a tenant; the monitor refuses while the tenant's last life is being cleared away."""
    for _ in range(100):
        answer = session.control(f"restart {tenant}")
        if answer.exit_code == 0:
            return
        assert re.fullmatch("refused, it is (stopping|loading|loaded)", answer.output)
        session.run_for(0.01)
    raise AssertionError(f"{tenant} cannot be restarted: {answer.output}")


def on_the_bare_machine(image: str, harts: int = 1, sstc: bool = True) -> str:
    """Return what an image prints on QEMU's board without a monitor."""
    elf = paths.BUILD / "tenants" / f"{image}.elf"
    # Harts that wait for each other need not get their turns with -icount.
    time = ("-icount", "shift=3,sleep=off") if harts == 1 else ()
    run = subprocess.run(
        [
            *("qemu-system-riscv64", "-M", "virt", "-m", "128M"),
            *("-cpu", f"rv64,h=off,sstc={'on' if sstc else 'off'}"),
            *("-smp", str(harts), "-nographic", "-bios", "none", "-kernel", str(elf), *time),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=True,
    )
    return run.stdout.decode().replace("\r", "")


@pytest.mark.parametrize(
    ("sstc", "rewrite"), [(True, True), (False, False)], ids=["rewritten", "no-sstc-as-it-is"]
)
def test_it_prints_what_the_bare_machine_prints(boot: Boot, sstc: bool, rewrite: bool) -> None:
    session = boot(
        system(machine("machine-csrs", priority=1, rewrite=rewrite), sstc=sstc), icount=3
    )
    session.expect("whole", "^PASS csrs$")
    assert session.output("whole").replace("\r", "") == on_the_bare_machine("machine-csrs")
    session.expect_monitor("^monitor: tenant whole: shutdown$")


def test_two_confine_their_user_modes_on_one_hart(boot: Boot) -> None:
    """They take turns, and the hart's spare entries from each other; each has the right lines."""
    first = machine("machine-pmp", priority=5, slice="100us")
    beside = PLACE | {"base": 0x8040_0000}
    second = machine("machine-pmp-beside", "other", priority=5, slice="100us", memory=beside)
    session = boot(system(first, second, freertos()), icount=3)
    wanted = on_the_bare_machine("machine-pmp")
    for name in ("whole", "other"):
        session.expect(name, "^PASS pmp$")
    assert session.output("whole").replace("\r", "") == wanted
    printed = session.output("other").replace("\r", "")
    moved = re.sub("(?<=0x80)[4-7]", lambda digit: str(int(digit[0]) - 4), printed)
    assert re.sub("(?<=0x20)1", "0", moved) == wanted  # as the CSR has an address
    session.wait_ready("freertos")
    run_without_a_miss(session, 1)


@pytest.mark.parametrize("rewrite", [True, False], ids=["rewritten", "as-it-is"])
def test_its_own_pmp_entries_confine_its_user_mode(boot: Boot, rewrite: bool) -> None:
    """A kernel that writes them for each task, and another one that shares the hart with it."""
    whole = machine("machine-pmp", priority=1, rewrite=rewrite)
    session = boot(system(whole, freertos(), sstc=rewrite), icount=3)
    session.expect("whole", "^PASS pmp$")
    assert session.output("whole").replace("\r", "") == on_the_bare_machine("machine-pmp")


def test_its_own_pmp_entries_open_nothing(boot: Boot, build: Build) -> None:
    """All rights in them to the monitor's memory, another tenant's, and a device of nobody."""

    def describe(place: int) -> str:
        whole = machine("machine-pmp", priority=1, arguments=f"hostile={place:#x}")
        return system(whole, freertos(), payload("spin", priority=1))

    planned = build(describe(0)).built.system
    for place in (planned.monitor.base, planned.tenants[1].memory.base, 0x100_0000):
        session = boot(describe(place), icount=3)
        session.expect("whole", "^PASS pmp$")
        printed = session.output("whole").replace("\r", "").partition("\nmret\n")[2]
        mret, _, tried = printed.partition("hostile\n")
        assert re.findall("mprv ([01])", mret) == ["0", "0"]
        tried = tried.partition("locked\n")[0]
        causes = re.findall(r"mcause=0x([0-9a-f]+) mtval=0x([0-9a-f]+) mpp=0", tried)
        assert [cause for cause, _ in causes] == ["5", "7", "5", "5", "1", "8"] * 3
        assert {int(address, 16) for cause, address in causes if cause != "8"} == {place}
        session.wait_ready("freertos")
        run_without_a_miss(session, 1)


@pytest.mark.parametrize(
    ("name", "sstc", "ids"),
    [("harts", True, [0, 1]), ("harts", False, [1, 0]), ("firmware", False, [0, 1])]
    + ([("firmware", True, [1, 0])] if is_long() else []),
)
def test_two_harts_are_those_of_the_bare_machine(
    boot: Boot, name: str, sstc: bool, ids: list[int]
) -> None:
    """Both come from reset, again and again; one of them shares its hart with two others."""
    s_mode = name == "firmware"
    whole = machine(f"machine-{name}", s_mode=s_mode, priority=5, harts=ids, slice="1ms")
    beside = payload("spin", priority=5, hart=1)
    session = boot(system(whole, beside, freertos(hart=1), sstc=sstc))
    wanted = on_the_bare_machine(f"machine-{name}", harts=2)
    for life in range(1, 4):
        session.expect("whole", f"^PASS {name}$")
        session.wait_state("whole", "stopped")
        assert session.output("whole").replace("\r", "") == wanted * life
        restart(session, "whole")
    session.wait_ready("freertos")
    keep_ticking(session, ["freertos"])


@pytest.mark.parametrize(
    ("name", "sstc", "round"),
    [("harts", True, 10_000), ("harts", False, 10_000), ("firmware", True, 100)],
)
def test_storms_of_msip_between_harts_cost_nobody_else(
    boot: Boot, name: str, sstc: bool, round: int
) -> None:
    """Without -icount lateness is the host's: no tick may be lost, nor the RTOS interrupted for it.

    A busy host finds an RTOS still at work when its next tick is due: that interrupts it, too.
    """
    s_mode = name == "firmware"
    storm = machine(
        f"machine-{name}",
        s_mode=s_mode,
        priority=5,
        harts=[0, 1],
        arguments="storm=1",
        slice="1ms",
    )
    rtos = {"first": freertos("first", hart=0), "second": freertos("second", hart=1)}
    beside = payload("spin", priority=5, hart=1)
    session = boot(system(storm, *rtos.values(), beside, sstc=sstc))
    session.expect("whole", f"^storm: {2 * round}, interrupts [1-9][0-9]* [1-9]")
    for name in rtos:
        session.wait_ready(name)
    start = session.stats()
    keep_ticking(session, list(rtos))
    restart(session, "whole")
    session.expect("whole", f"^storm: {round}, interrupts [1-9][0-9]* [1-9]")
    end = session.run_for(1)
    assert end.tenants["spin"].cpu_ns > start.tenants["spin"].cpu_ns
    ticks = (end.time_ns - start.time_ns) // 1_000_000
    storms = 3 * round
    for name in rtos:
        assert end.tenants[name].faults == 0
        # What is for the tenant below it waits until it rests.
        assert end.tenants[name].interrupts - start.tenants[name].interrupts < ticks + storms // 10
        latency = parse_latency(session.output(name))
        assert latency and latency.samples > 0


def both_contexts(priority: int, **keys: object) -> str:
    keys |= {"devices": ["rtc"], "priority": priority}
    return machine("machine-contexts", "whole", s_mode=True, **keys)


def test_both_modes_have_interrupts_of_their_own(boot: Boot) -> None:
    """Machine mode and S-mode share the sources, first so, then otherwise; in each life anew."""
    session = boot(system(both_contexts(priority=1), freertos()), icount=3)
    wanted = on_the_bare_machine("machine-contexts")
    for life in range(1, 3):
        session.expect("whole", "^PASS contexts$")
        session.wait_state("whole", "stopped")
        assert session.output("whole").replace("\r", "") == wanted * life
        restart(session, "whole")
    session.wait_ready("freertos")
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


def test_storms_in_both_contexts_are_nothing_to_others(boot: Boot) -> None:
    """Any value in their registers, and interrupts of a device and of the UART all the time."""
    storm = both_contexts(priority=5, slice="1ms", arguments="storm=1", ready="^storm: ")
    session = boot(system(storm, payload("spin", priority=5), freertos()), icount=3)
    session.wait_ready("freertos")
    session.expect("whole", "^storm: 400, interrupts [1-9][0-9]+ [1-9][0-9]+$")
    restart(session, "whole")
    session.expect("whole", "^storm: 800, interrupts [1-9][0-9]+ [1-9][0-9]+$")
    stats, after = run_without_a_miss(session, 1)
    assert after.max_us < 30
    assert stats.tenants["spin"].cpu_ns > 0


@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
def test_s_mode_below_is_that_of_the_bare_machine(boot: Boot, sstc: bool) -> None:
    """Its own page tables, delegated traps, SBI calls and timer; an RTOS above it takes turns."""
    below = machine("machine-supervisor", priority=1, s_mode=True, fp=True)
    session = boot(system(below, freertos(), sstc=sstc), icount=3)
    session.expect("whole", "^PASS supervisor$")
    printed = session.output("whole").replace("\r", "")
    assert printed == on_the_bare_machine("machine-supervisor", sstc=sstc)
    session.expect_monitor("^monitor: tenant whole: shutdown$")


def test_no_mode_below_reaches_what_is_not_the_tenants(boot: Boot, build: Build) -> None:
    """Loads, stores, jumps, page tables and MPRV at the monitor, and at another tenant."""

    def describe(place: int) -> str:
        tried = f"hostile={place:#x}"
        below = machine("machine-supervisor", priority=5, s_mode=True, arguments=tried)
        return system(below, freertos())

    planned = build(describe(0)).built.system
    for place in (planned.monitor.base, planned.tenants[1].memory.base):
        session = boot(describe(place), icount=3)
        session.expect("whole", "^PASS supervisor$")
        tried = session.output("whole").replace("\r", "").partition("\nhostile\n")[2]
        causes = re.findall(r"mcause=0x([0-9a-f]+) ", tried)
        assert [causes.count(cause) for cause in ("1", "5", "7")] == [3, 6, 4]
        session.expect("freertos", LATENCY_READY + r".*\n")
        run_without_a_miss(session, 1)


@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
def test_freertos_with_its_own_port_misses_nothing(boot: Boot, sstc: bool) -> None:
    """Above one that never sleeps, and below one of our port."""
    rtos = machine("machine-freertos-latency", "freertos", priority=5, ready=LATENCY_READY)
    session = boot(system(rtos, payload("spin", priority=1), sstc=sstc), icount=3)
    session.wait_ready("freertos")
    stats, after = run_without_a_miss(session, 2)
    assert 0 < after.min_us <= after.avg_us <= after.max_us < 30
    assert stats.tenants["freertos"].faults == 0


def test_it_restarts_and_begins_as_at_reset(boot: Boot) -> None:
    rtos = machine("machine-freertos-latency", "freertos", priority=5, ready=LATENCY_READY)
    session = boot(system(rtos, payload("spin", priority=1)), icount=3)
    for _ in range(3):
        session.expect("freertos", "^FreeRTOS V")
        session.expect("freertos", LATENCY_READY)
        restart(session, "freertos")
    session.expect("freertos", "^latency: samples=2000 .* missed=0$")


@pytest.mark.parametrize("s_mode", [False, True], ids=["alone", "with-s-mode"])
def test_storms_from_machine_mode_are_nothing_to_others(boot: Boot, s_mode: bool) -> None:
    """Accesses to CSRs and devices with random values, below an RTOS and beside one that shares."""
    beside = payload("spin", priority=5)
    storm = machine("machine-storm", s_mode=s_mode, priority=5, slice="1ms", ready="^storm: ")
    session = boot(system(storm, beside, freertos()), icount=3)
    session.wait_ready("freertos")
    session.expect("whole", "^storm: 20000 instructions, [0-9]+ exceptions")
    stats, after = run_without_a_miss(session, 1)
    assert after.max_us < 30
    assert stats.tenants["spin"].cpu_ns > 0


def test_its_watchdog_restarts_it(boot: Boot) -> None:
    """It finds one in its device tree, beside its timer, and feeds it, until it hangs."""
    watch = {"within": "20ms", "policy": "restart"}
    hanging = machine("machine-alive", priority=2, watch=watch, budget="500us/1ms")
    session = boot(system(hanging, freertos()), icount=3)
    for _ in range(3):
        session.expect("whole", "^alive, mode 1, timer 1\n")
        session.expect("whole", "^silent\n")
    stats = session.stats().tenants
    assert stats["whole"].hangs >= 2
    assert stats["freertos"].hangs == 0
    times = re.findall(r"whole: hangs: no heartbeat for (\d+) us; restarted", session.monitor_log)
    assert len(times) >= 2 and all(20_000 <= int(time) < 22_000 for time in times)


def test_it_talks_over_channels(boot: Boot) -> None:
    """A program above OpenSBI, by a virtual console, with one above the monitor's SBI."""
    firmware = above_opensbi(
        "stream-check",
        "one",
        priority=5,
        memory={"base": 0x8000_0000, "size": "64M"},
        arguments="channel=direct send=20000",
    )
    other = payload("stream-check", "two", arguments="channel=direct receive=20000")
    talk = '[channel.direct]\nkind = "stream"\nends = ["one", "two"]\n'
    session = boot(system(firmware, other, freertos(), talk), icount=3)
    for name in ("one", "two"):
        session.expect(name, "^PASS stream-check$")
    session.wait_ready("freertos")
    run_without_a_miss(session, 1)


@pytest.mark.parametrize("s_mode", [False, True], ids=["alone", "with-s-mode"])
def test_any_instruction_at_all(boot: Boot, s_mode: bool) -> None:
    """It crashes, or ends in a loop: it starts again, and who is above it does not notice."""
    wild = machine(
        "machine-storm",
        s_mode=s_mode,
        priority=2,
        arguments="wild=1 seed=7",
        **{"on-crash": "restart"},
    )
    session = boot(system(wild, freertos()), icount=3)
    session.wait_ready("freertos")
    for _ in range(2):
        restart(session, "whole")
        run_without_a_miss(session, 1)


@pytest.mark.long_form
@pytest.mark.parametrize("sstc", [True, False] if is_long() else [True])
def test_u_boot_for_machine_mode(boot: Boot, sstc: bool) -> None:
    """Debian's own image: prompt, `reset`, `poweroff`; FreeRTOS does not notice."""
    uboot = machine(
        "u-boot-machine",
        "uboot",
        priority=1,
        memory={"base": 0x8000_0000, "size": "64M"},
        ready="=> ",
        fp=True,
    )
    session = boot(system(uboot, freertos(), sstc=sstc), icount=4)
    session.expect("uboot", "Hit any key")
    session.send("uboot", b"\n")
    session.expect("uboot", "^=> ")
    session.send("uboot", b"sleep 1; echo slept\n")
    session.expect("uboot", "^slept")
    session.send("uboot", b"reset\n")
    session.expect_monitor("^monitor: tenant uboot: reboot$")
    session.expect("uboot", "Hit any key")
    session.send("uboot", b"\n")
    session.expect("uboot", "^=> ")
    session.send("uboot", b"poweroff\n")
    session.expect_monitor("^monitor: tenant uboot: shutdown$")
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
def test_opensbi_starts_an_rtos_that_misses_nothing(boot: Boot, sstc: bool) -> None:
    """Debian's own image; FreeRTOS above it is woken at 1 kHz by OpenSBI's calls."""
    firmware = above_opensbi(
        "freertos-latency",
        "freertos",
        priority=5,
        memory={"base": 0x8000_0000, "size": "64M"},
        arguments="report=500ms",
        ready=LATENCY_READY,
    )
    session = boot(system(firmware, payload("spin", priority=1), sstc=sstc), icount=3)
    session.expect("freertos", "^OpenSBI v")
    session.expect("freertos", "Boot HART MIDELEG +: 0x0000000000000222")
    session.expect("freertos", LATENCY_READY + r".*\n")
    run_without_a_miss(session, 1)
    restart(session, "freertos")
    session.expect("freertos", "^OpenSBI v")
    session.expect("freertos", LATENCY_READY)


@pytest.mark.long_form
@pytest.mark.skipif(not is_long(), reason="takes minutes")
@pytest.mark.parametrize("sstc", [True, False])
@pytest.mark.parametrize("harts", [[0], [0, 1]], ids=["one-hart", "two-harts"])
def test_opensbi_starts_debian(boot: Boot, harts: list[int], sstc: bool) -> None:
    """Linux runs, sleeps and ends by OpenSBI's calls; FreeRTOS misses nothing.

    On two harts, whose time is the host's, it loses no tick.
    """
    firmware = above_opensbi(
        "debian-kernel",
        "linux",
        priority=1,
        memory="256M",
        initrd="debian-test-initramfs",
        arguments=f"console=ttyS0 loglevel=4 {NO_SELF_TESTS}",
        ready=LINUX_READY,
        fp=True,
        harts=harts,
    )
    rtos = freertos(hart=harts[-1])
    session = boot(system(firmware, rtos, sstc=sstc), icount=4 if len(harts) == 1 else None)
    session.wait_ready("linux")
    session.send("linux", b"sleep 1; nproc; echo slept\n")
    session.expect("linux", f"^{len(harts)}\r?\nslept")
    if len(harts) == 1:
        run_without_a_miss(session, 1)
    else:
        session.send("linux", b"for cpu in 0 1; do taskset -c $cpu echo on-$cpu; done\n")
        session.expect("linux", "^on-1")
        keep_ticking(session, ["freertos"])
    session.send("linux", b"reboot -f\n")
    session.expect_monitor("^monitor: tenant linux: reboot$")
    session.expect("linux", "^OpenSBI v")
    session.expect("linux", LINUX_READY)
    session.send("linux", b"poweroff -f\n")
    session.expect_monitor("^monitor: tenant linux: shutdown$")
