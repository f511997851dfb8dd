# SPDX-License-Identifier: BSD-2-Clause
"""What can go wrong while something is measured."""

from cotenant.errors import CotenantError


class BenchError(CotenantError):
    """A benchmark has no complete result; the message is a plain sentence that says why."""
