# SPDX-License-Identifier: BSD-2-Clause
"""No change makes a hot path longer unnoticed: exact instruction counts, bench/expected.toml."""

from cotenant.bench import expected


def test_no_hot_path_is_longer_than_expected() -> None:
    changes = expected.compare(expected.read(), expected.measure())
    longer = [str(change) for change in changes if change.is_longer]
    assert not longer, (
        f"more than {expected.TOLERANCE_PERCENT} % longer (expected -> measured); if that is meant,"
        f" run './cotenant bench --accept' and say why in the commit: {longer}"
    )
    unknown = [str(change) for change in changes if change.expected is None]
    assert not unknown, f"run './cotenant bench --accept': {unknown}"
