# SPDX-License-Identifier: BSD-2-Clause
"""What the monitor says of a tenant that crashed, in words: where it was, and why it ended."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cotenant.machine_code import machine_instruction

_CRASH = re.compile(r"^monitor: tenant (?P<tenant>\S+): crashed: (?P<said>.*)$", re.MULTILINE)
_FIELD = re.compile(r"(\w+)=(0x[0-9a-f]+)")
_LAST_WORDS = re.compile(
    r"^(?:unexpected trap|FreeRTOS: exception in .*):"
    r" scause=0x\w+ sepc=0x\w+ stval=0x\w+ (?:sstatus=0x\w+ )?ra=0x[0-9a-f]+",
    re.MULTILINE,
)
_FAULTS = re.compile(
    r"^monitor: tenant (?P<tenant>\S+): only faults: cause=(?P<cause>0x[0-9a-f]+)"
    r" pc=(?P<pc>0x[0-9a-f]+)(?: times=(?P<times>\d+))?$",
    re.MULTILINE,
)
_MACHINE_MODE = re.compile(
    r"^monitor: tenant (?P<tenant>\S+): expects machine mode:"
    r" instruction=(?P<instruction>0x[0-9a-f]+) pc=(?P<pc>0x[0-9a-f]+)$",
    re.MULTILINE,
)
_ILLEGAL_INSTRUCTION = 2
_FAILURE = "shutdown after a system failure"

# Privileged ISA, table of scause values.
_INTERRUPT = 1 << 63
_EXCEPTIONS = {
    0: "instruction address misaligned",
    1: "instruction access fault",
    2: "illegal instruction",
    3: "breakpoint",
    4: "load address misaligned",
    5: "load access fault",
    6: "store address misaligned",
    7: "store access fault",
    8: "call from U-mode",
    9: "call from S-mode",
    12: "instruction page fault",
    13: "load page fault",
    15: "store page fault",
}
_INTERRUPTS = {1: "software interrupt", 5: "timer interrupt", 9: "external interrupt"}

Lookup = Callable[[str, int], str | None]
"""Finds the symbol of an address in a tenant's image."""


def cause_in_words(cause: int) -> str:
    """Return what a value of scause means."""
    number = cause & ~_INTERRUPT
    known = _INTERRUPTS if cause & _INTERRUPT else _EXCEPTIONS
    return known.get(number, f"cause {cause:#x}")


@dataclass(frozen=True)
class Crash:
    """A tenant's end. `symbol` and `caller` are None where its image tells no names."""

    what: str
    cause: int | None
    """value of scause; None: it ended itself"""
    pc: int
    symbol: str | None
    address: int | None
    """what it wanted to reach"""
    caller: str | None
    """where the return address points"""

    @property
    def by_itself(self) -> bool:
        """Whether it shut down with a failure for its reason, and nothing took it down."""
        return self.cause is None and self.what == _FAILURE

    def __str__(self) -> str:
        """Return a sentence for people."""
        place = f"{self.pc:#x}" if self.symbol is None else f"{self.symbol} ({self.pc:#x})"
        text = f"{self.what} at {place}"
        text += "" if self.address is None else f", address {self.address:#x}"
        return text + ("" if self.caller is None else f", return address in {self.caller}")

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form; addresses as hexadecimal strings."""
        address = None if self.address is None else f"{self.address:#x}"
        return {
            "what": self.what,
            "cause": self.cause,
            "pc": f"{self.pc:#x}",
            "symbol": self.symbol,
            "address": address,
            "caller": self.caller,
        }


def no_symbols(_tenant: str, _address: int) -> str | None:
    """Be a Lookup that knows nothing."""
    return None


def parse(line: str, lookup: Lookup = no_symbols) -> tuple[str, Crash] | None:
    """Return the tenant and its crash if the line is the monitor's message of one.

    When a trap handler cannot be fetched, the trap that wanted it is told, if there was one.
    """
    found = _CRASH.search(line)
    if found is None:
        return None
    tenant, said = found["tenant"], found["said"]
    values = {name: int(value, 16) for name, value in _FIELD.findall(said)}
    if "pc" not in values:
        return None
    # Behind a call that never returns another function may begin.
    place, caller = values["pc"], lookup(tenant, values.get("ra", 0) - 1)
    if said.startswith(_FAILURE):
        return tenant, Crash(_FAILURE, None, place, lookup(tenant, place), None, caller)
    names = ("scause", "sepc", "stval") if values.get("sepc") else ("cause", "pc", "address")
    cause, place, address = (values.get(name, 0) for name in names)
    what = cause_in_words(cause)
    if cause == _ILLEGAL_INSTRUCTION:  # the value is the instruction, where the hart tells it
        machine = machine_instruction(address)
        what += f" `{machine}`, which is for machine mode," if machine else ""
        return tenant, Crash(what, cause, place, lookup(tenant, place), None, caller)
    return tenant, Crash(what, cause, place, lookup(tenant, place), address, caller)


def crashes(log: str, lookup: Lookup = no_symbols) -> list[tuple[str, Crash]]:
    """Return all crashes that the monitor's log tells of, with the tenants."""
    found = (parse(line, lookup) for line in log.splitlines())
    return [each for each in found if each is not None]


def symptoms(log: str, tenant: str, lookup: Lookup = no_symbols) -> tuple[str, ...]:
    """Return the signs that a tenant's image is not for where it runs, as the log tells them."""

    def place(found: re.Match[str]) -> str:
        symbol = lookup(tenant, int(found["pc"], 16))
        return found["pc"] if symbol is None else f"{symbol} ({found['pc']})"

    machine = [
        f"expects machine mode: `{machine_instruction(word) or hex(word)}` at {place(found)}; "
        'add mode = "machine", or rebuild it for supervisor mode (S-mode, with SBI calls)'
        for found in _MACHINE_MODE.finditer(log)
        if found["tenant"] == tenant and (word := int(found["instruction"], 16))
    ]
    faults = [
        f"only faults: {cause_in_words(int(found['cause'], 16))} at {place(found)}"
        + (f", {int(found['times']):,} times" if found["times"] else "")
        + "; check -v shows where its image is loaded: is it linked to that address?"
        for found in _FAULTS.finditer(log)
        if found["tenant"] == tenant
    ]
    return (*machine, *faults)


def last_words(output: str, symbol: Callable[[int], str | None]) -> Crash | None:
    """Return what tenants/rt and the FreeRTOS port print of a trap without a handler."""
    said = [found[0] for found in _LAST_WORDS.finditer(output)]
    if not said:
        return None
    values = {name: int(value, 16) for name, value in _FIELD.findall(said[-1])}
    what, place = cause_in_words(values["scause"]), values["sepc"]
    caller = symbol(values["ra"] - 1)
    return Crash(what, values["scause"], place, symbol(place), values["stval"], caller)
