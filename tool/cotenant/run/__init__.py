# SPDX-License-Identifier: BSD-2-Clause
"""Running a built system under QEMU: interactively, in batch, or from a Python program."""
