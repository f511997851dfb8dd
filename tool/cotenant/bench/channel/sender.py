# SPDX-License-Identifier: BSD-2-Clause
"""What the monitor does for a sender on a channel whose receiver does not run meanwhile."""

from cotenant.bench.systems import payload, running, system


def channel(kind: str, *ends: str) -> str:
    """Return the table of a channel between two tenants."""
    return f'[channel.bench]\nkind = "{kind}"\nends = {list(ends)}\n'


def costs(kind: str, image: str, arguments: str = "") -> str:
    """Return what a sender prints; the same image receives, as its argument `sink` says."""
    description = system(
        payload("sender", image, priority=10, memory="4M", fp=False, arguments=arguments),
        payload("sink", image, priority=5, memory="4M", fp=False, arguments="sink=1"),
        channel(kind, "sender", "sink"),
    )
    with running(description, sstc=True) as session:
        session.expect("sender", "^cost: end$")
        return session.output("sender")
