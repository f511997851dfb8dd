# SPDX-License-Identifier: BSD-2-Clause
"""`python -m cotenant` is the command line."""

from cotenant.cli import main
from cotenant.program import called_as

main(prog_name=called_as(), complete_var="_COTENANT_COMPLETE")
