# SPDX-License-Identifier: BSD-2-Clause
"""How long a user sees neither picture: what is made of two kernels' traces."""

from dataclasses import astuple

import pytest

from cotenant.bench.osswitch.perceived import of_switches, suspends
from cotenant.errors import BenchError

# Shortened from a run; milliseconds behind the second are filled in.
SUSPEND = """\
    suspendcheck-161     [000] .....    44.{began}000: suspend_resume: suspend_enter[3] begin
    suspendcheck-161     [000] .....    44.{began}010: suspend_resume: sync_filesystems[0] begin
    suspendcheck-161     [000] .....    44.{began}020: device_pm_callback_start: bochs-drm \
0000:00:01.0, parent: pci0000:00, [suspend]
    suspendcheck-161     [000] .....    44.{began}030: device_pm_callback_end: bochs-drm \
0000:00:01.0, err=0
    kworker/u4:2-37      [000] .....    44.{off}000: device_pm_callback_start: bochs-drm \
0000:00:01.0, parent: pci0000:00, bus [suspend]
     kworker/0:2-139     [000] .....    44.{off}100: workqueue_execute_end: work struct \
0000000057198274: function drm_fb_helper_damage_work [drm_kms_helper]
    kworker/u4:2-37      [000] .....    44.{off}500: device_pm_callback_end: bochs-drm \
0000:00:01.0, err=0
    kworker/u4:3-43      [000] .....    44.{resuming}100: device_pm_callback_start: bochs-drm \
0000:00:01.0, parent: pci0000:00, noirq bus [resume]
    kworker/u4:3-43      [000] .n...    44.{resuming}200: device_pm_callback_end: bochs-drm \
0000:00:01.0, err=0
    kworker/u4:3-43      [000] .....    44.{resuming}300: device_pm_callback_start: bochs-drm \
0000:00:01.0, parent: pci0000:00, bus [resume]
     kworker/0:2-139     [000] .....    44.{resuming}400: workqueue_execute_end: work struct \
0000000057198274: function drm_fb_helper_damage_work [drm_kms_helper]
    kworker/u4:3-43      [000] .n...    44.{resuming}900: device_pm_callback_end: bochs-drm \
0000:00:01.0, err=0
     kworker/0:2-139     [000] .....    44.{shown}000: workqueue_execute_end: work struct \
0000000057198274: function drm_fb_helper_damage_work [drm_kms_helper]
    suspendcheck-161     [000] .....    44.{ended}000: suspend_resume: thaw_processes[0] end
     kworker/0:2-139     [000] .....    44.{ended}900: workqueue_execute_end: work struct \
0000000057198274: function drm_fb_helper_damage_work [drm_kms_helper]
"""


def suspend(began: int, off: int, resuming: int, shown: int, ended: int) -> str:
    moments = {"began": began, "off": off, "resuming": resuming, "shown": shown, "ended": ended}
    return SUSPEND.format(**{name: f"{each:03}" for name, each in moments.items()})


def check(began: int, ended: int) -> str:
    """Return what suspendcheck says, of milliseconds of the machine."""
    return f"suspendcheck: round=1 away_ms=12 began={began * 10_000} ended={ended * 10_000}\n"


def test_the_moments_of_each_suspend() -> None:
    text = suspend(10, 12, 20, 26, 28) + suspend(40, 42, 50, 57, 59)
    first, second = suspends(text)
    assert (first.began, first.off, first.resuming) == pytest.approx((44010.0, 44012.5, 44020.3))
    assert (first.shown, first.ended) == pytest.approx((44026.0, 44028.0))
    assert (second.shown, second.ended) == pytest.approx((44057.0, 44059.0))
    unfinished = "\n".join(text.splitlines()[:-2])
    assert suspends(unfinished) == [first]


def test_what_lies_before_and_behind_is_taken_off() -> None:
    leaving = check(began=1000, ended=1050) + suspend(100, 102, 140, 147, 150)
    coming = check(began=950, ended=1020) + suspend(300, 301, 340, 346, 349)
    found = of_switches(leaving, coming)
    whole = 1020 - 1000
    assert astuple(found) == pytest.approx((whole, whole - 2.5 - 3, 346 - 340.3))


def test_a_switch_that_was_not_seen_is_told() -> None:
    with pytest.raises(BenchError, match="not all switches"):
        of_switches(check(1, 2) + suspend(1, 2, 3, 4, 5), check(1, 2))
    with pytest.raises(BenchError, match="not all switches"):
        of_switches("", "")
