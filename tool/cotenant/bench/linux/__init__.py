# SPDX-License-Identifier: BSD-2-Clause
"""The stock Debian kernel's work."""
