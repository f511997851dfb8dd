# SPDX-License-Identifier: BSD-2-Clause
"""What a Linux tenant can be busy with while another tenant's latencies are measured."""

from cotenant.run.session import Session

LINUX = "linux"

_TYPED = b"0123456789abcdef" * 3 + b"\n"
# Typed bytes that may be on their way; the echo tells how many have arrived.
_TYPED_AHEAD = 4096
_CONTROL_C = b"\x03"


class Load:
    """Something that goes on from `start` to `stop`. This one is Linux with nothing to do."""

    name = "idle Linux"

    def start(self, session: Session) -> None:
        """Begin; Linux is at its prompt."""

    def go_on(self, session: Session) -> None:
        """Do what has to be done again and again; called several times a second."""

    def stop(self, session: Session) -> None:
        """End; Linux is at its prompt again."""


class Program(Load):
    """A program that runs in the background."""

    def __init__(self, name: str, program: str) -> None:
        self.name = name
        self._program = program

    def start(self, session: Session) -> None:
        """Start it."""
        session.command(LINUX, f"{self._program} 1000000 >/dev/null 2>&1 &")

    def stop(self, session: Session) -> None:
        """Kill it, with its children."""
        session.command(LINUX, f"killall {self._program}; sleep 0.1")


class Typing(Load):
    """A flood of receive interrupts: text is typed as fast as the line takes it."""

    name = "interrupt flood (typing)"

    def __init__(self, reader: str = "cat >/dev/null") -> None:
        self._reader = reader
        self._typed = 0
        self._start = 0

    def start(self, session: Session) -> None:
        """Start what reads it."""
        session.send(LINUX, f"{self._reader}\n".encode())
        self._start = len(session.output(LINUX))
        self._typed = 0

    def go_on(self, session: Session) -> None:
        """Type ahead of what has come back as echo."""
        while self._typed - (len(session.output(LINUX)) - self._start) < _TYPED_AHEAD:
            session.send(LINUX, _TYPED)
            self._typed += len(_TYPED)

    def stop(self, session: Session) -> None:
        """End what reads it."""
        _interrupt(session)


class Output(Load):
    """A flood of output, and so of transmit interrupts and console work."""

    name = "I/O load (console output)"

    def start(self, session: Session) -> None:
        """Start printing."""
        session.send(LINUX, b"while :; do cat /proc/kallsyms; done\n")

    def stop(self, session: Session) -> None:
        """Stop printing."""
        _interrupt(session)


class Everything(Load):
    """All of the above at once."""

    name = "all loads at once"

    def __init__(self) -> None:
        self._parts = [
            Program("", "cpuload"),
            Program("", "forkload"),
            Typing("while :; do cat /proc/kallsyms; done"),
        ]

    def start(self, session: Session) -> None:
        """Start all of them."""
        for part in self._parts:
            part.start(session)

    def go_on(self, session: Session) -> None:
        """Keep typing."""
        for part in self._parts:
            part.go_on(session)

    def stop(self, session: Session) -> None:
        """Nothing: a Ctrl-C would wait behind unread input, so this load is the last one."""


def all_loads() -> list[Load]:
    """Return every load, the mildest first, the one that cannot be stopped last."""
    return [
        Load(),
        Program("CPU load", "cpuload"),
        Program("fork load", "forkload"),
        Output(),
        Typing(),
        Everything(),
    ]


def _interrupt(session: Session) -> None:
    """Press Ctrl-C, and make sure that what comes next is a prompt and nothing older."""
    session.send(LINUX, _CONTROL_C)
    session.run_for(0.2)
    session.skip_output(LINUX)
    session.send(LINUX, b"\n")
