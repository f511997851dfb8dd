# SPDX-License-Identifier: BSD-2-Clause
"""Debug triggers of one tenant do not fire in another; test_payloads.py has the rest."""

import pytest
from systems import VERDICT, Boot, payload, system


@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
def test_a_neighbour_at_the_same_virtual_address_meets_no_trigger(boot: Boot, sstc: bool) -> None:
    tenants = [
        payload("sbi-dbtr", slice="1ms"),
        payload("sbi-dbtr", "neighbour", slice="1ms", arguments="neighbour=1"),
    ]
    session = boot(system(*tenants, sstc=sstc), icount=3)
    assert session.expect("sbi-dbtr", VERDICT)[1] == "PASS sbi-dbtr"
    assert session.expect("neighbour", VERDICT)[1] == "PASS sbi-dbtr"
