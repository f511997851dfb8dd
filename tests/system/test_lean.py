# SPDX-License-Identifier: BSD-2-Clause
"""A monitor that is built without what its system does not use."""

import pytest
from systems import (
    Boot,
    Build,
    freertos,
    keep_ticking,
    linux,
    put_monitor,
    run_without_a_miss,
    system,
)
from test_malformed_bundle import spoil

from cotenant.bench import sizes
from cotenant.bundle_struct import Bundle
from cotenant.run.launch import Launch

LEAN = '[monitor]\nbuild = "lean"\n'
CHECKING = f'{LEAN}with = ["check"]\n'
SECONDS = 2
# Bytes of code and constants; these numbers only fall (docs/performance/size.md).
LINUX_CEILING = 40_000
PAIR_CEILING = 26_000
RTOS = freertos(fp=False)
SECOND = freertos("second", fp=False)
ENDS = "ends = ['freertos', 'second']\n"
STREAM = f"[channel.c]\nkind = 'stream'\n{ENDS}"
NET = f"[channel.c]\nkind = 'net'\n{ENDS}"
MEMORY = f"[channel.c]\nkind = 'memory'\nsize = '64K'\n{ENDS}"


def test_it_is_small() -> None:
    assert sizes.of_example("linux-freertos").text_bytes < LINUX_CEILING
    assert sizes.of_pair().text_bytes < PAIR_CEILING


def test_linux_beside_freertos(build: Build, boot: Boot) -> None:
    session = boot(build(system(linux(), freertos(), LEAN)), icount=4)
    session.wait_ready("freertos")
    session.wait_ready("linux")
    assert session.command("linux", "uname -sm") == (0, "Linux riscv64\n")
    log = session.command("linux", "dmesg | grep SBI")[1]
    assert "SBI TIME extension detected" in log
    assert "SBI SUSP extension" not in log and "SBI HSM extension" not in log
    stats, _ = run_without_a_miss(session, SECONDS)
    assert stats.tenants["freertos"].faults == stats.tenants["linux"].faults == 0
    assert session.quit() == 0


def test_two_freertos_without_anything_that_can_be_left_out(boot: Boot) -> None:
    tables = (RTOS, freertos("second", fp=False, priority=5), LEAN)
    session = boot(system(*tables), icount=4)
    for name in ("freertos", "second"):
        session.wait_ready(name)
    refused = session.control("watch second stop")
    assert refused.output == "refused, this monitor is built without it"
    keep_ticking(session, ["freertos", "second"])
    assert session.quit() == 0


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ([freertos()], "features: this monitor is built without fp"),
        ([freertos(fp=False, hart=1), SECOND], "built without harts"),
        ([RTOS, SECOND, STREAM], "built without virtio"),
        (
            [RTOS, SECOND, f"[group.g]\nmem{ENDS.replace('ends', 'bers')}"],
            "built without foreground",
        ),
        ([freertos(fp=False, devices=["virtio0"])], "built without device_reset"),
    ],
    ids=["fp", "harts", "channel", "group", "device"],
)
def test_a_bundle_that_needs_more_is_refused(
    build: Build, boot: Boot, tables: list[str], words: str
) -> None:
    lean = build(system(RTOS, LEAN)).built.monitor.image
    assert_refused(boot, put_monitor(build(system(*tables)), lean), words)


def forget_features(header: Bundle) -> None:
    for feature in header.features:
        feature.value = b""


@pytest.mark.parametrize(
    ("kept", "hidden", "words"),
    [
        (STREAM, NET, "device.kind: unknown"),
        ("", MEMORY, "vhart.pmp_address: opens memory that is not its tenant's"),
    ],
    ids=["type", "window"],
)
def test_a_bundle_that_does_not_name_what_it_needs_is_refused(
    build: Build, boot: Boot, kept: str, hidden: str, words: str
) -> None:
    lean = build(system(RTOS, SECOND, kept, CHECKING)).built.monitor.image
    launch = spoil(build(system(RTOS, SECOND, hidden)), forget_features)
    assert_refused(boot, put_monitor(launch, lean), words)


def assert_refused(boot: Boot, launch: Launch, words: str) -> None:
    session = boot(launch)
    assert session.wait_end(timeout=60) == 0
    text = session.console.noise + session.monitor_log
    assert "refused the bundle: " in text and words in text
    assert "starting" not in text
