# SPDX-License-Identifier: BSD-2-Clause
"""Clock cycles on the RTL of a Rocket core."""
