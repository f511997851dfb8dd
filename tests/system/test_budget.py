# SPDX-License-Identifier: BSD-2-Clause
"""A tenant that never idles: a budget holds it back; without one its priority says it all."""

from systems import Boot, freertos, linux, payload, system

from cotenant.run.results import parse_latency


def test_with_a_budget_linux_stays_alive_and_the_spinner_gets_its_share(boot: Boot) -> None:
    session = boot(system(linux(), payload("spin", priority=9, budget="500us/1ms")), icount=3)
    session.wait_ready("linux")
    assert session.command("linux", "ticks 50")[0] == 0
    before = session.stats()
    after = session.run_for(2)
    elapsed = after.time_ns - before.time_ns
    share = (after.tenants["spin"].cpu_ns - before.tenants["spin"].cpu_ns) / elapsed
    assert 0.45 <= share <= 0.52


def test_without_a_budget_linux_starves_and_the_higher_ones_go_on(boot: Boot) -> None:
    session = boot(system(linux(), payload("spin", priority=9), freertos()), icount=3)
    session.wait_ready("freertos")
    stats = session.run_for(8)
    assert not session.is_ready("linux", stats.tenants["linux"])
    assert stats.tenants["linux"].cpu_ns < 0.01 * stats.time_ns
    assert stats.tenants["spin"].cpu_ns > 0.9 * stats.time_ns
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


def test_a_budget_of_the_rtos_is_kept_while_it_is_busy(boot: Boot) -> None:
    """An RTOS that asks for more than its budget gets the budget, and Linux the rest."""
    busy = freertos(arguments="report=500ms busy=90", budget="300us/1ms")
    session = boot(system(linux(), busy), icount=3)
    session.wait_ready("linux")
    before = session.stats()
    after = session.run_for(2)
    elapsed = after.time_ns - before.time_ns
    share = (after.tenants["freertos"].cpu_ns - before.tenants["freertos"].cpu_ns) / elapsed
    assert 0.25 <= share <= 0.32
    assert session.command("linux", "true") == (0, "")
