# SPDX-License-Identifier: BSD-2-Clause
"""What all tests of Python code share: no time limit for an example of hypothesis.

How long one takes depends on what else the machine does.
"""

from hypothesis import settings

settings.register_profile("any-machine", deadline=None)
settings.load_profile("any-machine")
