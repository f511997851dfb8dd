# SPDX-License-Identifier: BSD-2-Clause
"""The parts of a suspend in a kernel's log, and switches between two systems."""

from cotenant.bench.osswitch.debian import Moments, between, moments
from cotenant.bench.osswitch.kernel_log import parts_of

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
