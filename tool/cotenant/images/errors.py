# SPDX-License-Identifier: BSD-2-Clause
"""The one exception of the image catalogue."""

from cotenant.errors import CotenantError


class ImageError(CotenantError):
    """An image cannot be had; the text says in a sentence why, and what to do."""
