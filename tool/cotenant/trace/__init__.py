# SPDX-License-Identifier: BSD-2-Clause
"""What the monitor recorded (abi/trace.h), made into something that people can look at.

The steps, one module each: `system` knows from the bundle where the rings are and what the numbers
in them mean, `ring` decodes them, `timeline` turns records into slices and instants on tracks, and
`perfetto_file` and `picture` write those.
"""
