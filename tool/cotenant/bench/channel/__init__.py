# SPDX-License-Identifier: BSD-2-Clause
"""Channels between a Linux process and an RTOS."""
