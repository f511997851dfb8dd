# SPDX-License-Identifier: BSD-2-Clause
"""Images that are not for where they run: each is told of, and is nothing to the others."""

import struct
from collections.abc import Sequence
from pathlib import Path

import pytest
from systems import Boot, freertos, keep_ticking, payload, system

# auipc t0, 0; addi t0, t0, 12; csrw stvec, t0: the handler is what follows.
HANDLER = (0x00000297, 0x00C28293, 0x10529073)
NOP = 0x00000013
LOAD_FROM_0 = 0x00003503
NOTHING = 0
BRANCH_NOT_TAKEN = 0x00051463  # bnez a0, +8: a check of the image cannot be certain
CSRR_MHARTID = 0xF14025F3


def image(folder: Path, words: Sequence[int]) -> str:
    path = folder / "stray.bin"
    path.write_bytes(struct.pack(f"<{len(words)}I", *words).ljust(4096, b"\0"))
    return str(path)


@pytest.mark.parametrize(
    ("handler", "cause"),
    [((NOP, LOAD_FROM_0), "0x5"), ((NOTHING,), "0x2")],
    ids=["seen", "delegated"],
)
@pytest.mark.parametrize("beside", [True, False], ids=["beside-rtos", "alone"])
def test_a_tenant_that_only_faults(
    boot: Boot, tmp_path: Path, handler: tuple[int, ...], cause: str, beside: bool
) -> None:
    stray = payload(image(tmp_path, (*HANDLER, *handler)), "stray", priority=1)
    session = boot(system(stray, *([freertos()] if beside else [])))
    session.run_for(1)
    session.expect_monitor(
        rf"^monitor: tenant stray: only faults: cause={cause} pc=0x[0-9a-f]+0(0c|10)\b"
    )
    if beside:
        session.wait_ready("freertos")
        keep_ticking(session, ["freertos"])
    stats = session.stats()
    assert stats.tenants["stray"].only_faults == 1
    assert stats.tenants["stray"].state == "running"
    if beside:
        assert stats.tenants["freertos"].only_faults == 0
    assert session.monitor_log.count("only faults") == 1
    (found,) = session.symptoms("stray")
    words = {"0x5": "load access fault", "0x2": "illegal instruction"}[cause]
    assert found.startswith(f"only faults: {words} at ")


def test_the_last_tenant_is_told_of_before_the_end(boot: Boot, tmp_path: Path) -> None:
    stray = payload(image(tmp_path, (BRANCH_NOT_TAKEN, CSRR_MHARTID)), "stray")
    session = boot(system(stray))
    assert session.wait_end() == 0
    assert "stray: expects machine mode: instruction=0xf14025f3" in session.monitor_log
    assert "stray: crashed: " in session.monitor_log


def test_an_image_for_machine_mode(boot: Boot, tmp_path: Path) -> None:
    stray = payload(image(tmp_path, (BRANCH_NOT_TAKEN, CSRR_MHARTID)), "stray")
    session = boot(system(stray, freertos()), icount=4)
    session.wait_state("stray", "crashed")
    session.wait_ready("freertos")
    session.expect_monitor(
        r"^monitor: tenant stray: expects machine mode: instruction=0xf14025f3 pc=0x[0-9a-f]+4$"
    )
    crash = session.crash("stray")
    assert crash is not None
    assert crash.what == "illegal instruction `csrr a1, mhartid`, which is for machine mode,"
    assert crash.address is None
    (found,) = session.symptoms("stray")
    assert found.startswith("expects machine mode: `csrr a1, mhartid` at 0x")
