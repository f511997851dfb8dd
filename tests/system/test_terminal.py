# SPDX-License-Identifier: BSD-2-Clause
"""An interactive run, at a terminal: the multiplexed console, and leaving it."""

import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from systems import freertos, payload, system

from cotenant import abi, paths

ESCAPE = b"\x14"
CONTROL_START = bytes([abi.header("console.h")["COTENANT_CONTROL_START"]])
LIMIT = 120.0
REPORT = r"^\[freertos\] latency: samples=(\d+) .* max=\d+\.\dus missed=0$"


class Terminal:
    """A pseudo-terminal in which `cotenant run` runs."""

    def __init__(self, description: Path) -> None:
        self.ours, self.theirs = pty.openpty()
        self.before = termios.tcgetattr(self.theirs)
        self.seen = ""
        self.begin = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cotenant", "run", str(description)],
            env=os.environ | {"PYTHONPATH": str(paths.ROOT / "tool"), "TERM": "dumb"},
            stdin=self.theirs,
            stdout=self.theirs,
            stderr=self.theirs,
            start_new_session=True,
        )
        os.set_blocking(self.ours, False)

    def type(self, data: bytes) -> None:
        """Type bytes."""
        os.write(self.ours, data)

    def expect(self, pattern: str) -> re.Match[str]:
        """Wait for a pattern in what is shown from now on; return what matched."""
        deadline = time.monotonic() + LIMIT
        while not (found := re.search(pattern, self.seen, re.MULTILINE)):
            assert time.monotonic() < deadline, f"no {pattern!r} in {self.seen!r}"
            try:
                self.seen += os.read(self.ours, 4096).decode(errors="replace").replace("\r", "")
            except BlockingIOError:
                time.sleep(0.05)
        self.seen = self.seen[found.end() :]
        return found

    def end(self) -> int:
        """Wait for the end of the command; return its exit code."""
        return self.process.wait(LIMIT)

    def close(self) -> None:
        """End what still runs."""
        self.process.kill()
        self.process.wait()
        os.close(self.ours)
        os.close(self.theirs)


LEAST = """
[monitor]
build = "lean"
without = ["check", "commands", "misaligned"]
"""


@pytest.fixture
def terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Terminal]:
    """Run two tenants that answer quickly, at a terminal; a parameter is added to their system."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))  # the socket is this test's own
    description = tmp_path / "terminal.toml"
    tables = (payload("uart-echo", name="echo"), freertos(), getattr(request, "param", ""))
    description.write_text(system(*tables))
    terminal = Terminal(description)
    yield terminal
    terminal.close()


def test_the_tenant_in_focus_is_typed_to_and_the_other_has_its_name_in_front(
    terminal: Terminal,
) -> None:
    terminal.expect("Ctrl-T")
    terminal.expect("^uart-echo: ready")
    terminal.type(b"hello there\n")
    terminal.expect("hello there")
    terminal.expect(r"^\[freertos\] latency: samples=\d+ .* missed=0$")
    terminal.type(ESCAPE + b"l")
    terminal.expect("echo")
    terminal.expect("freertos")
    terminal.type(ESCAPE + b"q")
    assert terminal.end() == 0
    assert termios.tcgetattr(terminal.theirs) == terminal.before


def test_time_is_counted_and_passes_no_faster_than_the_users(terminal: Terminal) -> None:
    """The tenants are idle: unpaced, a minute of the machine's would pass in a second."""
    terminal.expect("^Time is counted: an instruction takes 8 ns")
    while (samples := int(terminal.expect(REPORT)[1])) < 3000:
        pass
    # A sample is a millisecond of the machine's.
    assert time.monotonic() - terminal.begin > 0.9 * samples / 1000 - 1
    terminal.type(ESCAPE + b"q")
    assert terminal.end() == 0


def test_the_terminal_is_put_back_when_the_run_is_told_to_end(terminal: Terminal) -> None:
    terminal.expect(r"^\[freertos\] FreeRTOS")
    assert termios.tcgetattr(terminal.theirs) != terminal.before
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.end() == 128 + signal.SIGTERM
    assert termios.tcgetattr(terminal.theirs) == terminal.before


def test_control_c_is_for_the_tenant(terminal: Terminal) -> None:
    terminal.expect("^uart-echo: ready")
    terminal.type(b"\x03still\n")
    terminal.expect("still")
    terminal.type(ESCAPE + b"q")
    assert terminal.end() == 0


def test_programs_ask_the_monitor_over_the_same_line(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    terminal.expect("^uart-echo: ready")
    command = [sys.executable, "-m", "cotenant", "ctl", "--system", str(tmp_path / "terminal.toml")]
    for words, wanted in ((["list"], "echo"), (["stop", "freertos"], "stop freertos: ok")):
        monkeypatch.setenv("PYTHONPATH", str(paths.ROOT / "tool"))
        terminal.type(ESCAPE)  # a command that the user has begun is not spoiled
        asked = subprocess.Popen([*command, *words], stdout=subprocess.PIPE, text=True)
        terminal.type(b"l")
        said, _ = asked.communicate(timeout=LIMIT)
        assert asked.returncode == 0 and wanted in said
    terminal.expect(r"^\[monitor\] tenant freertos: stopped by stop")
    assert "\x1e" not in terminal.seen
    terminal.type(b"typed\n")
    terminal.expect("typed")
    terminal.type(ESCAPE + b"q")
    assert terminal.end() == 0


def test_without_a_terminal_it_shows_lines_with_names(tmp_path: Path) -> None:
    description = tmp_path / "lines.toml"
    description.write_text(system(payload("uart-echo", name="echo"), freertos()))
    run = subprocess.run(
        [sys.executable, "-m", "cotenant", "run", str(description), "--for", "2s"],
        env=os.environ | {"PYTHONPATH": str(paths.ROOT / "tool"), "XDG_RUNTIME_DIR": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert re.search(r"^echo +\| uart-echo: ready$", run.stdout, re.MULTILINE)
    assert re.search(r"^freertos +\| latency: .* missed=0$", run.stdout, re.MULTILINE)


def test_without_a_terminal_control_c_ends_it(tmp_path: Path) -> None:
    description = tmp_path / "lines.toml"
    description.write_text(system(freertos()))
    # A shell has its jobs in the background ignore it, and so would the program.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    run = subprocess.Popen(
        [sys.executable, "-m", "cotenant", "run", str(description)],
        env=os.environ | {"PYTHONPATH": str(paths.ROOT / "tool"), "XDG_RUNTIME_DIR": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    signal.signal(signal.SIGINT, before)
    with run:
        assert run.stdout
        while "latency: samples=" not in run.stdout.readline():
            assert run.poll() is None
        run.send_signal(signal.SIGINT)
        run.stdout.read()
        assert run.wait(LIMIT) == 128 + signal.SIGINT


@pytest.mark.parametrize("terminal", [LEAST], indirect=True, ids=["lean"])
def test_a_monitor_without_commands_goes_on_after_them(terminal: Terminal) -> None:
    terminal.expect("^uart-echo: ready")
    terminal.type(ESCAPE + b"x" + ESCAPE + b"l" + ESCAPE + CONTROL_START)
    terminal.expect("help")
    terminal.type(b"hello there\n")
    terminal.expect("hello there")
    terminal.expect(r"^\[freertos\] latency: samples=\d+ .* missed=\d+$")
    terminal.type(ESCAPE + b"q")
    assert terminal.end() == 0
