# SPDX-License-Identifier: BSD-2-Clause
"""`python -m cotenant` is the command line."""

from cotenant.cli import main

main(prog_name="cotenant")
