# SPDX-License-Identifier: BSD-2-Clause
"""What five papers measured and no other benchmark does; bench/papers has their figures."""
