# SPDX-License-Identifier: BSD-2-Clause
"""The parts of a suspend in a kernel's log, and switches between two systems."""

import pytest

from cotenant.bench.osswitch import drivers, freertos_switch, uboot_switch
from cotenant.bench.osswitch.debian import Moments, between, moments
from cotenant.bench.osswitch.kernel_log import parts_of
from cotenant.errors import BenchError
from cotenant.trace.timeline import Event, HartTimeline, Track

SUSPEND = """\
[   1.000000] PM: suspend entry (deep)
[   1.001000] Freezing user space processes
[   1.{freeze}000] printk: Suspending console(s) (use no_console_suspend to debug)
[   1.010000] PM: suspend of devices complete after 0.200 msecs
[   1.012000] PM: noirq suspend of devices complete after {noirq} msecs
[   1.013000] Disabling non-boot CPUs ...
[   1.014000] PM: noirq resume of devices complete after 0.050 msecs
[   1.015000] OOM killer enabled.
[   1.015500] Restarting tasks ... done.
[   1.016000] PM: suspend exit
"""


def test_each_part_is_the_median_of_all_suspends() -> None:
    log = "".join(
        SUSPEND.format(freeze=freeze, noirq=noirq)
        for freeze, noirq in (("004", "0.100"), ("005", "0.300"), ("009", "0.400"))
    )
    parts = {name: round(value, 3) for name, value in parts_of(log).items()}
    assert parts == {
        "freeze tasks": 5.0,
        "suspend devices": 8.0,
        "resume devices": 1.0,
        "thaw tasks": 1.0,
        "suspend of devices": 0.2,
        "noirq suspend of devices": 0.3,
        "noirq resume of devices": 0.05,
    }


def test_an_unfinished_suspend_counts_as_far_as_it_went() -> None:
    log = "[   1.000000] PM: suspend entry (deep)\n[   1.5] printk: Suspending console(s)\n"
    assert parts_of(log) == {"freeze tasks": 500.0}
    assert parts_of("nothing of this") == {}


def test_a_switch_is_from_who_asked_to_who_came_back() -> None:
    one = [Moments(100_000, 110_000, 500_000)]
    two = [Moments(30_000, 40_000, 150_000), Moments(480_000, 490_000, 990_000)]
    assert between(one, two[:1]) == [(5.0, 4.0)]
    assert between(two, one) == [(2.0, 1.0)]
    assert between(one, two[1:]) == [], "it was asked for before the other one left"


def test_a_shell_s_control_characters_do_not_hide_what_is_told() -> None:
    output = (
        "root@debian:~# /root/timed systemctl suspend\n"
        "\x1b[?2004ltimed: asked=1 last=2 first=30\n\x1b[?2004hroot@debian:~# "
    )
    assert moments(output) == [Moments(1, 2, 30)]


def log_of(devices: dict[str, tuple[int, int]]) -> str:
    """Return what a kernel says of two suspends, in which each call takes so long."""
    return "".join(
        f"[    1.5] driver {device}: PM: {bus}_pm_{call} returned 0 after {duration} usecs\n"
        for _ in range(2)
        for device, (suspend, resume) in devices.items()
        for bus, call, duration in (
            ("platform", "suspend", suspend),
            ("pci", "suspend_noirq", 1),
            ("platform", "resume", resume),
        )
    )


def test_costs_of_drivers_are_sums_of_their_calls() -> None:
    devices = {device: (number, 10 + number) for number, device in enumerate(drivers.DEVICES)}
    found = drivers.costs_of(log_of(devices))
    assert found["disk"] == drivers.Costs(1, 10)
    assert found["network card"] == drivers.Costs(2, 11)
    del devices["0000:00:01.0"]
    with pytest.raises(BenchError, match="nothing of the display"):
        drivers.costs_of(log_of(devices))


def test_ways_between_linux_and_freertos() -> None:
    rounds = [(10_000, 60_000), (100_000, 170_000), (200_000, 290_000)]
    linux = "".join(
        f"suspendcheck: round={number} away_ms=1 began={began} ended={ended}\n"
        for number, (began, ended) in enumerate(rounds, 1)
    )
    freertos = "desk: turn=2 left=40000 came=130000\ndesk: turn=3 left=150000 came=230000\n"
    assert freertos_switch.ways(linux, freertos) == (3.0, 2.0)
    with pytest.raises(BenchError, match="not all switches"):
        freertos_switch.ways(linux, freertos.partition("\n")[0])


def test_a_turn_of_u_boot_is_what_the_trace_says_between_two_moments_of_linux() -> None:
    def event(start_ms: float, name: str, tenant: str = "u-boot") -> Event:
        return Event(round(start_ms * 1e6), round(start_ms * 1e6), name, {"tenant": tenant})

    devices = [event(5, "store UART+0x0"), event(105, "store UART+0x0", "linux")]
    devices += [event(108, "load UART+0x5"), event(110, "store UART+0x0")]
    devices += [event(111, "store UART+0x0")]
    calls = [event(40, "SRST system_reset"), event(148, "SRST system_reset")]
    tracks = {Track.DEVICES: devices, Track.CALLS: calls}
    hart = HartTimeline("hart 0", (), tracks, 0)
    round_ = "suspendcheck: round=1 away_ms=1 began={} ended={}\n"
    linux = round_.format(0, 500_000) + round_.format(1_000_000, 1_500_000)
    assert uboot_switch.ways(linux, hart) == (10.0, 2.0)
    with pytest.raises(BenchError, match="not all switches"):
        uboot_switch.ways(linux + round_.format(2_000_000, 2_500_000), hart)
