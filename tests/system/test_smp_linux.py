# SPDX-License-Identifier: BSD-2-Clause
"""Stock Debian on four harts, two of which it shares with an RTOS each.

Without -icount, which lets one hart run at a time: what is judged here is not time but what the
kernel says of itself, and that nobody stands still. COTENANT_LONG_TESTS=1 runs the long form.
"""

import pytest
from systems import LINUX_READY, Boot, freertos, is_long, keep_ticking, linux, system

from cotenant.run.session import Session

HARTS = [0, 1, 2, 3]
RTOS = {"first": 1, "second": 2}
# What the kernel says when a tick, an inter-processor interrupt or a fence is lost.
COMPLAINTS = "stall|lockup|nobody cared|bug:|oops|warning:|hung|blocked for|failed to come|not die"


def smp_linux(sstc: bool = True, **keys: str) -> str:
    """Return the system: Linux on all harts, and an RTOS above it on two of them."""
    rtos = (freertos(name, hart=hart) for name, hart in RTOS.items())
    return system(linux(harts=HARTS, **keys), *rtos, sstc=sstc)


def boot_smp(boot: Boot, description: str) -> Session:
    """Boot it until everybody is ready and Linux has its four harts."""
    session = boot(description)
    for name in ("linux", *RTOS):
        session.wait_ready(name)
    assert session.command("linux", "cat /sys/devices/system/cpu/online") == (0, "0-3\n")
    return session


def all_is_well(session: Session) -> None:
    """Check that Linux has nothing to complain of, and that each RTOS goes on ticking."""
    assert session.command("linux", f"dmesg | grep -iE '{COMPLAINTS}'") == (1, "")
    keep_ticking(session, RTOS)
    stats = session.stats()
    assert stats.tenants["linux"].state == "running"
    assert all(tenant.faults == 0 for tenant in stats.tenants.values())


@pytest.mark.long_form
@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
def test_every_hart_goes_offline_and_comes_back(boot: Boot, sstc: bool) -> None:
    session = boot_smp(boot, smp_linux(sstc))
    rounds = 25 if is_long() else 5
    cpus = "/sys/devices/system/cpu"
    hotplug = (
        f"for round in $(seq {rounds}); do for cpu in 0 1 2 3; do"
        f" [ -e {cpus}/cpu$cpu/online ] || continue;"
        f" echo 0 >{cpus}/cpu$cpu/online && echo 1 >{cpus}/cpu$cpu/online || exit 1;"
        " done; done"
    )
    status, output = session.command("linux", f"({hotplug})")
    assert status == 0, output
    assert session.command("linux", f"cat {cpus}/online") == (0, "0-3\n")
    each = "for cpu in 0 1 2 3; do taskset $((1 << cpu)) ticks 20 || exit 1; done"
    status, output = session.command("linux", f"({each})")
    assert status == 0, output
    all_is_well(session)


@pytest.mark.long_form
def test_harts_go_offline_under_load(boot: Boot) -> None:
    session = boot_smp(boot, smp_linux())
    rounds = 20 if is_long() else 3
    cpus = "/sys/devices/system/cpu"
    hotplug = (
        f"for round in $(seq {rounds}); do for cpu in 3 1 2; do"
        f" echo 0 >{cpus}/cpu$cpu/online && echo 1 >{cpus}/cpu$cpu/online || exit 1;"
        " done; done"
    )
    load = "for i in 1 2 3; do forkload 600 & done 2>/dev/null"
    status, output = session.command("linux", f"({load}; {hotplug}; kill $(jobs -p))")
    assert status == 0, output
    all_is_well(session)


@pytest.mark.long_form
def test_nothing_is_lost_under_load(boot: Boot) -> None:
    session = boot_smp(boot, smp_linux(initrd="debian-load-initramfs", memory="512M"))
    loops, seconds = (300, 30) if is_long() else (10, 2)
    for load in (
        f"hackbench --groups 4 --loops {loops}",
        f"hackbench --pipe --threads --groups 4 --loops {loops}",
        "stress-ng --no-rand-seed --oom-avoid --temp-path /tmp --cpu 2 --fork 2 --switch 2"
        f" --futex 2 --timer 2 --vm 2 --vm-bytes 32M --timeout {seconds}",
    ):
        status, output = session.command("linux", f"({load})")
        assert status == 0, output
    assert session.command("linux", "ticks 50")[0] == 0
    all_is_well(session)


@pytest.mark.long_form
def test_it_suspends_with_four_harts(boot: Boot) -> None:
    session = boot_smp(boot, smp_linux())
    rounds = 20 if is_long() else 3
    wake_up = "echo enabled > /sys/class/tty/ttyS0/power/wakeup"
    assert session.command("linux", wake_up) == (0, "")
    for number in range(rounds):
        back = f"back from {number + 100}"
        suspend = f"echo mem > /sys/power/state && echo back from $(({number} + 100))\n"
        session.send("linux", suspend.encode())
        session.run_for(4)  # a key that comes too early would rightly keep it from sleeping
        assert back not in session.output("linux")
        session.send("linux", b"\n")
        session.expect("linux", f"^{back}$")
    assert session.command("linux", "cat /sys/power/suspend_stats/success") == (0, f"{rounds}\n")
    assert session.command("linux", "cat /sys/power/suspend_stats/fail") == (0, "0\n")
    assert session.command("linux", "cat /sys/devices/system/cpu/online") == (0, "0-3\n")
    all_is_well(session)


@pytest.mark.long_form
def test_it_reboots_and_powers_off_with_four_harts(boot: Boot) -> None:
    session = boot_smp(boot, smp_linux())
    rounds = 10 if is_long() else 2
    for how in ["reboot", "reboot -f"] * (rounds // 2):
        session.expect("linux", "# ")
        session.send("linux", f"{how}\n".encode())
        session.expect("linux", LINUX_READY)
        assert session.command("linux", "cat /sys/devices/system/cpu/online") == (0, "0-3\n")
    all_is_well(session)
    assert session.monitor_log.count("tenant linux: reboot") == rounds
    assert session.run_command("linux", "poweroff -f").exit_code is None
    session.expect_monitor("^monitor: tenant linux: shutdown$")
    keep_ticking(session, RTOS)
    assert session.stats().tenants["linux"].state == "stopped"
