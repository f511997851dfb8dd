# SPDX-License-Identifier: BSD-2-Clause
"""Checks the models of this folder with SPIN: `make models`. README.md says what they prove.

A sound model must come through a complete search without an error. Each mutant leaves out one step
that the protocol needs, and the search must find the harm, or the model would not notice the step's
loss in the protocol either.
"""

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

MODELS = Path(__file__).parent
# A search that takes longer, on a busy machine too, has met a model that grew too big; seconds.
TIME_LIMIT = 240
# Steps of a run; a longer run makes the search incomplete, which is an error.
DEPTH = 1_000_000
# Looks for runs that are weakly fair and yet never do what an LTL property says.
LIVENESS = "LIVENESS"


@dataclass(frozen=True)
class Check:
    """A model with the scenario or the mutations to define in it."""

    model: str
    defines: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the name of the test."""
        return "-".join((self.model, *self.defines))


SOUND = [
    Check("channel"),
    Check("remote_fence"),
    Check("remote_fence", ("DEAF",)),
    Check("remote_fence", ("MAIL",)),
    Check("remote_fence", ("ALL_AT_ONCE",)),
    Check("remote_fence", ("TWO_CALLERS",)),
    Check("remote_fence", ("SLEEP",)),
    Check("remote_fence", ("SLEEP", "MAIL")),
    Check("remote_fence", ("SLEEP", "TWO_CALLERS")),
    Check("hart_messages"),
    Check("hart_messages", ("EQUAL=true",)),
    Check("hart_start_stop"),
    Check("hart_start_stop", ("SHARED_HART",)),
    Check("life_cycle"),
    Check("invocation"),
    Check("shared_lock", ("HARTS=4",)),
    Check("shared_lock", (LIVENESS,)),
    Check("shared_lock", ("SLEEP",)),
]

MUTANTS = [
    Check("channel", ("NO_ASK_FENCE",)),
    Check("channel", ("NO_OFFER_FENCE",)),
    Check("channel", ("NO_FINISH_FENCE",)),
    Check("channel", ("NO_WANT_FENCE",)),
    Check("channel", ("ACKNOWLEDGE_LATE",)),
    Check("channel", ("QUIET_AT_START",)),
    Check("channel", ("KEEP_COPY",)),
    Check("channel", ("NO_RETRY",)),
    Check("remote_fence", ("NO_CALLER_FENCE",)),
    Check("remote_fence", ("NO_ASK_RELEASE",)),
    Check("remote_fence", ("NO_ASK_FENCE",)),
    Check("remote_fence", ("NO_SERVE_WAITING",)),
    Check("remote_fence", ("NO_SERVE_SFENCE",)),
    Check("remote_fence", ("EARLY_READ",)),
    Check("remote_fence", ("NO_SWITCH_RELEASE",)),
    Check("remote_fence", ("NO_SWITCH_FENCE",)),
    Check("remote_fence", ("NO_SWITCH_SFENCE",)),
    Check("remote_fence", ("WAIT_WHEN_GONE", "DEAF")),
    Check("remote_fence", ("CLEAR_WAITING", "MAIL")),
    Check("remote_fence", ("SLEEP", "NO_WAKE")),
    Check("remote_fence", ("SLEEP", "NO_WAKE_FENCE")),
    Check("remote_fence", ("SLEEP", "SLEEP_BLINDLY")),
    Check("remote_fence", ("SLEEP", "CLEAR_BLINDLY", "MAIL")),
    Check("hart_messages", ("NO_POST_FENCE",)),
    Check("hart_messages", ("NO_SWITCH_FENCE",)),
    Check("hart_messages", ("NO_MAIL_CHECK",)),
    Check("hart_messages", ("IDLE_UNPUBLISHED",)),
    Check("hart_messages", ("CLEAR_LATE",)),
    Check("hart_messages", ("ALWAYS_KICK",)),
    Check("hart_messages", ("NO_WAKE",)),
    Check("hart_messages", ("UNCOUNTED", "EQUAL=true")),
    Check("hart_messages", ("NOTE_ALWAYS", "EQUAL=true")),
    Check("hart_start_stop", ("STOP_DROPS_HALT",)),
    Check("hart_start_stop", ("DROP_UNLOCKED",)),
    Check("hart_start_stop", ("START_WHILE_STOPPING",)),
    Check("hart_start_stop", ("START_UNCHECKED",)),
    Check("hart_start_stop", ("HALT_TWICE",)),
    Check("hart_start_stop", ("KEEP_INTERRUPT", "SHARED_HART")),
    Check("life_cycle", ("DO_NOT_WAIT",)),
    Check("life_cycle", ("FORGET_LOADER",)),
    Check("life_cycle", ("KEEP_GOING",)),
    Check("life_cycle", ("START_UNCHECKED",)),
    Check("life_cycle", ("LOAD_UNCHECKED",)),
    *(
        Check("invocation", (mutation,))
        for mutation in (
            *("KEEP_FRAMES", "KEEP_CURRENT", "KEEP_DATA"),
            *("UNWIND_DEEP", "RESUME_DEAD", "ANSWER_VALUE", "KEEP_WAITING"),
            "KEEP_WILL",
        )
    ),
    Check("shared_lock", ("UNFAIR",)),
    Check("shared_lock", ("GIVE_UP_BLINDLY",)),
    Check("shared_lock", ("HAND_OVER_BLINDLY",)),
    Check("shared_lock", ("NO_RELEASE",)),
    Check("shared_lock", ("SLEEP", "NO_WAKE")),
    Check("shared_lock", ("SLEEP", "SLEEP_BLINDLY")),
    Check("shared_lock", ("SLEEP", "KEEP_ASLEEP")),
    Check("shared_lock", ("JOIN_BY_SWAP", LIVENESS)),
]


def run(command: Sequence[str], directory: Path) -> str:
    """Return what the command prints; it must succeed."""
    result = subprocess.run(
        command,
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )
    assert result.returncode == 0, result.stdout
    return result.stdout


def search(check: Check, directory: Path, optimization: str) -> str:
    """Return the report of SPIN's search through the model."""
    defines = [f"-D{name}" for name in check.defines]
    run(["spin", "-a", *defines, str(MODELS / f"{check.model}.pml")], directory)
    liveness = LIVENESS in check.defines
    kind = ["-DNFAIR=3"] if liveness else ["-DSAFETY"]
    run(["cc", optimization, "-w", "-DCOLLAPSE", *kind, "-o", "pan", "pan.c"], directory)
    options = ["-a", "-f"] if liveness else []
    return run(["./pan", f"-m{DEPTH}", *options], directory)


