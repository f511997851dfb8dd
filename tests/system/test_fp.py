# SPDX-License-Identifier: BSD-2-Clause
"""Floating-point and vector registers belong to whoever wrote them."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from systems import VERDICT, Boot, linux, payload, system, vector_board

SECONDS = 5


def test_registers_of_two_linuxes_and_two_payloads_stay_apart(boot: Boot, tmp_path: Path) -> None:
    """Vector registers as well."""
    session = boot(
        system(
            linux("first", slice="2ms"),
            linux("second", slice="3ms"),
            payload("fp-keeper", priority=5, budget="200us/1ms", vector=False),
            payload("vector-keeper", priority=5, budget="200us/1ms", arguments="rounds=1000000"),
            board=vector_board(tmp_path, 512),
        )
    )
    names = ("first", "second")
    for name in names:
        session.wait_ready(name)
    with ThreadPoolExecutor(len(names)) as pool:
        runs = [
            pool.submit(
                session.command,
                name,
                f"vectorcheck {SECONDS} {seed} & fpcheck {SECONDS} {seed} && wait $!",
            )
            for seed, name in enumerate(names, start=1)
        ]
    for run in runs:
        exit_code, output = run.result()
        assert exit_code == 0 and "bits=512" in output, output
    for name in ("fp-keeper", "vector-keeper"):
        assert "FAIL" not in session.output(name)
    assert "512 bits" in session.output("vector-keeper")


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
