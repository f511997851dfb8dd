# SPDX-License-Identifier: BSD-2-Clause
"""No change makes a hot path longer unnoticed: exact instruction counts, bench/expected.toml."""

import pytest

from cotenant.bench import expected


@pytest.fixture(scope="module")
def changes() -> list[expected.Change]:
    return expected.compare(expected.read(), expected.measure())


def test_no_hot_path_is_longer_than_expected(changes: list[expected.Change]) -> None:
    longer = [str(change) for change in changes if change.is_longer]
    assert not longer, (
        f"more than {expected.TOLERANCE_PERCENT} % longer (expected -> measured); if that is meant,"
        f" run './cotenant bench --accept' and say why in the commit: {longer}"
    )


def test_every_count_is_expected(changes: list[expected.Change]) -> None:
    unknown = [str(change) for change in changes if change.expected is None]
    assert not unknown, f"run './cotenant bench --accept': {unknown}"