def errors(report: str) -> int:
    """Return how many errors the search has found."""
    found = re.search(r"errors: (\d+)", report)
    assert found, report
    return int(found[1])


def unreached(report: str) -> str:
    """Return what was never executed of the code that judges a run."""
    parts = re.findall(r"^unreached in (?:proctype finish|claim \w+)\n((?:\t.*\n)*)", report, re.M)
    lines = [line for part in parts for line in part.splitlines()]
    return "\n".join(line for line in lines if " state " in line and "-end-" not in line)


@pytest.mark.parametrize("check", SOUND, ids=str)
def test_sound(check: Check, tmp_path: Path) -> None:
    """The complete search finds no error, and the properties were looked at."""
    report = search(check, tmp_path, "-O2")
    assert errors(report) == 0, report
    assert "max search depth too small" not in report, report
    assert "Search not completed" not in report, report
    assert unreached(report) == "", report


@pytest.mark.parametrize("check", MUTANTS, ids=str)
def test_mutant(check: Check, tmp_path: Path) -> None:
    """The search finds what leaving out the step does."""
    assert errors(search(check, tmp_path, "-O0")) > 0  # compiled sooner than optimized


@pytest.mark.parametrize("check", MUTANTS, ids=str)
def test_mutant_is_in_the_model(check: Check) -> None:
    """A misspelt name would define nothing."""
    text = (MODELS / f"{check.model}.pml").read_text()
    for define in check.defines:
        assert re.search(rf"^#.*\b{define.split('=')[0]}\b", text, re.M), define
