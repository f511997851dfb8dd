# SPDX-License-Identifier: BSD-2-Clause
"""What can go wrong while a system runs; each message is a plain sentence for the user."""

from cotenant.errors import CotenantError


class RunError(CotenantError):
    """A system could not be started, or did not do what was asked of it."""


class MachineEndedError(RunError):
    """QEMU ended while something was still expected of the machine."""


class TenantEndedError(RunError):
    """A tenant stopped or crashed while something was still expected of it."""


class WaitTimeoutError(RunError):
    """The wall-clock limit, the last resort, ran out."""
