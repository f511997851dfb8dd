# SPDX-License-Identifier: BSD-2-Clause
"""A tenant that hangs is noticed, and what follows is what its configuration, or the user, says."""

import re

import pytest
from systems import Boot, freertos, linux, mortal, system

from cotenant.run.results import parse_latency
from cotenant.run.session import Session


def watch(policy: str, within: str = "20ms", **more: str) -> dict[str, str]:
    """Return the value of the key `watch`."""
    return {"within": within, "policy": policy, **more}


def silence(session: Session, tenant: str) -> list[int]:
    """Return the times, in microseconds, after which the monitor found that a tenant hangs."""
    said = rf"^monitor: tenant {tenant}: hangs: no heartbeat for (\d+) us"
    return [int(found) for found in re.findall(said, session.monitor_log, re.MULTILINE)]


@pytest.mark.parametrize("image", ["mortal", "freertos-mortal"])
def test_each_policy(boot: Boot, image: str) -> None:
    def hanging(name: str, policy: str) -> str:
        return mortal(image, name, arguments="end=hang", watch=watch(policy))

    session = boot(
        system(*(hanging(each, each) for each in ("off", "log", "restart", "stop")), freertos()),
        icount=4,
    )
    session.wait_ready("freertos")
    for _ in range(4):
        session.expect("restart", "^alive\n")
    session.wait_state("stop", "crashed")
    stats = session.stats().tenants
    assert [stats[each].hangs for each in ("off", "log", "stop")] == [0, 1, 1]
    assert stats["restart"].hangs >= 3
    assert stats["restart"].starts - stats["restart"].hangs in (0, 1)  # it is loaded in between
    assert (stats["log"].state, stats["log"].starts) == ("running", 1)
    assert stats["freertos"].hangs == 0
    for each in ("log", "restart", "stop"):
        assert all(20_000 <= time < 22_000 for time in silence(session, each))
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


def test_tenants_of_another_hart_are_watched(boot: Boot) -> None:
    hanging = mortal("mortal", hart=1, arguments="end=hang", watch=watch("restart", "100ms"))
    session = boot(system(freertos(), hanging))
    for _ in range(4):
        session.expect("mortal", "^alive\n")
    stats = session.stats().tenants
    assert stats["mortal"].hangs >= 3
    assert (stats["freertos"].hangs, stats["freertos"].state) == (0, "running")
    assert min(silence(session, "mortal")) >= 100_000


def test_a_tenant_that_never_comes_up_is_noticed(boot: Boot) -> None:
    silent = mortal("spin", watch=watch("restart", boot="100ms"))
    session = boot(system(silent, freertos()), icount=4)
    session.wait_ready("freertos")
    session.run_for(1)
    stats = session.stats().tenants["spin"]
    assert stats.hangs >= 5 and stats.starts - stats.hangs in (0, 1)


def test_the_user_changes_what_is_watched(boot: Boot) -> None:
    tenant = mortal("mortal", arguments="end=hang life=10")
    session = boot(system(tenant, freertos()), icount=4)
    session.wait_ready("freertos")
    refused = session.control("watch mortal restart")
    assert refused.output == "refused, it was never given a time"
    session.run_for(0.1)
    assert session.stats().tenants["mortal"].hangs == 0
    assert session.control("watch mortal restart 30ms").output == "ok"
    for _ in range(3):
        session.expect("mortal", "^alive\n")
    assert session.control("watch mortal stop").output == "ok"
    session.wait_state("mortal", "crashed")
    assert session.control("watch mortal off").output == "ok"
    assert session.control("start mortal").output == "ok"
    hangs = session.stats().tenants["mortal"].hangs
    session.run_for(0.2)
    assert session.stats().tenants["mortal"].hangs == hangs
    assert session.control("watch mortal sometimes").exit_code == 1
    assert session.control("watch nobody log 1s").output == "no such tenant"
    assert all(30_000 <= time < 32_000 for time in silence(session, "mortal"))


def test_stock_linux_gives_heartbeats_by_its_watchdog_driver(boot: Boot) -> None:
    arguments = "console=ttyS0 loglevel=4 modules=sunxi_wdt"
    session = boot(
        system(linux(arguments=arguments, watch=watch("restart", "3s")), freertos()), icount=4
    )
    session.wait_ready("linux")
    driver = "cat /sys/class/watchdog/watchdog0/identity"
    assert session.command("linux", driver) == (0, "sunxi-wdt\n")
    assert session.command("linux", "watchdog -T 4 -t 1 /dev/watchdog; sleep 6")[0] == 0
    assert session.stats().tenants["linux"].hangs == 0
    # The heartbeats are those of a process: they stop with it, and the kernel goes on.
    assert session.command("linux", "killall -STOP watchdog")[0] == 0
    session.skip_output("linux")
    session.expect("linux", "^cotenant: ready$")
    stats = session.stats().tenants["linux"]
    assert (stats.hangs, stats.starts, stats.state) == (1, 2, "running")
    # One that ends in an orderly way turns the watchdog off.
    quiet = "watchdog -T 4 -t 1 /dev/watchdog; sleep 2; killall watchdog; sleep 5"
    assert session.command("linux", quiet)[0] == 0
    assert session.stats().tenants["linux"].hangs == 1
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0
