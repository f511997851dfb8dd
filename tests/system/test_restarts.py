# SPDX-License-Identifier: BSD-2-Clause
"""Tenants that end in every way, and start again a thousand times, are nothing to the others."""

import re
from collections import Counter

import pytest
from systems import LINUX_READY, Boot, freertos, is_long, linux, mortal, system, times

from cotenant.run.results import parse_latency
from cotenant.run.session import Session

AGAIN = {"on-crash": "restart", "on-shutdown": "restart"}
WATCH = {"within": "20ms", "policy": "restart"}
MORTALS = ("mortal", "freertos-mortal")

# All that the board has for tenants.
DEVICES = [*(f"virtio{slot}" for slot in range(8)), "rtc"]
# How late an RTOS may be beside tenants that stop: 1,875 instructions of 16 ns, a third of a stop.
MOST_US = 30

# Of each of the two.
LIVES = times(80, 2000) // 2
LINUX_LIVES = 100 if is_long() else 3


def average_latency(session: Session) -> float:
    """Return the average wake-up latency over some time from now on, in us; none may be missed.

    The reports round averages since the start to 0.1 us, so the time is a part of the one before.
    """
    first = parse_latency(session.output("freertos"))
    last = first
    assert first is not None
    samples = max(2000, first.samples // 4)
    while last is None or last.samples < first.samples + samples:
        session.expect("freertos", "^latency: samples=.*\n")
        last = parse_latency(session.output("freertos"))
    assert last.missed == 0
    total = last.avg_us * last.samples - first.avg_us * first.samples
    return total / (last.samples - first.samples)


def others_are_well(session: Session) -> None:
    """Check that Linux has lost no tick and the RTOS no deadline."""
    assert session.command("linux", "ticks 100")[0] == 0
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0
    stats = session.stats().tenants
    assert (stats["linux"].starts, stats["freertos"].starts) == (1, 1)
    assert stats["linux"].faults == 0


def ends(session: Session, tenant: str) -> Counter[str]:
    """Return what the monitor said of the ends of a tenant, by the first word of each."""
    found = re.findall(rf"^monitor: tenant {tenant}: (\w+)", session.monitor_log, re.MULTILINE)
    return Counter(found)


def test_every_end_of_every_small_tenant(boot: Boot) -> None:
    mortals = [
        mortal(image, arguments=f"end=turns life={life}", budget="200us/1ms", watch=WATCH, **AGAIN)
        for image, life in zip(MORTALS, (40, 50), strict=True)
    ]
    session = boot(system(linux(), freertos(), *mortals), icount=4)
    session.wait_ready("linux")
    others_are_well(session)
    for image in MORTALS:
        seen = ends(session, image)
        stats = session.stats().tenants[image]
        assert min(seen[way] for way in ("crashed", "hangs", "shutdown", "reboot")) >= 3
        assert "FAIL" not in session.output(image)
        assert session.output(image).count("alive\n") >= stats.starts - 1
        assert stats.hangs >= 3


def test_a_linux_that_panics_is_restarted(boot: Boot) -> None:
    keys = {"arguments": "console=ttyS0 loglevel=4 panic=0 modules=sunxi_wdt"}
    watch = {"within": "3s", "policy": "restart"}
    session = boot(system(linux(watch=watch, **keys), freertos()), icount=4)
    session.wait_ready("linux")
    assert session.command("linux", "watchdog -t 1 -T 8 /dev/watchdog; sleep 1")[0] == 0
    session.expect("linux", "# ")
    session.send("linux", b"echo c >/proc/sysrq-trigger\n")
    session.expect("linux", "Kernel panic")
    session.expect("linux", LINUX_READY)
    assert ends(session, "linux") == {"hangs": 1}
    assert session.stats().tenants["linux"].starts == 2
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


@pytest.mark.long_form
def test_a_thousand_lives_leave_nothing(boot: Boot) -> None:
    mortals = [mortal(image, arguments="end=reboot life=5", memory="160K") for image in MORTALS]
    session = boot(system(linux(), freertos(), *mortals), icount=4)
    session.wait_ready("freertos")
    before = average_latency(session)
    # Linux boots meanwhile, in what time they leave it.
    while min(session.stats().tenants[image].starts for image in MORTALS) < LIVES:
        session.run_for(0.5)
    for image in MORTALS:
        assert session.control(f"stop {image}").output == "ok"
        stats = session.wait_state(image, "stopped")
        # Each life printed its line, found nothing of the one before, and was counted once.
        assert "FAIL" not in session.output(image)
        assert abs(ends(session, image)["reboot"] - stats.starts) <= 1
        assert stats.starts - session.output(image).count("alive\n") in (0, 1)
    session.wait_ready("linux")
    after = average_latency(session)
    assert abs(after - before) < 0.2 * before
    others_are_well(session)


@pytest.mark.long_form
@pytest.mark.timeout(3600)
def test_linux_is_restarted_again_and_again(boot: Boot) -> None:
    victim = linux(
        "victim",
        memory="192M",
        devices=["virtio0"],
        arguments="console=ttyS0 loglevel=4 modules=virtio_mmio,virtio_rng",
    )
    devices = '[qemu.devices]\nvirtio0 = "virtio-rng-device"\n'
    session = boot(system(linux(), victim, freertos(), devices), icount=4)
    session.wait_ready("linux")
    session.wait_ready("victim")
    for life in range(LINUX_LIVES):
        session.expect("victim", "# ")
        session.send("victim", b"head -c 32 /dev/hwrng | wc -c; echo kept >/tmp/kept; ls /tmp\n")
        session.expect("victim", "^32\nkept\n")
        if life % 2:
            assert session.control("restart victim").output == "ok"
        else:
            session.send("victim", b"reboot -f\n")
        if life % 3 == 2:  # in the middle of its boot, too
            session.run_for(2)
            assert session.control("restart victim").output == "ok"
        session.expect("victim", LINUX_READY)
    stats = session.stats().tenants["victim"]
    # One that is ended while it is still being loaded has not started.
    assert 0 <= stats.starts - 1 - LINUX_LIVES <= LINUX_LIVES // 3
    assert (stats.state, stats.faults) == ("running", 0)
    others_are_well(session)


def test_stops_do_not_delay_an_rtos(boot: Boot) -> None:
    ends = [
        mortal("reboot", memory="64K", arguments="delay=0", devices=DEVICES),
        mortal("mortal", memory="160K", arguments="end=crash life=3", **AGAIN),
    ]
    session = boot(system(freertos(), *ends), icount=4)
    session.wait_ready("freertos")
    while session.stats().tenants["reboot"].starts < 500:
        session.run_for(0.1)
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0
    assert latency.max_us < MOST_US
