# SPDX-License-Identifier: BSD-2-Clause
"""A run to read along: no keyboard, and what the tenants print line by line with their names."""

import signal
from contextlib import nullcontext
from pathlib import Path

from rich.console import Console

from cotenant.run.follow import Follower
from cotenant.run.launch import Launch
from cotenant.run.pace import Pacer
from cotenant.run.qemu import Machine
from cotenant.run.session import Session

_INTERRUPTED = 128 + signal.SIGINT
_HOUR = 3600.0


def run_as_lines(
    launch: Launch, machine: Machine, seconds: float, console: Console, control: Path | None = None
) -> int:
    """Run for `seconds` of the machine's time; 0: until it ends, or Ctrl-C. Return the exit code.

    `control` is the place of the socket for programs.
    """
    symbols = {port.name: port.symbol for port in launch.ports}
    follower = Follower([*symbols], console, lambda name, place: symbols[name](place))
    session = Session(machine, launch.ports, follow=follower.show, socket=control)
    try:
        with session:
            process = session.process
            with Pacer(process.pid, machine.pace) if machine.pace else nullcontext():
                if seconds:
                    session.run_for(seconds)
                    session.quit()
                    return 0
                while (exit_code := process.wait(_HOUR)) is None:
                    pass
                return exit_code
    except KeyboardInterrupt:
        return _INTERRUPTED
    finally:
        follower.finish()
