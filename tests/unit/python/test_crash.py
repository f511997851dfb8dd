# SPDX-License-Identifier: BSD-2-Clause
"""Crashes in words, with names from the image's symbols."""

import subprocess
from pathlib import Path

import pytest

from cotenant.run.crash import Crash, cause_in_words, crashes, last_words, parse, symptoms
from cotenant.symbols import Symbols

HANDLER = (
    "monitor: tenant rtos: crashed: cause=0x1 address=0x0 scause=0x5 sepc=0x1010 stval=0x99"
    " pc=0x0 ra=0x2000"
)
VECTOR = "monitor: tenant rtos: crashed: cause=0x1 address=0x44 scause=0x0 sepc=0x0 stval=0x0 pc=0x44 ra=0x2000"  # noqa: E501
FAILURE = "monitor: tenant rtos: crashed: shutdown after a system failure: pc=0x1010 ra=0x2000"


def names(tenant: str, address: int) -> str | None:
    """Be a symbol table of two functions."""
    assert tenant == "rtos"
    return {1: "driver", 0x1F: "caller"}.get(address >> (12 if address < 0x1F00 else 8))


def test_the_trap_that_wanted_a_handler_is_told() -> None:
    crash = Crash("load access fault", 5, 0x1010, "driver", 0x99, "caller")
    assert parse(HANDLER, names) == ("rtos", crash)
    assert str(crash) == (
        "load access fault at driver (0x1010), address 0x99, return address in caller"
    )
    assert crash.as_dict()["pc"] == "0x1010"


def test_without_an_earlier_trap_it_is_the_fetch_itself() -> None:
    found = parse(VECTOR)
    assert found == ("rtos", Crash("instruction access fault", 1, 0x44, None, 0x44, None))
    assert str(found[1]) == "instruction access fault at 0x44, address 0x44"


def test_a_tenant_that_gives_up() -> None:
    crash = Crash("shutdown after a system failure", None, 0x1010, "driver", None, "caller")
    assert parse(FAILURE, names) == ("rtos", crash)


def test_other_lines_are_none() -> None:
    log = f"monitor: tenant rtos: shutdown\n{HANDLER}\nnoise {FAILURE}\n{FAILURE}\n"
    assert len(crashes(log)) == 2
    assert parse("monitor: tenant rtos: crashed: who knows") is None


def test_signs_of_a_stray_image() -> None:
    log = (
        "monitor: tenant rtos: expects machine mode: instruction=0xf14025f3 pc=0x1010\n"
        "monitor: tenant other: only faults: cause=0x2 pc=0x10\n"
        "monitor: tenant rtos: only faults: cause=0x5 pc=0x44 times=100000\n"
    )
    machine, faults = symptoms(log, "rtos", names)
    assert machine.startswith("expects machine mode: `csrr a1, mhartid` at driver (0x1010); add")
    assert faults.startswith("only faults: load access fault at 0x44, 100,000 times; check -v")
    (alone,) = symptoms(log, "other")
    assert alone.startswith("only faults: illegal instruction at 0x10; check -v")


def test_an_instruction_is_no_address() -> None:
    line = HANDLER.replace("scause=0x5", "scause=0x2")
    assert line != HANDLER
    crash = parse(line.replace("stval=0x99", "stval=0x30200073"))
    assert crash is not None
    assert str(crash[1]).startswith("illegal instruction `mret`, which is for machine mode, at 0x")
    assert "address" not in str(crash[1]).replace("return address", "")
    plain = parse(line)
    assert plain is not None and plain[1].what == "illegal instruction"


def test_last_words_of_the_support_library() -> None:
    output = "unexpected trap: scause=0x2 sepc=0x1010 stval=0x0 sstatus=0x100 ra=0x2000 sp=0x1\n"
    found = last_words("alive\n" + output, lambda address: names("rtos", address))
    assert found == Crash("illegal instruction", 2, 0x1010, "driver", 0, "caller")
    assert last_words("alive\n", lambda _: None) is None


@pytest.mark.parametrize(
    ("cause", "words"),
    [(13, "load page fault"), (1 << 63 | 5, "timer interrupt"), (24, "cause 0x18")],
)
def test_causes(cause: int, words: str) -> None:
    assert cause_in_words(cause) == words


def test_symbols_of_an_image_that_was_moved(tmp_path: Path) -> None:
    source, file = tmp_path / "image.c", tmp_path / "image"
    source.write_text("int data = 1; int one(int a) { return a + data; } void _start(void) {}\n")
    subprocess.run(
        ["cc", "-O1", "-fPIE", "-nostdlib", "-static-pie", "-o", file, source], check=True
    )
    listed = subprocess.run(["nm", file], capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in listed.splitlines()]
    place = {words[-1]: int(words[0], 16) for words in lines}
    fixed, moved = (Symbols(lambda: file, base) for base in (0, 0x8040_0000))
    assert fixed.at(place["one"]) == "one+0x0"
    assert moved.at(0x8040_0000 + place["one"] + 2) == "one+0x2"
    assert moved.at(0x8040_0000 + place["_start"]) == "_start+0x0"
    assert moved.at(0x8040_0000 + place["data"]) is None
    assert moved.at(place["one"]) is None


def test_an_image_without_symbols(tmp_path: Path) -> None:
    raw = tmp_path / "kernel"
    raw.write_bytes(b"MZ" + bytes(100))
    assert Symbols(lambda: raw, 0).at(0) is None
