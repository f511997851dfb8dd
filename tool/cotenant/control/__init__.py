# SPDX-License-Identifier: BSD-2-Clause
"""The control protocol of abi/control.h from outside: its frames, and a socket for programs."""
