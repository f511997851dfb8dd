# SPDX-License-Identifier: BSD-2-Clause
"""Commands typed at a shell prompt: their marks are found whatever the kernel says meanwhile."""

import re

import pytest

from cotenant.run.shell import ShellCommand

COMMAND = ShellCommand(8, "cat /proc/uptime; exit 3")
PRINTED = "__cotenant_8_begin\n12.5 3.0\n__cotenant_8_end=3\n"
KERNEL = "[   19.494508] virtio_blk virtio0: [vda] new size\n"


@pytest.mark.parametrize("place", range(len(PRINTED)))
def test_a_kernel_says_something_in_the_middle_of_a_line(place: int) -> None:
    said = PRINTED[:place] + KERNEL + "[  119.661562] sh (154): drop_caches: 3\n" + PRINTED[place:]
    found = re.search(COMMAND.result_pattern(), f"# {said}# ")
    assert found is not None
    assert found["exit_code"] == "3"
    assert found["output"].replace(said[place : -len(PRINTED) + place], "") == "12.5 3.0\n"


def test_what_is_typed_is_no_result() -> None:
    typed = COMMAND.typed().decode()
    assert re.search(COMMAND.result_pattern(), typed + PRINTED[:-1]) is None
    assert re.search(COMMAND.result_pattern(), typed + PRINTED.replace("_8_", "_7_")) is None
