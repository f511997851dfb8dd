# SPDX-License-Identifier: BSD-2-Clause
"""PMP entries: the access maps that they express, their compiler, and a model that checks it."""
