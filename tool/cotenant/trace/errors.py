# SPDX-License-Identifier: BSD-2-Clause
"""What can be wrong with a trace; each message is a plain sentence for the user."""

from cotenant.errors import CotenantError


class TraceError(CotenantError):
    """A trace could not be had, or is not one."""
