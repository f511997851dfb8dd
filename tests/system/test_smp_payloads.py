# SPDX-License-Identifier: BSD-2-Clause
"""The payloads that judge what a tenant of several harts is promised.

Without -icount, which lets one hart run at a time. COTENANT_LONG_TESTS=1 runs the long form.
"""

import pytest
from systems import VERDICT, Boot, freertos, is_long, keep_ticking, payload, system

# By payload: the rounds of the short and of the long form.
PAYLOADS = {"sbi-harts": (100, 1000), "remote-fence": (100, 500)}


def crowded(name: str, rounds: int, sstc: bool = True) -> str:
    """Return a system in which each of the payload's four harts is shared in another way."""
    return system(
        payload(name, harts=[0, 1, 2, 3], arguments=f"rounds={rounds}"),
        freertos(hart=1),  # takes it away all the time
        payload("spin", name="below", hart=2, priority=1),  # has it while the payload waits
        payload("spin", name="peer", hart=3, slice="1ms"),  # takes turns
        sstc=sstc,
    )


@pytest.mark.long_form
@pytest.mark.parametrize("sstc", [True, False], ids=["sstc", "no-sstc"])
@pytest.mark.parametrize("name", PAYLOADS)
def test_payload_passes_on_harts_that_others_share(boot: Boot, name: str, sstc: bool) -> None:
    session = boot(crowded(name, PAYLOADS[name][is_long()], sstc))
    assert session.expect(name, VERDICT)[1] == f"PASS {name}"
    session.expect_monitor(f"^monitor: tenant {name}: shutdown$")
    session.wait_ready("freertos")
    keep_ticking(session, ["freertos"])
    stats = session.stats()
    assert stats.tenants[name].state == "stopped"
    for other in ("freertos", "below", "peer"):
        assert stats.tenants[other].state == "running"
        assert stats.tenants[other].faults == 0


@pytest.mark.long_form
@pytest.mark.parametrize("name", PAYLOADS)
def test_payload_passes_on_harts_of_its_own(boot: Boot, name: str) -> None:
    rounds = PAYLOADS[name][is_long()]
    session = boot(system(payload(name, harts=[2, 1, 0], arguments=f"rounds={rounds}")))
    assert session.expect(name, VERDICT)[1] == f"PASS {name}"
    assert session.wait_end() == 0
