# SPDX-License-Identifier: BSD-2-Clause
"""Calls of programs that are built with sanitizers."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


def call(
    command: Sequence[str | Path], typed: str, timeout: int, environment: Mapping[str, str] | None
) -> subprocess.CompletedProcess[str]:
    """Return what came of a call in which the sanitizers have found nothing."""
    result = subprocess.run(
        command,
        env=environment,
        input=typed,
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )
    found = "Sanitizer" in result.stderr or "runtime error" in result.stderr
    assert not found, result.stderr
    return result
