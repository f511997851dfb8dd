# SPDX-License-Identifier: BSD-2-Clause
"""Floating-point registers belong to whoever wrote them."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from systems import VERDICT, Boot, linux, payload, system

SECONDS = 8


def test_registers_of_two_linuxes_and_a_payload_stay_apart(boot: Boot) -> None:
    session = boot(
        system(
            linux("first", slice="2ms"),
            linux("second", slice="3ms"),
            payload("fp-keeper", priority=5, budget="200us/1ms"),
        )
    )
    names = ("first", "second")
    for name in names:
        session.wait_ready(name)
    with ThreadPoolExecutor(len(names)) as pool:
        runs = [
            pool.submit(session.command, name, f"fpcheck {SECONDS} {seed}")
            for seed, name in enumerate(names, start=1)
        ]
    for run in runs:
        exit_code, output = run.result()
        assert exit_code == 0, output
    assert "FAIL" not in session.output("fp-keeper")


@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
def test_a_tenant_that_never_wrote_a_register_finds_zeros(boot: Boot, sstc: bool) -> None:
    names = ("fp-stranger", "first", "second")
    session = boot(
        system(
            payload("fp-stranger", priority=5, arguments="rounds=300"),
            payload("fp-keeper", "first", priority=6, arguments="rounds=400 seed=1"),
            payload("fp-keeper", "second", priority=6, arguments="rounds=400 seed=2"),
            sstc=sstc,
        ),
        icount=3,
    )
    for name in names:
        assert session.expect(name, VERDICT)[1].startswith("PASS ")
