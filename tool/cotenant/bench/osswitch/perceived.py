# SPDX-License-Identifier: BSD-2-Clause
"""What a user sees of a switch: two lean Linux with one display, and how long it is neither's.

Each says in its own time, by its tracepoints, when its display went off and when all of its picture
was there again; suspendcheck says in the machine's time when a switch began and ended. What lies
between both, at the two ends, is taken off the whole way.
"""

import re
from dataclasses import dataclass
from statistics import median

from cotenant.bench.row import Row, row
from cotenant.bench.systems import linux, running, system
from cotenant.errors import BenchError
from cotenant.run.session import Session

_ROUNDS = 5
_MS_PER_TICK = 1e-4
_CARD = "0000:00:01.0"
_EVENTS = "/sys/kernel/tracing/events"
_TRACE = "/sys/kernel/tracing/trace"
# One line for each step; the filters leave out all devices and works but those of the display.
_SET_UP = (
    "mount -t tracefs nodev /sys/kernel/tracing",
    f"cd {_EVENTS}/power",
    f"echo 'device == \"{_CARD}\"' >device_pm_callback_start/filter",
    f"echo 'device == \"{_CARD}\"' >device_pm_callback_end/filter",
    f"cd {_EVENTS}/workqueue/workqueue_execute_end",
    "echo 'function.function == drm_fb_helper_damage_work' >filter",
    f"cd {_EVENTS}",
    "for each in power/suspend_resume power/device_pm_callback_start power/device_pm_callback_end "
    "workqueue/workqueue_execute_end; do echo 1 >$each/enable; done",
)
_SYSTEM = """[qemu.devices]
pcie = ["bochs-display,xres=1024,yres=768"]

[group.desk]
members = ["one", "two"]
devices = ["rtc", "pcie"]
"""

_ROUND = re.compile(r"^suspendcheck: round=\d+ \S+ began=(\d+) ended=(\d+)\n", re.MULTILINE)
_EVENT = re.compile(r"\s(\d+\.\d+): (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Suspend:
    """A suspend by the tracepoints of its kernel: moments in milliseconds of its own time."""

    began: float
    off: float
    """the display is suspended"""
    resuming: float
    """the display begins to resume"""
    shown: float
    """and all of the picture is copied to it"""
    ended: float


@dataclass(frozen=True)
class Perceived:
    """Milliseconds of a switch: the whole way, without a picture, to draw the picture anew."""

    whole: float
    dark: float
    drawing: float


def rows() -> list[Row]:
    """Measure, and return the figures of a lean system."""
    found = measure()
    name = "two Linux with a display"
    return [
        row(f"{name}, the whole way", "ms", found.whole),
        row(f"{name}: perceived, from the one's picture to the other's", "ms", found.dark),
        row(f"{name}: of these, to draw the picture anew", "ms", found.drawing),
    ]


def measure() -> Perceived:
    """Let two Linux with one display switch to each other; the medians of what they say."""
    members = (
        linux(
            name,
            initrd="debian-desk-initramfs",
            arguments="console=ttyS0 loglevel=4 modules=virtio_mmio,bochs",
        )
        for name in ("one", "two")
    )
    with running(system(_SYSTEM, *members), sstc=True) as session:
        return _measure(session)


def _measure(session: Session) -> Perceived:
    told = f"suspendcheck {_ROUNDS}; cat {_TRACE}; echo over $((40 + 2))"
    for name in ("one", "two"):
        session.wait_ready(name)
        for line in (*_SET_UP, told):
            session.send(name, f"{line}\n".encode())
    session.expect("one", "^over 42$")
    session.send("one", b"echo mem >/sys/power/state\n")  # so that the other one ends as well
    session.expect("two", "^over 42$")
    return of_switches(session.output("two"), session.output("one"))


def of_switches(leaving: str, coming: str) -> Perceived:
    """Return what two outputs say of the switches from the one Linux to the other.

    The n-th suspend of the leaving one is what ends the n-th of the coming one.
    """
    left, came = suspends(leaving), suspends(coming)
    began = [int(began) for began, _ in _ROUND.findall(leaving)]
    ended = [int(ended) for _, ended in _ROUND.findall(coming)]
    if not began or len({len(left), len(came), len(began), len(ended)}) != 1:
        raise BenchError(f"not all switches were seen: {leaving[-400:]!r} {coming[-400:]!r}")
    wholes = [(end - begin) * _MS_PER_TICK for begin, end in zip(began, ended, strict=True)]
    dark = [
        whole - (before.off - before.began) - (after.ended - after.shown)
        for whole, before, after in zip(wholes, left, came, strict=True)
    ]
    drawing = [each.shown - each.resuming for each in came]
    return Perceived(median(wholes), median(dark), median(drawing))


def suspends(trace: str) -> list[Suspend]:
    """Return the complete suspends of a kernel, by the text of its trace."""
    found = []
    moments: dict[str, float] = {}
    phase = ""
    for stamp, event in _EVENT.findall(trace):
        now = float(stamp) * 1000
        if event.startswith("suspend_resume: suspend_enter[3] begin"):
            moments = {"began": now}
        elif event.startswith("device_pm_callback_start:"):
            phase = event.rpartition(", ")[2]
            if phase == "bus [resume]":
                moments["resuming"] = now
        elif event.startswith("device_pm_callback_end:") and phase == "bus [suspend]":
            moments["off"] = now
        elif event.startswith("workqueue_execute_end:") and "resuming" in moments:
            moments["shown"] = now  # the last one: a small piece may come before the whole
        elif event.startswith("suspend_resume: thaw_processes[0] end") and "shown" in moments:
            found.append(Suspend(ended=now, **moments))
    return found
