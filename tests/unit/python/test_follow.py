# SPDX-License-Identifier: BSD-2-Clause
"""Showing the tenants' output line by line."""

import io

from rich.console import Console

from cotenant.images.progress import ProgressDisplay
from cotenant.run.follow import Follower
from cotenant.run.shell import ShellCommand
from cotenant.run.steps import steps


def test_lines_are_shown_whole_with_their_source() -> None:
    shown = io.StringIO()
    follower = Follower(["linux", "rtos"], Console(file=shown, width=20))
    follower.show("linux", "boo")
    follower.show("rtos", "tick\n")
    follower.show("linux", "ted, and this line is long\n# ")
    follower.show("monitor", "stats end\nmonitor: hello\n")
    assert shown.getvalue().splitlines() == [
        "rtos  | tick",
        "linux | booted, and this line is long",
        "monitor | monitor: hello",
    ]
    follower.finish()
    assert shown.getvalue().endswith("linux | # \n")


def test_a_command_is_shown_without_its_marks() -> None:
    shown = io.StringIO()
    follower = Follower(["linux"], Console(file=shown, width=200))
    shell = ShellCommand(1, "echo 'one'; exit 3")
    follower.show("linux", f"# {shell.typed().decode()}")
    follower.show("linux", "__cotenant_1_begin\none\n\n__cotenant_1_end=3\n# \n")
    assert shown.getvalue().splitlines() == [
        "linux | # 'echo '\"'\"'one'\"'\"'; exit 3'",
        "linux | one",
        "linux | ",
        "linux | # ",
    ]


def test_steps_leave_nothing_in_a_file() -> None:
    shown = io.StringIO()
    with steps(Console(file=shown)) as tell:
        tell("waiting")
    with ProgressDisplay():
        pass
    assert shown.getvalue() == ""


def test_a_crash_is_shown_in_words_too() -> None:
    shown = io.StringIO()
    follower = Follower(["rtos"], Console(file=shown), lambda _, place: f"main+{place:#x}")
    follower.show("monitor", "monitor: tenant rtos: crashed: cause=0x5 address=0x8 pc=0x4 ra=0x3\n")
    assert shown.getvalue().splitlines()[1] == (
        "monitor | monitor: that is: load access fault at main+0x4 (0x4), address 0x8,"
        " return address in main+0x2"
    )


def test_a_tenant_cannot_reach_the_terminal() -> None:
    shown = io.StringIO()
    follower = Follower(["evil"], Console(file=shown, width=80))
    follower.show("evil", "\x1b[2J\x1b[6nclean\x07 [bold]text[/]\x9b1m\n")
    assert shown.getvalue() == "evil | clean [bold]text[/]1m\n"
