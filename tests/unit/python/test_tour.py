# SPDX-License-Identifier: BSD-2-Clause
"""The lines that tell what to try: once, behind the line that says that the tenant is ready."""

import pytest

from cotenant.run.tour import Tour, lines_for

LINES = lines_for("Ctrl-T", "./cotenant", "examples/linux-freertos.toml")
TOLD = "".join(f"{line}\r\n" for line in LINES).encode()


def shown(tour: Tour, data: bytes, step: int) -> bytes:
    return b"".join(tour.add(data[at : at + step]) for at in range(0, len(data), step))


@pytest.mark.parametrize("step", [1, 2, 7, 1000])
def test_they_come_once_behind_the_line(step: int) -> None:
    before = "[0.1] b\u00f6\u00f6ting\r\ncotenant: ready\r\n".encode()
    after = b"# echo cotenant: ready\r\ncotenant: ready\r\n# "
    tour = Tour("cotenant: ready", LINES)
    assert shown(tour, before + after, step) == before + TOLD + after


def test_a_prompt_without_a_line_end_is_not_cut() -> None:
    tour = Tour("login:", LINES)
    assert shown(tour, b"debian login: ", 3) == b"debian login: "
    assert shown(tour, b"me\r\n$ ", 3) == b"me\r\n" + TOLD + b"$ "


def test_a_tenant_that_tells_nothing() -> None:
    assert shown(Tour(None, LINES), b"anything\r\n", 4) == b"anything\r\n"


def test_there_are_three_and_they_fit() -> None:
    assert len(LINES) == 3
    assert all(len(line) <= 100 for line in LINES)
