# SPDX-License-Identifier: BSD-2-Clause
"""Steal time by SBI STA: what a tenant is told beside one that takes a known share of the hart."""

import pytest
from systems import VERDICT, Boot, payload, system


@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
def test_a_tenant_is_told_what_a_higher_one_took(boot: Boot, sstc: bool) -> None:
    spinner = payload("spin", priority=9, budget="300us/1ms")
    session = boot(system(payload("sbi-sta"), spinner, sstc=sstc), icount=3)
    assert 280 <= int(session.expect("sbi-sta", r"^steal: (\d+) permille$")[1]) <= 320
    assert session.expect("sbi-sta", VERDICT)[1] == "PASS sbi-sta"


@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
def test_what_its_own_budget_withholds_is_stolen(boot: Boot, sstc: bool) -> None:
    limited = payload("sbi-sta", priority=9, budget="600us/1ms")
    session = boot(system(limited, payload("spin", priority=1), sstc=sstc), icount=3)
    assert 380 <= int(session.expect("sbi-sta", r"^steal: (\d+) permille$")[1]) <= 420
    assert session.expect("sbi-sta", VERDICT)[1] == "PASS sbi-sta"
