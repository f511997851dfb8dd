# SPDX-License-Identifier: BSD-2-Clause
"""Worst cases of a monitor, computed from its ELF file: docs/bounds.md."""
