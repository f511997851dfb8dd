# SPDX-License-Identifier: BSD-2-Clause
"""The commands of the command line, one module each."""
