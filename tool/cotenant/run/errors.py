# SPDX-License-Identifier: BSD-2-Clause
"""What can go wrong while a system runs; each message is a plain sentence for the user."""


class RunError(Exception):
    """A system could not be started, or did not do what was asked of it."""


class MachineEnded(RunError):
    """QEMU ended while something was still expected of the machine."""


class TenantEnded(RunError):
    """A tenant stopped or crashed while something was still expected of it."""


class WaitTimeout(RunError):
    """The wall-clock limit, the last resort, ran out."""
