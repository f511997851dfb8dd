# SPDX-License-Identifier: BSD-2-Clause
"""As many tenants on one hart as the limit allows."""

import pytest
from systems import Boot, Build, payload, system

from cotenant.abi import limit
from cotenant.errors import ConfigError

MOST = limit("MAX_VHARTS_PER_HART")
NAMES = [f"spin{number}" for number in range(MOST)]


def spinners(names: list[str]) -> str:
    """Return a system of tenants that never idle, all of one priority."""
    return system(
        *(payload("spin", name=name, priority=3, memory="1M", slice="5ms") for name in names)
    )


def test_equal_priorities_take_turns(boot: Boot) -> None:
    session = boot(spinners(NAMES), icount=3)
    for name in NAMES:
        session.expect(name, "^spinning$")
    before = session.stats()
    after = session.run_for(4)
    elapsed = after.time_ns - before.time_ns
    for name in NAMES:
        share = (after.tenants[name].cpu_ns - before.tenants[name].cpu_ns) / elapsed
        assert 0.9 / MOST <= share <= 1.1 / MOST
        assert after.tenants[name].switches > before.tenants[name].switches


def test_each_of_many_prints_and_shuts_down(boot: Boot) -> None:
    names = [f"hello{number}" for number in range(MOST)]
    session = boot(
        system(
            *(payload("hello", name=each, priority=i, memory="1M") for i, each in enumerate(names))
        )
    )
    assert session.wait_end() == 0
    for name in names:
        assert session.output(name).endswith("PASS hello\n")


def test_one_more_than_the_limit_is_refused(build: Build) -> None:
    with pytest.raises(ConfigError, match=str(MOST)):
        build(spinners([*NAMES, "onemore"]))
