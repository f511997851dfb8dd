# SPDX-License-Identifier: BSD-2-Clause
"""Installs the Debian packages that only one command needs, as the set-up does for all others."""

import os
import subprocess

from cotenant.paths import ROOT

_SCRIPT = ROOT / "tool" / "setup" / "packages.sh"


def install(option: str) -> bool:
    """Install the group of packages that `option` of packages.sh names; tell whether it went well.

    It says itself on standard error what it does and what it lacks.
    """
    environment = os.environ | {"COTENANT_ROOT": str(ROOT)}
    return subprocess.run([str(_SCRIPT), option], env=environment, check=False).returncode == 0
