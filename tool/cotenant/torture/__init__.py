# SPDX-License-Identifier: BSD-2-Clause
"""A campaign of random and structured attacks by hostile tenants beside honest ones."""
