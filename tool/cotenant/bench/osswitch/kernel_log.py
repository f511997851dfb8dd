# SPDX-License-Identifier: BSD-2-Clause
"""What Linux' log says of the parts of its suspends."""

import re
from statistics import median

_STAMPED = re.compile(r"^\[ *(\d+\.\d+)\] (.*)$", re.MULTILINE)
# From the one line of the kernel to the other.
_PARTS = {
    "freeze tasks": ("PM: suspend entry", "printk: Suspending console"),
    "suspend devices": ("printk: Suspending console", "Disabling non-boot CPUs"),
    "resume devices": ("PM: noirq resume of devices", "OOM killer enabled"),
    "thaw tasks": ("OOM killer enabled", "PM: suspend exit"),
}
_PHASE = re.compile(
    r"PM: ((?:late |noirq |early )?(?:suspend|resume) of devices) complete after ([\d.]+) msecs"
)


def parts_of(log: str) -> dict[str, float]:
    """Return how long each part took by a kernel's log, ms, the median of all suspends."""
    lines = [(float(stamp) * 1000, text) for stamp, text in _STAMPED.findall(log)]
    parts: dict[str, list[float]] = {}
    for name, (first, last) in _PARTS.items():
        since: float | None = None
        for stamp, text in lines:
            if text.startswith(first):
                since = stamp
            elif text.startswith(last) and since is not None:
                parts.setdefault(name, []).append(stamp - since)
                since = None
    for phase, duration in _PHASE.findall(log):
        parts.setdefault(phase, []).append(float(duration))
    return {name: median(values) for name, values in parts.items()}
