# SPDX-License-Identifier: BSD-2-Clause
"""The component OS, tenants/components: invocations, hostile components, crashes beside a loop."""

import re

import pytest
from systems import Boot, is_long, payload, system

from cotenant.run.results import parse_latency
from cotenant.run.session import Session

LAST = r"components: crashes=(\d+) restarts=(\d+) restart_cycles=(\d+)"
VERDICT = r"^((?:PASS|FAIL) components: .*)\n"
# Instructions; docs/components.md.
MOST_FOR_INVOCATION = 64
MOST_FOR_RESTART = 20_000


def run(boot: Boot, image: str, arguments: str = "") -> Session:
    """Boot an image of components alone on a hart."""
    tenant = payload(image, "components", memory="8M", fp=False, arguments=arguments)
    return boot(system(tenant), icount=0)


@pytest.mark.parametrize("asids", [1, 0])
def test_what_a_hostile_component_tries_is_refused(boot: Boot, asids: int) -> None:
    session = run(boot, "components-hostile", f"asids={asids}")
    verdict = session.expect("components", VERDICT)[1]
    assert verdict.startswith("PASS "), session.output("components")
    assert int(re.findall(r"attempts=(\d+)", verdict)[0]) >= 78


@pytest.mark.long_form
@pytest.mark.parametrize("asids", [1, 0])
def test_arguments_come_over_whole_whoever_comes_between(boot: Boot, asids: int) -> None:
    wanted = 1_000_000 if is_long() else 100_000 if asids else 20_000
    session = run(boot, "components-stress", f"invocations={wanted} asids={asids}")
    verdict = session.expect("components", VERDICT)[1]
    assert verdict.startswith("PASS "), session.output("components")
    assert int(re.findall(r"invocations=(\d+)", verdict)[0]) >= wanted
    assert int(re.findall(r"interruptions=(\d+)", verdict)[0]) > wanted // 100


@pytest.mark.long_form
def test_a_control_loop_misses_nothing_beside_one_that_crashes(boot: Boot) -> None:
    crashes = 10_000 if is_long() else 600
    session = run(boot, "components-control", f"report=100 crashes={crashes}")
    verdict = session.expect("components", VERDICT)[1]
    assert verdict.startswith("PASS "), session.output("components")
    loop = parse_latency(session.output("components"))
    assert loop and loop.samples >= crashes // 2
    assert loop.missed == 0 and loop.max_us < 1000
    crashed, restarts, restart = map(int, re.findall(LAST, session.output("components"))[-1])
    assert crashed >= crashes
    assert restarts in (crashed, crashed + 1)
    assert 0 < restart <= MOST_FOR_RESTART


@pytest.mark.long_form
def test_each_system_component_is_killed_under_load(boot: Boot) -> None:
    kills = 1000 if is_long() else 50
    session = run(boot, "components-siege", f"kills={kills}")
    verdict = session.expect("components", VERDICT)[1]
    assert verdict.startswith("PASS "), session.output("components")
    assert int(re.findall(r"kills=(\d+)", verdict)[0]) == 18 * kills


def test_small_components_do_what_they_say(boot: Boot) -> None:
    session = run(boot, "components-examine", "number=42,7")
    verdict = session.expect("components", VERDICT)[1]
    assert verdict.startswith("PASS "), session.output("components")


def test_an_invocation_costs_what_the_documents_say(boot: Boot) -> None:
    session = run(boot, "components-meter")
    session.expect("components", "^bench: end$")
    found = dict(re.findall(r"^bench: (\w+) (\d+) ", session.output("components"), re.M))
    assert 0 < int(found["invocation"]) <= MOST_FOR_INVOCATION
    assert 0 < int(found["restart"]) <= MOST_FOR_RESTART


def test_who_holds_a_lock_inherits_and_loses_it_with_its_component(boot: Boot) -> None:
    session = run(boot, "components-inversion")
    verdict = session.expect("components", VERDICT)[1]
    assert verdict.startswith("PASS "), session.output("components")
