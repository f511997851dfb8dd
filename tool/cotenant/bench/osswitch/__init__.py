# SPDX-License-Identifier: BSD-2-Clause
"""From one operating system to another by suspend to RAM."""
