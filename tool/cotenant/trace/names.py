# SPDX-License-Identifier: BSD-2-Clause
"""Names of the numbers in a trace: SBI calls from abi/sbi.h, causes from the privileged ISA."""

from functools import cache

from cotenant import abi

_INTERRUPTS = {3: "software interrupt", 7: "timer interrupt", 11: "external interrupt"}

# Privileged ISA, table of mcause; those that come to the monitor.
_EXCEPTIONS = {
    0: "misaligned fetch",
    1: "fetch refused",
    2: "illegal instruction",
    4: "misaligned load",
    5: "load refused",
    6: "misaligned store",
    7: "store refused",
}

_EVENTS = {
    abi.trace("TENANT_LOADING"): "loading",
    abi.trace("TENANT_STARTED"): "started",
    abi.trace("TENANT_STOPPED"): "stopped",
    abi.trace("TENANT_CRASHED"): "crashed",
    abi.trace("TENANT_SUSPENDED"): "suspended",
    abi.trace("TENANT_HANGS"): "hangs",
}


def interrupt(code: int) -> str:
    """Return the name of a machine interrupt."""
    return _INTERRUPTS.get(code, f"interrupt {code}")


def exception(code: int) -> str:
    """Return the name of a synchronous exception."""
    return _EXCEPTIONS.get(code, f"exception {code}")


def tenant_event(event: int) -> str:
    """Return what happened to a tenant."""
    return _EVENTS.get(event, f"event {event}")


@cache
def sbi_call(extension: int, function: int) -> str:
    """Return the names of an SBI extension and its function, as far as they are known."""
    defines = abi.header("sbi.h")
    known = {value: name for name, value in defines.items() if name.startswith("SBI_EXT_")}
    if extension not in known:
        return f"SBI {extension:#x} function {function}"
    family = known[extension].removeprefix("SBI_EXT_")
    # The functions come before the other numbers of an extension.
    for name, value in defines.items():
        if name.startswith(f"SBI_{family}_") and value == function:
            return f"{family} {name.removeprefix(f'SBI_{family}_').lower()}"
    return f"{family} function {function}"


@cache
def sbi_error(error: int) -> str:
    """Return the name of what an SBI call returned."""
    for name, value in abi.header("sbi.h").items():
        if value == error and (name == "SBI_SUCCESS" or name.startswith("SBI_ERR_")):
            return name.removeprefix("SBI_").removeprefix("ERR_").lower().replace("_", " ")
    return str(error)
