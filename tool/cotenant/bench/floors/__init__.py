# SPDX-License-Identifier: BSD-2-Clause
"""Floors: what the smallest programs take for the work of hot paths, without any decision."""
